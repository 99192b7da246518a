// Attention between transpositions that bring the heads [b, t, h, d] before the positions
// [b, h, t, d] and back becomes an op that takes heads and positions as they lie.

#include <optional>

#include "graph/passes.h"
#include "graph/rewrite.h"

namespace lockstep::graph {

namespace {

// With fewer examples there are not enough rows to divide.
constexpr int64_t kEnoughExamples = 8;

const std::vector<int64_t>& HeadsAndPositions() {
  static const std::vector<int64_t> kSwapped = {0, 2, 1, 3};
  return kSwapped;
}

bool SwapsHeads(const Node& node) {
  return node.spec->name == "Transpose" && node.outputs[0].shape[0] >= kEnoughExamples &&
         node.attributes.Get<std::vector<int64_t>>("perm") == HeadsAndPositions();
}

class HeadsFusion {
 public:
  explicit HeadsFusion(const Graph& graph) : graph_(graph), rewriter_(graph) {}

  Graph Run() {
    for (const Node& node : graph_.nodes()) {
      const std::string& op = node.spec->name;
      const bool done = SwapsHeads(node)                    ? Cancel(node)
                        : op == "ScaledDotProductAttention" ? Fuse(node, "_HeadsAttention", 1)
                        : op == "ScaledDotProductAttentionGrad"
                            ? Fuse(node, "_HeadsAttentionGrad", 3)
                            : false;
      if (!done) rewriter_.Keep(node);
    }
    return rewriter_.Finish();
  }

 private:
  // What `endpoint` of the result is the transposition of.
  std::optional<Endpoint> Swapped(Endpoint endpoint) {
    const Node& node = rewriter_.result().node(endpoint.node);
    if (!SwapsHeads(node)) return std::nullopt;
    return node.inputs[0];
  }

  // Twice transposed is as before.
  bool Cancel(const Node& node) {
    const std::optional<Endpoint> source = Swapped(rewriter_.Mapped(node.inputs[0]));
    if (source) rewriter_.Map({node.id, 0}, *source);
    return source.has_value();
  }

  // The first `swapped` outputs are transposed anew, for those who want them so; with others that
  // transposition cancels, and is pruned.
  bool Fuse(const Node& node, std::string_view op, int swapped) {
    if (!node.control_inputs.empty()) return false;
    std::vector<Endpoint> inputs = rewriter_.Mapped(node.inputs);
    for (size_t i = 0; i < inputs.size(); ++i) {
      if (i == 4) continue;  // the logarithms
      const std::optional<Endpoint> source = Swapped(inputs[i]);
      if (!source) return false;
      inputs[i] = *source;
    }
    Node& fused = rewriter_.result().AddNode(op, std::move(inputs), node.attributes);
    fused.device = node.device;
    const int id = fused.id;
    for (int i = 0; i < static_cast<int>(node.outputs.size()); ++i) {
      Endpoint output = {id, i};
      if (i < swapped) {
        Node& transposed =
            rewriter_.result().AddNode("Transpose", {output}, {{"perm", HeadsAndPositions()}});
        transposed.device = node.device;
        output = {transposed.id, 0};
      }
      rewriter_.Map({node.id, i}, output);
    }
    return true;
  }

  const Graph& graph_;
  Rewriter rewriter_;
};

}  // namespace

Graph FuseHeads(const Graph& graph) { return Prune(HeadsFusion(graph).Run()); }

}  // namespace lockstep::graph
