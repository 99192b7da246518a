// Where products alone take examples that were made of bytes, they take the bytes: these are a
// quarter of the memory, and a product that leaves zeros out looks at few of them twice.

#include <string>

#include "graph/passes.h"
#include "graph/rewrite.h"
#include "ops/training.h"

namespace lockstep::graph {

namespace {

bool IsProductOf(const Node& node, int input) {
  const std::string& op = node.spec->name;
  return input == 0 && (op == "MatMul" || op == "_FusedMatMul") &&
         !node.attributes.GetOr<bool>("transpose_a", false) &&
         !node.attributes.GetOr<bool>("transpose_b", false);
}

// An update that makes its gradient of the examples in `input`.
bool IsUpdateOf(const Node& node, int input) {
  return node.spec->name.starts_with("_ProductResourceApply") &&
         input == 1 + ops::RuleOf(node.spec->name).slots;
}

bool IsReshape(const Node& node) { return node.spec->name == "Reshape"; }

// The node that makes the numbers of the examples that each node has, reshaped or not, if all that
// take them can take bytes; else null.
std::vector<const Node*> MakersOfBytes(const Graph& graph) {
  const std::vector<int> uses = TimesUsed(graph);
  std::vector<int> taken(graph.num_nodes(), 0);
  for (int id = graph.num_nodes() - 1; id >= 0; --id) {
    const Node& node = graph.node(id);
    const bool passes_on = IsReshape(node) && uses[id] > 0 && taken[id] == uses[id];
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const int input = static_cast<int>(i);
      const bool takes = IsProductOf(node, input) || IsUpdateOf(node, input);
      taken[node.inputs[i].node] += takes || (passes_on && input == 0);
    }
  }
  std::vector<const Node*> makers(graph.num_nodes(), nullptr);
  for (const Node& node : graph.nodes()) {
    if (IsReshape(node)) makers[node.id] = makers[node.inputs[0].node];
    if (node.spec->name == "_GatherScaled" && taken[node.id] == uses[node.id])
      makers[node.id] = &node;
  }
  return makers;
}

}  // namespace

Graph FuseBytes(const Graph& graph) {
  const std::vector<const Node*> makers = MakersOfBytes(graph);
  Rewriter rewriter(graph);
  for (const Node& node : graph.nodes()) {
    if (makers[node.id] == &node) {
      const std::vector<Endpoint> rows = {node.inputs[0], node.inputs[1]};
      rewriter.Replace(node, "_GatherBytes", rewriter.Mapped(rows), node.attributes).name =
          "_GatherBytes_" + std::to_string(node.id);
      continue;
    }
    std::vector<Endpoint> inputs = node.inputs;
    for (const Endpoint& input : node.inputs) {
      const Node* maker = makers[input.node];
      if (maker != nullptr && !IsReshape(node)) inputs.push_back(maker->inputs[2]);
    }
    if (inputs.size() == node.inputs.size() && makers[node.id] == nullptr) {
      rewriter.Keep(node);
      continue;
    }
    const bool product = IsProductOf(node, 0);
    const std::string op = product ? "_ScaledMatMul" : node.spec->name;
    Node& taker = rewriter.Replace(node, op, rewriter.Mapped(inputs), node.attributes);
    if (product) taker.name = op + "_" + std::to_string(node.id);
  }
  return rewriter.Finish();
}

}  // namespace lockstep::graph
