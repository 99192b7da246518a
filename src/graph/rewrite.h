#pragma once

#include <string_view>
#include <vector>

#include "graph/graph.h"

namespace lockstep::graph {

/// How often each node is used, by inputs, results and control inputs.
std::vector<int> TimesUsed(const Graph& graph);

/// Copies a graph node by node while a pass decides about each: keep it, replace it, drop it.
class Rewriter {
 public:
  explicit Rewriter(const Graph& source);

  /// Copies `node`; its outputs map to the copy's.
  Node& Keep(const Node& node);
  /// The same with another op, which takes `inputs` of the result and has as many outputs.
  Node& Replace(const Node& node, std::string_view op, std::vector<Endpoint> inputs,
                const ops::Attributes& attributes);
  /// From now on, the source's `from` is the result's `to`.
  void Map(Endpoint from, Endpoint to);
  Endpoint Mapped(Endpoint from) const;
  /// The node of the result that stands for the source's node; -1: none.
  int MappedNode(int from) const { return node_map_[from]; }
  std::vector<Endpoint> Mapped(const std::vector<Endpoint>& from) const;
  Graph& result() { return result_; }
  /// Maps the results and gives the graph away.
  Graph Finish();

 private:
  Node& Finished(const Node& node, int id);

  const Graph& source_;
  Graph result_;
  std::vector<std::vector<Endpoint>> map_;
  std::vector<int> node_map_;  // for control inputs; -1: dropped
};

}  // namespace lockstep::graph
