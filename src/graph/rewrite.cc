#include "graph/rewrite.h"

#include "base/check.h"

namespace lockstep::graph {

std::vector<int> TimesUsed(const Graph& graph) {
  std::vector<int> uses(graph.num_nodes(), 0);
  for (const Node& node : graph.nodes()) {
    for (Endpoint input : node.inputs) ++uses[input.node];
    for (int control : node.control_inputs) ++uses[control];
  }
  for (Endpoint result : graph.results()) ++uses[result.node];
  return uses;
}

Rewriter::Rewriter(const Graph& source) : source_(source), node_map_(source.num_nodes(), -1) {
  for (const Node& node : source.nodes()) map_.emplace_back(node.outputs.size());
}

Node& Rewriter::Keep(const Node& node) {
  int id;
  if (node.spec->name == "Arg") {
    id = result_.AddParameter(node.outputs[0]).node;
  } else {
    id = result_.AddNode(*node.spec, Mapped(node.inputs), node.attributes, node.outputs).id;
  }
  return Finished(node, id);
}

Node& Rewriter::Replace(const Node& node, std::string_view op, std::vector<Endpoint> inputs,
                        const ops::Attributes& attributes) {
  return Finished(node, result_.AddNode(op, std::move(inputs), attributes).id);
}

// What is `id` in the result takes the place of `node`.
Node& Rewriter::Finished(const Node& node, int id) {
  Node& copy = result_.node(id);
  copy.name = node.name;
  copy.device = node.device;
  copy.site = node.site;
  for (int control : node.control_inputs) {
    if (node_map_[control] >= 0) copy.control_inputs.push_back(node_map_[control]);
  }
  node_map_[node.id] = id;
  for (size_t i = 0; i < node.outputs.size(); ++i) map_[node.id][i] = {id, static_cast<int>(i)};
  return copy;
}

void Rewriter::Map(Endpoint from, Endpoint to) {
  map_[from.node][from.index] = to;
  node_map_[from.node] = to.node;
}

Endpoint Rewriter::Mapped(Endpoint from) const {
  const Endpoint to = map_[from.node][from.index];
  LOCKSTEP_CHECK_GE(to.node, 0);
  return to;
}

std::vector<Endpoint> Rewriter::Mapped(const std::vector<Endpoint>& from) const {
  std::vector<Endpoint> to;
  for (Endpoint endpoint : from) to.push_back(Mapped(endpoint));
  return to;
}

Graph Rewriter::Finish() {
  result_.results() = Mapped(source_.results());
  return std::move(result_);
}

}  // namespace lockstep::graph
