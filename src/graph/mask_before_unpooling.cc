// The gradient of a maximum pooling of what a rectifier has given lies where the rectifier's output
// equals the pool. So the rectifier's gradient may take away what it does before the elements are
// spread, where there are fewer of them.

#include "graph/passes.h"
#include "graph/rewrite.h"

namespace lockstep::graph {

Graph MaskBeforeUnpooling(const Graph& graph) {
  const std::vector<int> used = TimesUsed(graph);
  // The gradient of the pooling that the mask `node` alone takes, else null.
  const auto masked = [&](const Node& node) -> const Node* {
    if (node.spec->name != "ReluGrad" || !node.control_inputs.empty()) return nullptr;
    const Node& pooling = graph.node(node.inputs[0].node);
    const bool fits = pooling.spec->name == "MaxPoolGrad" && pooling.control_inputs.empty() &&
                      pooling.inputs[0] == node.inputs[1] && used[pooling.id] == 1;
    return fits ? &pooling : nullptr;
  };
  std::vector<char> moved(graph.num_nodes(), 0);
  for (const Node& node : graph.nodes()) {
    if (const Node* pooling = masked(node)) moved[pooling->id] = 1;
  }
  Rewriter rewriter(graph);
  for (const Node& node : graph.nodes()) {
    if (moved[node.id]) continue;
    const Node* pooling = masked(node);
    if (pooling == nullptr) {
      rewriter.Keep(node);
      continue;
    }
    const std::vector<Endpoint> inputs = rewriter.Mapped(pooling->inputs);
    Node& mask = rewriter.result().AddNode("ReluGrad", {inputs[2], inputs[1]}, node.attributes);
    mask.device = node.device;
    const Endpoint gradient = {mask.id, 0};
    Node& spread = rewriter.result().AddNode("MaxPoolGrad", {inputs[0], inputs[1], gradient},
                                             pooling->attributes);
    spread.device = pooling->device;
    rewriter.Map({node.id, 0}, {spread.id, 0});
  }
  return rewriter.Finish();
}

}  // namespace lockstep::graph
