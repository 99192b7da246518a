#include "runtime/replica.h"

#include <algorithm>
#include <atomic>
#include <memory>
#include <set>

#include "graph/bodies.h"
#include "runtime/variable_cell.h"

namespace lockstep::runtime {

namespace {

thread_local int current_replica = -1;

std::atomic<uint64_t>& Layout() {
  static std::atomic<uint64_t> layout{0};
  return layout;
}

const ReplicaCells* CellsOf(const graph::Node& node) {
  if (node.spec->name != "Const") return nullptr;
  const Tensor& value = node.attributes.Get<Tensor>("value");
  return dynamic_cast<const ReplicaCells*>(value.object().get());
}

void AddCopiesIn(const graph::Graph& graph, std::vector<std::vector<Tensor>>* found) {
  const auto add = [found](const std::vector<Tensor>& copies) {
    const bool known = std::any_of(found->begin(), found->end(), [&](const auto& others) {
      return others[0].object() == copies[0].object();
    });
    if (!known) found->push_back(copies);
  };
  for (const graph::Node& node : graph.nodes()) {
    if (const ReplicaCells* cells = CellsOf(node)) {
      add(cells->handles());
    } else if (node.spec->name == "Const") {
      const Tensor& value = node.attributes.Get<Tensor>("value");
      if (dynamic_cast<const VariableCell*>(value.object().get()) != nullptr) add({value});
    }
    for (const graph::Graph* body : graph::BodiesOf(node.attributes)) AddCopiesIn(*body, found);
  }
}

}  // namespace

std::vector<std::vector<Tensor>> CopiesIn(const graph::Graph& graph) {
  std::vector<std::vector<Tensor>> found;
  AddCopiesIn(graph, &found);
  return found;
}

std::vector<Tensor> VariablesIn(const graph::Graph& graph) {
  std::vector<Tensor> all;
  std::set<const void*> known;
  for (const std::vector<Tensor>& copies : CopiesIn(graph)) {
    for (const Tensor& handle : copies)
      if (known.insert(handle.object().get()).second) all.push_back(handle);
  }
  return all;
}

int CurrentReplica() { return current_replica; }

ReplicaNumberScope::ReplicaNumberScope(int replica) : outer_(current_replica) {
  current_replica = replica;
}
ReplicaNumberScope::~ReplicaNumberScope() { current_replica = outer_; }

bool HasReplicaCells(const graph::Graph& graph) {
  for (const graph::Node& node : graph.nodes()) {
    if (CellsOf(node) != nullptr) return true;
    for (const graph::Graph* body : graph::BodiesOf(node.attributes))
      if (HasReplicaCells(*body)) return true;
  }
  return false;
}

bool ReplicasMeetIn(const graph::Graph& graph) {
  for (const graph::Node& node : graph.nodes()) {
    if (node.spec->meets) return true;
    if (node.spec->name == "ReplicaRun") continue;
    for (const graph::Graph* body : graph::BodiesOf(node.attributes))
      if (ReplicasMeetIn(*body)) return true;
  }
  return false;
}

graph::Graph ForReplica(const graph::Graph& graph, int replica) {
  graph::Graph result = graph;
  for (int id = 0; id < result.num_nodes(); ++id) {
    graph::Node& node = result.node(id);
    if (const ReplicaCells* cells = CellsOf(node)) {
      node.attributes.Set("value", cells->handles()[replica]);
      continue;
    }
    const std::vector<ops::Attributes::Entry> entries = node.attributes.entries();
    for (const auto& [name, value] : entries) {
      const graph::Graph* body = graph::BodyIn(value);
      if (body == nullptr || !HasReplicaCells(*body)) continue;
      node.attributes.Set(name, std::shared_ptr<TensorObject>(
                                    std::make_shared<graph::Graph>(ForReplica(*body, replica))));
    }
  }
  return result;
}

uint64_t VariableLayout() { return Layout().load(std::memory_order_acquire); }
void ChangeVariableLayout() { Layout().fetch_add(1, std::memory_order_acq_rel); }

}  // namespace lockstep::runtime
