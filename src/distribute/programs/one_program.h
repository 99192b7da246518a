#pragma once

#include <string>
#include <vector>

#include "distribute/workers/communicator.h"
#include "graph/graph.h"

namespace lockstep::distribute {

/// Compares what the ranks are about to run together, op by op: names, inputs, types, attributes,
/// constants of up to 64 KiB, variables by name, bodies of branches and loops. All ranks call it
/// alike; what they have compared in this epoch they do not compare again. Cost: two exchanges of 8
/// bytes; only where programs differ they are sent. Errors: InvalidArgument on all ranks, naming
/// the first op that differs, both forms of it and their lines of the program; of collectives.
void RequireOneProgram(Communicator& ranks, const graph::Graph& graph);

/// A line for each op.
std::vector<std::string> LinesOf(const graph::Graph& graph);

}  // namespace lockstep::distribute
