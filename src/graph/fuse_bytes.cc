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

// What each node's value stands for, reshaped or not, where products alone take the numbers.
std::vector<std::optional<ScaledBytes>> FindExamples(const Graph& graph,
                                                     const std::vector<int>& uses) {
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
  std::vector<std::optional<ScaledBytes>> examples(graph.num_nodes());
  for (const Node& node : graph.nodes()) {
    if (IsReshape(node)) {
      examples[node.id] = examples[node.inputs[0].node];
    } else if (uses[node.id] > 0 && taken[node.id] == uses[node.id]) {
      examples[node.id] = ScaledBytesOf(graph, {node.id, 0});
    }
  }
  return examples;
}

}  // namespace

Graph FuseBytes(const Graph& graph) {
  const std::vector<int> uses = TimesUsed(graph);
  const auto examples = FindExamples(graph, uses);
  std::vector<char> inside(graph.num_nodes(), 0);
  for (const auto& bytes : examples) {
    if (bytes) inside[bytes->cast] = uses[bytes->cast] == 1;
  }
  Rewriter rewriter(graph);
  for (const Node& node : graph.nodes()) {
    if (inside[node.id]) continue;
    const auto& made = examples[node.id];
    if (made && !IsReshape(node)) {
      rewriter.Map({node.id, 0}, rewriter.Mapped(made->bytes));
      continue;
    }
    std::vector<Endpoint> inputs = node.inputs;
    for (const Endpoint& input : node.inputs) {
      if (examples[input.node] && !made) inputs.push_back(examples[input.node]->scale);
    }
    if (inputs.size() == node.inputs.size() && !made) {
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
