// Examples taken from a table of bytes (images), cast to float32 and multiplied by a scalar, become
// one op, whose kernel reads and writes each element once.

#include "graph/passes.h"
#include "graph/rewrite.h"
#include "graph/scaled_bytes.h"

namespace lockstep::graph {

namespace {

// The gather whose bytes `cast` makes numbers of, if nobody else takes them.
const Node* GatherOf(const Graph& graph, const std::vector<int>& uses, const Node& cast) {
  const Node& gather = graph.node(cast.inputs[0].node);
  if (gather.spec->name != "GatherV2" || uses[gather.id] != 1 || !gather.control_inputs.empty())
    return nullptr;
  const ops::Attributes& attributes = gather.attributes;
  const bool rows = attributes.GetOr<int64_t>("axis", 0) == 0 &&
                    attributes.GetOr<int64_t>("batch_dims", 0) == 0 &&
                    !attributes.GetOr("drop_negative", false);
  return rows ? &gather : nullptr;
}

// The chain that ends in a product with a scalar.
struct Chain {
  const Node* gather = nullptr;
  const Node* cast = nullptr;
  Endpoint scale;
};

Chain ChainOf(const Graph& graph, const std::vector<int>& uses, const Node& node) {
  const auto bytes = ScaledBytesOf(graph, {node.id, 0});
  if (!bytes || uses[bytes->cast] != 1) return {};
  const Node& cast = graph.node(bytes->cast);
  const Node* gather = GatherOf(graph, uses, cast);
  return gather == nullptr ? Chain() : Chain{gather, &cast, bytes->scale};
}

}  // namespace

Graph FuseGathers(const Graph& graph) {
  const std::vector<int> uses = TimesUsed(graph);
  std::vector<Chain> chains(graph.num_nodes());
  std::vector<char> inside(graph.num_nodes(), 0);
  for (const Node& node : graph.nodes()) {
    chains[node.id] = ChainOf(graph, uses, node);
    if (chains[node.id].gather == nullptr) continue;
    inside[chains[node.id].gather->id] = inside[chains[node.id].cast->id] = 1;
  }
  Rewriter rewriter(graph);
  for (const Node& node : graph.nodes()) {
    if (inside[node.id]) continue;
    const Chain& chain = chains[node.id];
    if (chain.gather == nullptr) {
      rewriter.Keep(node);
      continue;
    }
    const std::vector<Endpoint> inputs = rewriter.Mapped(
        std::vector<Endpoint>{chain.gather->inputs[0], chain.gather->inputs[1], chain.scale});
    rewriter.Replace(node, "_GatherScaled", inputs, chain.gather->attributes).name =
        "_GatherScaled_" + std::to_string(node.id);
  }
  return rewriter.Finish();
}

}  // namespace lockstep::graph
