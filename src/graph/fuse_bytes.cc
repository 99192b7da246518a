// Where products alone take numbers that were made of bytes (images, cast and scaled), they take
// the bytes: these are a quarter of the memory, and a product that leaves zeros out looks at few.

#include <optional>
#include <string>

#include "graph/passes.h"
#include "graph/rewrite.h"
#include "graph/scaled_bytes.h"
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

// The numbers that products alone take, by the node that makes them, and whose they are where they
// have been reshaped; elsewhere nothing.
struct Examples {
  std::vector<std::optional<ScaledBytes>> made;
  std::vector<int> maker;  // of each node's value; -1: none
};

Examples FindExamples(const Graph& graph, const std::vector<int>& uses) {
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
  Examples examples{std::vector<std::optional<ScaledBytes>>(graph.num_nodes()),
                    std::vector<int>(graph.num_nodes(), -1)};
  for (const Node& node : graph.nodes()) {
    if (IsReshape(node)) examples.maker[node.id] = examples.maker[node.inputs[0].node];
    if (uses[node.id] == 0 || taken[node.id] != uses[node.id]) continue;
    if (const auto bytes = ScaledBytesOf(graph, {node.id, 0})) {
      examples.made[node.id] = bytes;
      examples.maker[node.id] = node.id;
    }
  }
  return examples;
}

}  // namespace

Graph FuseBytes(const Graph& graph) {
  const std::vector<int> uses = TimesUsed(graph);
  const Examples examples = FindExamples(graph, uses);
  std::vector<char> inside(graph.num_nodes(), 0);
  for (const auto& bytes : examples.made) {
    if (bytes) inside[bytes->cast] = uses[bytes->cast] == 1;
  }
  Rewriter rewriter(graph);
  for (const Node& node : graph.nodes()) {
    if (inside[node.id]) continue;
    if (const auto& bytes = examples.made[node.id]) {
      rewriter.Map({node.id, 0}, rewriter.Mapped(bytes->bytes));
      continue;
    }
    std::vector<Endpoint> inputs = node.inputs;
    for (const Endpoint& input : node.inputs) {
      const int maker = examples.maker[input.node];
      if (maker >= 0 && !IsReshape(node)) inputs.push_back(examples.made[maker]->scale);
    }
    if (inputs.size() == node.inputs.size() && examples.maker[node.id] < 0) {
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
