#include "graph/passes.h"
#include "graph/rewrite.h"

namespace lockstep::graph {

Graph Prune(const Graph& graph) {
  std::vector<char> needed(graph.num_nodes(), 0);
  for (Endpoint result : graph.results()) needed[result.node] = 1;
  for (int id = graph.num_nodes() - 1; id >= 0; --id) {
    const Node& node = graph.node(id);
    if (node.spec->effects.writes != 0 || node.spec->effects.external || node.spec->name == "Arg")
      needed[id] = 1;
    if (!needed[id]) continue;
    for (Endpoint input : node.inputs) needed[input.node] = 1;
    for (int control : node.control_inputs) needed[control] = 1;
  }
  Rewriter rewriter(graph);
  for (const Node& node : graph.nodes()) {
    if (needed[node.id]) rewriter.Keep(node);
  }
  return rewriter.Finish();
}

Graph Simplify(const Graph& graph) {
  Graph result = FuseProducts(FuseHeads(RemoveDuplicates(Prune(graph))));
  return FuseGathers(FuseBytes(FuseUpdates(MaskBeforeUnpooling(result))));
}

}  // namespace lockstep::graph
