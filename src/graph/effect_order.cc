#include "graph/effect_order.h"

#include <algorithm>
#include <map>

#include "graph/bodies.h"

namespace lockstep::graph {

namespace {

// A variable: what a constant handle names, or a parameter.
struct Resource {
  const TensorObject* object = nullptr;
  int parameter = -1;
  auto operator<=>(const Resource&) const = default;
};

struct Touched {
  std::map<Resource, bool> writes;  // by resource: whether it is written
  bool external = false;
  void Add(const Resource& resource, bool write) { writes[resource] |= write; }
};

Resource ResourceAt(const Graph& graph, Endpoint endpoint) {
  const Node* node = &graph.node(endpoint.node);
  while (node->spec->view && !node->inputs.empty()) node = &graph.node(node->inputs[0].node);
  if (const Tensor* constant = graph.constant({node->id, 0})) return {constant->object().get(), -1};
  if (node->spec->name == "Arg") {
    return {nullptr, static_cast<int>(node->attributes.Get<int64_t>("index"))};
  }
  return {};
}

Touched TouchedBy(const Graph& graph, const Node& node) {
  Touched touched;
  const std::vector<const Graph*> bodies = BodiesOf(node.attributes);
  for (const Graph* body : bodies) {
    // Behind the predicate of an `If`; a `While` gives all its inputs.
    const size_t first = node.spec->name == "If" ? 1 : 0;
    for (const Node& inside : body->nodes()) {
      const Touched more = TouchedBy(*body, inside);
      touched.external |= more.external;
      for (const auto& [resource, write] : more.writes) {
        if (resource.parameter < 0) {
          touched.Add(resource, write);
        } else if (first + resource.parameter < node.inputs.size()) {
          touched.Add(ResourceAt(graph, node.inputs[first + resource.parameter]), write);
        }
      }
    }
  }
  const ops::Effects& effects = node.spec->effects;
  touched.external |= effects.external && bodies.empty();
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (graph.type(node.inputs[i]).dtype != DType::kResource) continue;
    const bool writes = ops::HasBit(effects.writes, i);
    if (writes || ops::HasBit(effects.reads, i))
      touched.Add(ResourceAt(graph, node.inputs[i]), writes);
  }
  return touched;
}

}  // namespace

std::vector<std::vector<int>> EffectOrder(const Graph& graph) {
  struct Last {
    int write = -1;
    std::vector<int> reads;
  };
  std::map<Resource, Last> last;
  int outside = -1;
  std::vector<std::vector<int>> after(graph.num_nodes());
  for (const Node& node : graph.nodes()) {
    const Touched touched = TouchedBy(graph, node);
    std::vector<int>& controls = after[node.id];
    for (const auto& [resource, write] : touched.writes) {
      Last& before = last[resource];
      if (before.write >= 0) controls.push_back(before.write);
      if (!write) {
        before.reads.push_back(node.id);
        continue;
      }
      controls.insert(controls.end(), before.reads.begin(), before.reads.end());
      before = {node.id, {}};
    }
    if (touched.external) {
      if (outside >= 0) controls.push_back(outside);
      outside = node.id;
    }
    std::sort(controls.begin(), controls.end());
    controls.erase(std::unique(controls.begin(), controls.end()), controls.end());
  }
  return after;
}

std::vector<std::vector<int>> AssignedReads(const Graph& graph) {
  std::vector<std::vector<int>> after(graph.num_nodes());
  for (int id = 1; id < graph.num_nodes(); ++id) {
    const Node& read = graph.node(id);
    const Node& write = graph.node(id - 1);
    if (read.spec->name != "ReadVariableOp" || !(write.spec->effects.writes & 1)) continue;
    if (read.inputs[0] == write.inputs[0]) after[id].push_back(write.id);
  }
  return after;
}

}  // namespace lockstep::graph
