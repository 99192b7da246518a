#pragma once

#include <vector>

#include "graph/graph.h"

namespace lockstep::distribute {

/// Follows what may differ between replicas through a program that is traced once for all of them:
/// the parameters marked in `varies`, which replica it is, and variables of which each replica has
/// a copy or which each replica assigns. What replicas exchange is equal on all of them. A meeting
/// under a branch or in a loop needs a predicate that is equal on all replicas; FailedPrecondition
/// otherwise, naming the meeting, the branch and its predicate.
void RequireUniformPredicates(const graph::Graph& graph, const std::vector<bool>& varies);

}  // namespace lockstep::distribute
