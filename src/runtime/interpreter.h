#pragma once

#include <span>
#include <vector>

#include "graph/graph.h"

namespace lockstep::runtime {

/// Carries out a graph without control flow node by node, each op eagerly with the attributes that
/// it has in the graph (so with the leaves of a cut batch): the plain reading that plans are
/// compared with.
/// Threads: any number of runs; each op locks the variables that it touches, a run locks none.
class Interpreter {
 public:
  explicit Interpreter(graph::Graph graph);

  /// Errors: what the ops throw.
  std::vector<Tensor> Run(std::span<const Tensor> arguments) const;
  const graph::Graph& graph() const { return graph_; }

 private:
  graph::Graph graph_;
  // By node: the values that no later node and no result takes.
  std::vector<std::vector<graph::Endpoint>> last_used_;
};

}  // namespace lockstep::runtime
