#include "runtime/graph_dot.h"

namespace lockstep::runtime {

namespace {

std::string Quoted(const std::string& text) {
  std::string result = "\"";
  for (char c : text) {
    if (c == '"' || c == '\\') result += '\\';
    result += c;
  }
  return result + "\"";
}

}  // namespace

std::string GraphToDot(const graph::Graph& graph, const std::string& title) {
  std::string text = "digraph " + Quoted(title) + " {\n  node [shape=box];\n";
  for (const graph::Node& node : graph.nodes()) {
    std::string label = node.name + "\n" + node.spec->name;
    if (!node.device.empty()) label += "\n" + node.device;
    std::string quoted = Quoted(label);
    for (size_t at = 0; (at = quoted.find('\n', at)) != std::string::npos; at += 2) {
      quoted.replace(at, 1, "\\n");
    }
    text += "  n" + std::to_string(node.id) + " [label=" + quoted + "];\n";
  }
  for (const graph::Node& node : graph.nodes()) {
    for (graph::Endpoint input : node.inputs) {
      text += "  n" + std::to_string(input.node) + " -> n" + std::to_string(node.id) +
              " [label=" + Quoted(graph.type(input).ToString()) + "];\n";
    }
    for (int control : node.control_inputs) {
      text += "  n" + std::to_string(control) + " -> n" + std::to_string(node.id) +
              " [style=dashed];\n";
    }
  }
  return text + "}\n";
}

}  // namespace lockstep::runtime
