#pragma once

#include <cstdint>
#include <functional>
#include <set>
#include <unordered_map>
#include <vector>

#include "distribute/workers/roles.h"
#include "graph/rows.h"

namespace lockstep::distribute {

/// Which part of a step's updates the ranks share out among themselves by rows of the weights: from
/// a sum of gradients on, op after op, as long as each row of the result follows from the same row
/// of the operands, until variables are written. A norm over a weight, or a product with it, needs
/// the whole, and keeps the sum whole on every rank.
struct UpdateSlices {
  /// Sums over examples, by node, of which each rank takes its rows alone.
  std::set<int> sums;
  /// Nodes that each rank carries out on its rows; for each, how many rows there are in all.
  std::unordered_map<int, int64_t> nodes;

  /// A variable of which each rank writes its rows.
  struct Written {
    graph::Endpoint handle;  // the constant
    int64_t rows = 0;
    /// Whether the whole is needed when the step is over; else each rank's rows are enough.
    bool gathered = false;
  };
  std::vector<Written> variables;
};

/// `ranks` of them. Sums with fewer elements than `least` stay whole.
UpdateSlices FindUpdateSlices(const graph::Graph& graph, const graph::RowAnalysis& analysis,
                              int ranks, int64_t least);

/// The sums over examples with at least `least` elements, as the gradients of weights are.
std::set<int> SumsOfWeights(const graph::Graph& graph, const graph::RowAnalysis& analysis,
                            int64_t least);

/// Whether an op writes variables by an optimizer's rule, or assigns them.
bool IsUpdate(const graph::Node& node);

/// The object of the variable that `e` names; nullptr: it names none, or not by a constant.
const void* ObjectOf(const graph::Graph& graph, graph::Endpoint e);

/// The variables that ops of a rank's program take whole, not some rows of them.
std::set<const void*> TakenWhole(const graph::Graph& graph);

/// The variables of these handles, in the order of the program, which nodes that are `inside`
/// write: whether each one's value is needed by others, too.
std::vector<UpdateSlices::Written> WrittenVariables(const graph::Graph& graph,
                                                    const std::vector<graph::Endpoint>& handles,
                                                    const std::function<bool(int node)>& inside);

/// `attributes` with `count` where they name a tensor's `whole` rows as its first size.
ops::Attributes WithRows(ops::Attributes attributes, int64_t whole, int64_t count);

/// Where the rows of each rank begin, and `rows`: about equally many for those that have some.
std::vector<int64_t> RowBorders(int64_t rows, const Roles& roles);

}  // namespace lockstep::distribute
