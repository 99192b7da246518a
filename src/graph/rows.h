#pragma once

#include <string>
#include <unordered_map>
#include <vector>

#include "graph/graph.h"

namespace lockstep::graph {

/// What following the example axis through a graph has found.
struct RowAnalysis {
  /// For each node that sums over examples: how many rows of its input belong to one example.
  std::unordered_map<int, int64_t> rows_per_example;
  /// Which outputs of each node have examples along axis 0.
  std::vector<std::vector<char>> has_rows;
  /// The first node at which examples influence each other in a way that is not a sum, or -1.
  int mixing_node = -1;
  bool can_cut() const { return mixing_node < 0; }
};

/// Follows the example axis, always axis 0, from the parameters that have it (`parameter_rows`)
/// through all nodes. All types of `graph` must be known; `examples` is the size of the batch.
RowAnalysis AnalyzeRows(const Graph& graph, int64_t examples,
                        const std::vector<bool>& parameter_rows);

/// Writes into every node that sums over examples where the leaves of its rows begin and end: the
/// attribute "leaves". `offsets` count examples.
void CutIntoLeaves(Graph& graph, const RowAnalysis& analysis, const std::vector<int64_t>& offsets);

}  // namespace lockstep::graph
