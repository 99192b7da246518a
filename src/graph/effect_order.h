#pragma once

#include <vector>

#include "graph/graph.h"

namespace lockstep::graph {

/// For each node those before it that it must follow because of what both do to variables or to
/// the outside, by the order of the program: a read follows the last write, a write the last write
/// and the reads since, an op with effects on the outside the one before. A node with bodies reads
/// and writes what they do.
std::vector<std::vector<int>> EffectOrder(const Graph& graph);

/// The part of it that holds in any case: a read of the new value right behind an assignment, which
/// is what the assignment gives, follows it.
std::vector<std::vector<int>> AssignedReads(const Graph& graph);

}  // namespace lockstep::graph
