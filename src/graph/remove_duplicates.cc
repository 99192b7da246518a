#include <string>
#include <unordered_map>

#include "graph/passes.h"
#include "graph/rewrite.h"

namespace lockstep::graph {

namespace {

// Equal for nodes that compute the same.
std::string KeyOf(const Node& node, const std::vector<Endpoint>& inputs) {
  std::string key = node.spec->name + "|" + node.device + "|" + node.attributes.Signature() + "|";
  for (Endpoint input : inputs)
    key += std::to_string(input.node) + ":" + std::to_string(input.index) + ",";
  for (const auto& output : node.outputs) key += output.ToString();
  return key;
}

bool MayJoin(const Node& node) {
  return !node.spec->stateful() && node.control_inputs.empty() && node.spec->name != "Arg";
}

}  // namespace

Graph RemoveDuplicates(const Graph& graph) {
  Rewriter rewriter(graph);
  std::unordered_map<std::string, int> known;  // key -> node of the result
  for (const Node& node : graph.nodes()) {
    if (!MayJoin(node)) {
      rewriter.Keep(node);
      continue;
    }
    const auto [place, fresh] = known.try_emplace(KeyOf(node, rewriter.Mapped(node.inputs)), -1);
    if (fresh) {
      place->second = rewriter.Keep(node).id;
      continue;
    }
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      rewriter.Map({node.id, static_cast<int>(i)}, {place->second, static_cast<int>(i)});
    }
  }
  return rewriter.Finish();
}

}  // namespace lockstep::graph
