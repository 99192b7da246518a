#pragma once

#include <vector>

#include "graph/graph.h"
#include "lockstep/distribute/strategy.h"

namespace lockstep::distribute {

/// Emits what all replicas do with ops of the builder in force, in the order in which an eager run
/// carries them out: each replica to its next meeting, one after the other; then what the meeting
/// is made of; and so on. So who records sees what they would see of an eager run. `program` is
/// traced once for all replicas; `arguments` are its parameters, by replica; so are the results.
std::vector<std::vector<Tensor>> UnrollReplicas(Strategy& strategy, const graph::Graph& program,
                                                const std::vector<std::vector<Tensor>>& arguments);

/// Whether somebody who records follows a variable or another tensor that `graph` names.
bool NamesFollowed(const graph::Graph& graph);

}  // namespace lockstep::distribute
