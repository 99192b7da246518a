// A weight's gradient that only its update takes, as a product over examples, is made inside the
// update, block by block: it is never written to memory.

#include <string>

#include "graph/passes.h"
#include "graph/rewrite.h"
#include "ops/training.h"

namespace lockstep::graph {

namespace {

// With more examples a product is better blocked by its depth.
constexpr int64_t kMostExamples = 512;

const ops::UpdateRule* RuleOf(const Node& node) {
  for (const ops::UpdateRule& rule : ops::kUpdateRules) {
    if (node.spec->name == rule.op) return &rule;
  }
  return nullptr;
}

bool IsSumOverExamples(const Graph& graph, const Node& node) {
  if (node.spec->name != "MatMul" || !node.control_inputs.empty()) return false;
  if (!node.attributes.GetOr<bool>("transpose_a", false)) return false;
  if (node.attributes.GetOr<bool>("transpose_b", false)) return false;
  const DType dtype = node.outputs[0].dtype;
  const Shape& a = graph.type(node.inputs[0]).shape;
  return (dtype == DType::kFloat32 || dtype == DType::kFloat64) && a[0] <= kMostExamples;
}

// The product that may move into the update `node`, else -1.
int ProductOf(const Graph& graph, const std::vector<int>& uses, const Node& node) {
  const ops::UpdateRule* rule = RuleOf(node);
  if (rule == nullptr || rule->direction) return -1;
  if ((node.attributes.GetOr<int64_t>("extras", 0) & ops::kUpdateMoment) != 0) return -1;
  const Node& product = graph.node(node.inputs[1 + rule->slots].node);
  if (uses[product.id] != 1 || product.device != node.device) return -1;
  return IsSumOverExamples(graph, product) ? product.id : -1;
}

}  // namespace

Graph FuseUpdates(const Graph& graph) {
  const std::vector<int> uses = TimesUsed(graph);
  std::vector<int> product_of(graph.num_nodes(), -1);
  std::vector<char> inside(graph.num_nodes(), 0);
  for (const Node& node : graph.nodes()) {
    product_of[node.id] = ProductOf(graph, uses, node);
    if (product_of[node.id] >= 0) inside[product_of[node.id]] = 1;
  }
  Rewriter rewriter(graph);
  for (const Node& node : graph.nodes()) {
    if (inside[node.id]) continue;
    if (product_of[node.id] < 0) {
      rewriter.Keep(node);
      continue;
    }
    const Node& product = graph.node(product_of[node.id]);
    std::vector<Endpoint> inputs = node.inputs;
    inputs[1 + RuleOf(node)->slots] = product.inputs[0];
    inputs.push_back(product.inputs[1]);
    Node& fused = rewriter.Replace(node, "_Product" + node.spec->name, rewriter.Mapped(inputs),
                                   node.attributes);
    fused.name = node.spec->name + "OfProduct_" + std::to_string(node.id);
    if (const auto* leaves = product.attributes.Find("leaves")) {
      fused.attributes.Set("leaves", *leaves);
    }
  }
  return rewriter.Finish();
}

}  // namespace lockstep::graph
