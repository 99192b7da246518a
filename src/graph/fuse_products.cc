// MatMul or Conv2D, then BiasAdd, then perhaps Relu, when nobody else looks in between, becomes one
// op whose kernel adds the bias and clips before a value leaves the registers.

#include "graph/passes.h"
#include "graph/rewrite.h"

namespace lockstep::graph {

namespace {

struct Uses {
  std::vector<int> count;     // by node: uses of output 0
  std::vector<int> consumer;  // one node that uses it
};

Uses CountUses(const Graph& graph) {
  Uses uses{std::vector<int>(graph.num_nodes(), 0), std::vector<int>(graph.num_nodes(), -1)};
  for (const Node& node : graph.nodes()) {
    for (Endpoint input : node.inputs) {
      ++uses.count[input.node];
      uses.consumer[input.node] = node.id;
    }
  }
  for (Endpoint result : graph.results()) uses.count[result.node] += 2;
  return uses;
}

// The node that alone consumes `id`, if it is a `op` with `id` as its input 0, else -1.
int OnlyConsumer(const Graph& graph, const Uses& uses, int id, std::string_view op) {
  if (uses.count[id] != 1) return -1;
  const Node& consumer = graph.node(uses.consumer[id]);
  return consumer.spec->name == op && consumer.inputs[0] == Endpoint{id, 0} ? consumer.id : -1;
}

}  // namespace

Graph FuseProducts(const Graph& graph) {
  const Uses uses = CountUses(graph);
  std::vector<int> product_of(graph.num_nodes(), -1);  // last node of a chain -> its product
  std::vector<char> inside(graph.num_nodes(), 0);
  for (const Node& node : graph.nodes()) {
    if (node.spec->name != "MatMul" && node.spec->name != "Conv2D") continue;
    if (node.outputs[0].dtype != DType::kFloat32) continue;
    const int bias = OnlyConsumer(graph, uses, node.id, "BiasAdd");
    if (bias < 0) continue;
    const int relu = OnlyConsumer(graph, uses, bias, "Relu");
    inside[node.id] = 1;
    if (relu >= 0) inside[bias] = 1;
    product_of[relu >= 0 ? relu : bias] = node.id;
  }
  Rewriter rewriter(graph);
  for (const Node& node : graph.nodes()) {
    if (inside[node.id]) continue;
    const int product = product_of[node.id];
    if (product < 0) {
      rewriter.Keep(node);
      continue;
    }
    const Node& source = graph.node(product);
    const bool relu = node.spec->name == "Relu";
    const Node& bias = relu ? graph.node(node.inputs[0].node) : node;
    std::vector<Endpoint> inputs = rewriter.Mapped(source.inputs);
    inputs.push_back(rewriter.Mapped(bias.inputs[1]));
    ops::Attributes attributes = source.attributes;
    attributes.Set("fused_ops", std::string(relu ? "bias,relu" : "bias"));
    Node& fused =
        rewriter.result().AddNode(source.spec->name == "MatMul" ? "_FusedMatMul" : "_FusedConv2D",
                                  std::move(inputs), std::move(attributes));
    fused.device = source.device;
    rewriter.Map({node.id, 0}, {fused.id, 0});
  }
  return rewriter.Finish();
}

}  // namespace lockstep::graph
