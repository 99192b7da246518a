#include "distribute/programs/widen_half_sums.h"

#include "graph/rewrite.h"
#include "kernels/kernel.h"

namespace lockstep::distribute {

namespace {

using graph::Endpoint;
using graph::Node;

bool IsNarrow(const graph::Graph& graph, Endpoint e) { return IsHalf(graph.type(e).dtype); }

Endpoint CastTo(graph::Graph& graph, Endpoint e, DType dtype) {
  return {graph.AddNode("Cast", {e}, {{"DstT", dtype}}).id, 0};
}

}  // namespace

graph::Graph WidenHalfSums(const graph::Graph& graph) {
  graph::Rewriter rewriter(graph);
  for (const Node& node : graph.nodes()) {
    if (kernels::LeavesOf(node.attributes).empty() || !IsNarrow(graph, {node.id, 0})) {
      rewriter.Keep(node);
      continue;
    }
    std::vector<Endpoint> inputs = rewriter.Mapped(node.inputs);
    for (size_t i = 0; i < inputs.size(); ++i)
      if (IsNarrow(graph, node.inputs[i]))
        inputs[i] = CastTo(rewriter.result(), inputs[i], DType::kFloat32);
    const int wide = rewriter.Replace(node, node.spec->name, std::move(inputs), node.attributes).id;
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      const Endpoint from{node.id, static_cast<int>(i)};
      if (!IsNarrow(graph, from)) continue;
      const Endpoint made{wide, static_cast<int>(i)};
      rewriter.Map(from, CastTo(rewriter.result(), made, graph.type(from).dtype));
    }
  }
  return rewriter.Finish();
}

}  // namespace lockstep::distribute
