#include "remote/beside_variables.h"

#include <set>
#include <string>

#include "graph/bodies.h"
#include "ops/training.h"
#include "runtime/graph_builder.h"

namespace lockstep::remote {

namespace {

class Beside {
 public:
  explicit Beside(graph::Graph& graph) : graph_(graph), users_(graph.num_nodes()) {}

  void Run() {
    for (int id = 0; id < graph_.num_nodes(); ++id) TakeVariables(&graph_.node(id));
    for (int id = 0; id < graph_.num_nodes(); ++id) TakeRows(&graph_.node(id));
    for (graph::Endpoint result : graph_.results()) fetched_.insert(result.node);
    for (int id = graph_.num_nodes() - 1; id >= 0; --id) JoinUpdates(&graph_.node(id));
  }

 private:
  // A variable, and the ops that touch it.
  void TakeVariables(graph::Node* node) {
    const Tensor* constant = graph_.constant({node->id, 0});
    if (constant != nullptr && constant->dtype() == DType::kResource) {
      const runtime::GraphVariable* variable = runtime::AsGraphVariable(*constant);
      if (variable == nullptr) return;
      node->device = variable->device;
      if (node->name.empty()) node->name = variable->name;
    }
    for (graph::Endpoint input : node->inputs) {
      if (graph_.type(input).dtype == DType::kResource) {
        node->device = graph_.node(input.node).device;
      }
      users_[input.node].push_back(node->id);
    }
  }

  void TakeRows(graph::Node* node) {
    if (!node->device.empty() || node->spec->name != "GatherV2") return;
    const graph::Node& table = graph_.node(node->inputs[0].node);
    if (table.spec->name == "ReadVariableOp") node->device = table.device;
  }

  void JoinUpdates(graph::Node* node) {
    if (!node->device.empty() || users_[node->id].empty() || fetched_.contains(node->id)) return;
    if (node->inputs.empty() || node->spec->stateful() || Computes(*node)) return;
    const std::string& device = graph_.node(users_[node->id][0]).device;
    if (device.empty()) return;
    for (int user : users_[node->id]) {
      if (graph_.node(user).device != device) return;
    }
    int64_t come = 0, saved = 0;
    for (graph::Endpoint input : node->inputs) {
      if (graph_.constant(input) != nullptr) continue;
      (graph_.node(input.node).device == device ? saved : come) += Bytes(graph_.type(input));
    }
    for (const ops::TensorType& type : node->outputs) saved += Bytes(type);
    if (come <= saved) node->device = device;
  }

  static bool Computes(const graph::Node& node) {
    for (const char* part : {"MatMul", "Conv", "Einsum", "Attention", "While", "If"}) {
      if (node.spec->name.find(part) != std::string::npos) return true;
    }
    return false;
  }
  static int64_t Bytes(const ops::TensorType& type) {
    auto bytes = static_cast<int64_t>(DTypeSize(type.dtype));
    if (!type.shape.ranked()) return bytes;
    for (int64_t size : type.shape.sizes()) bytes *= std::max<int64_t>(size, 1);
    return bytes;
  }

  graph::Graph& graph_;
  std::vector<std::vector<int>> users_;
  std::set<int> fetched_;
};

using Handles = std::set<const TensorObject*>;

void FindAccesses(const graph::Graph& graph, Handles* read, Handles* overwritten) {
  for (const graph::Node& node : graph.nodes()) {
    for (const graph::Graph* body : graph::BodiesOf(node.attributes))
      FindAccesses(*body, read, overwritten);
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const Tensor* handle = graph.constant(node.inputs[i]);
      if (handle == nullptr || handle->dtype() != DType::kResource) continue;
      const bool writes = ops::HasBit(node.spec->effects.writes, i);
      const bool reads = ops::HasBit(node.spec->effects.reads, i);
      // An optimizer's rule makes the value of the one that it finds.
      if (writes && !reads && ops::FindRule(node.spec->name) == nullptr)
        overwritten->insert(handle->object().get());
      if (!writes) read->insert(handle->object().get());
    }
  }
}

}  // namespace

RunMode HoldingOf(const graph::Graph& graph) {
  Handles read, overwritten;
  FindAccesses(graph, &read, &overwritten);
  for (const TensorObject* resource : overwritten) {
    if (read.contains(resource)) return RunMode::kSerializable;
  }
  return RunMode::kLate;
}

void PlaceBesideVariables(graph::Graph* graph) { Beside(*graph).Run(); }

}  // namespace lockstep::remote
