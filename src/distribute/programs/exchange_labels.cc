#include "distribute/programs/exchange_labels.h"

#include <algorithm>
#include <vector>

#include "distribute/programs/exchange_nodes.h"
#include "runtime/variable_cell.h"

namespace lockstep::distribute {

namespace {

// The variable that an input names, whole or by rows; nullptr: none.
const runtime::VariableCell* VariableOf(const graph::Graph& graph, graph::Endpoint input) {
  const graph::Node& from = graph.node(input.node);
  if (from.spec->name == "_VariableRows") input = from.inputs[0];
  const Tensor* handle = graph.constant(input);
  if (handle == nullptr || handle->dtype() != DType::kResource) return nullptr;
  return dynamic_cast<const runtime::VariableCell*>(handle->object().get());
}

void AppendNew(std::vector<std::string>& names, const std::string& name) {
  if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
}

// The trainable variables that ops write which follow from `begin`, up to other exchanges.
std::vector<std::string> Updated(const graph::Graph& graph, int begin) {
  std::vector<bool> follows(static_cast<size_t>(graph.num_nodes()), false);
  follows[static_cast<size_t>(begin)] = true;
  std::vector<std::string> names;
  for (int id = begin + 1; id < graph.num_nodes(); ++id) {
    const graph::Node& node = graph.node(id);
    const bool reached = std::any_of(
        node.inputs.begin(), node.inputs.end(),
        [&](graph::Endpoint input) { return follows[static_cast<size_t>(input.node)]; });
    if (!reached || IsExchange(node)) continue;
    follows[static_cast<size_t>(id)] = true;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (!ops::HasBit(node.spec->effects.writes, i)) continue;
      const runtime::VariableCell* cell = VariableOf(graph, node.inputs[i]);
      if (cell != nullptr && cell->trainable()) AppendNew(names, cell->name());
    }
  }
  return names;
}

std::vector<std::string> Gathered(const graph::Graph& graph, const graph::Node& node) {
  std::vector<std::string> names;
  for (graph::Endpoint input : node.inputs)
    if (const auto* cell = VariableOf(graph, input)) AppendNew(names, cell->name());
  return names;
}

}  // namespace

void LabelExchanges(graph::Graph& graph) {
  for (int id = 0; id < graph.num_nodes(); ++id) {
    if (!IsExchange(graph.node(id))) continue;
    const bool gathers = graph.node(id).spec->name == "_GatherVariables";
    const auto names = gathers ? Gathered(graph, graph.node(id)) : Updated(graph, id);
    std::string label;
    if (!names.empty()) {
      label = names[0];
      if (names.size() > 1) label += " and " + std::to_string(names.size() - 1) + " more";
    } else if (!graph.node(id).inputs.empty()) {
      label = graph.node(graph.node(id).inputs[0].node).name;
    }
    graph.node(id).attributes.Set("label", label);
  }
}

}  // namespace lockstep::distribute
