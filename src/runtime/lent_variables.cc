#include "runtime/lent_variables.h"

#include <algorithm>
#include <map>
#include <memory>
#include <vector>

#include "graph/bodies.h"
#include "graph/rewrite.h"
#include "lockstep/graph/device.h"
#include "runtime/body_tracer.h"
#include "runtime/graph_builder.h"
#include "runtime/session_callable.h"

namespace lockstep::runtime {

namespace {

using graph::Endpoint;
using graph::Node;

// The variables that a graph names, bodies included, each once.
void CollectHandles(const graph::Graph& graph, std::vector<Tensor>* handles) {
  for (const Node& node : graph.nodes()) {
    const Tensor* constant = graph.constant({node.id, 0});
    if (constant != nullptr && AsGraphVariable(*constant) != nullptr &&
        std::none_of(handles->begin(), handles->end(),
                     [&](const Tensor& known) { return known.object() == constant->object(); }))
      handles->push_back(*constant);
    for (const graph::Graph* body : graph::BodiesOf(node.attributes))
      CollectHandles(*body, handles);
  }
}

std::string TaskOf(const std::string& device) {
  DeviceSpec spec = DeviceSpec::Parse(device).OrThrow();
  spec.type.reset();
  spec.index.reset();
  return spec.ToString();
}

int64_t BytesOf(const Tensor& handle) {
  return handle.shape().num_elements() * static_cast<int64_t>(DTypeSize(handle.element_dtype()));
}

class Lender {
 public:
  Lender(const graph::Graph& graph, const graph::PlacementOptions& devices, Consistency consistency)
      : graph_(graph), devices_(devices), consistency_(consistency), rewriter_(graph) {}

  graph::Graph Run() {
    for (const Node& node : graph_.nodes()) {
      std::vector<Tensor> handles;
      for (const graph::Graph* body : graph::BodiesOf(node.attributes))
        CollectHandles(*body, &handles);
      if (handles.empty()) {
        rewriter_.Keep(node);
      } else {
        Lend(node, handles);
      }
    }
    return rewriter_.Finish();
  }

 private:
  struct Loan {
    Tensor own, lent;
    std::string device;  // of the owner
    bool written = false;
  };

  // Where variables are that nothing but their own scopes binds.
  std::vector<std::string> DevicesOf(const std::vector<Tensor>& handles) const {
    graph::Graph question;
    for (const Tensor& handle : handles) {
      const Endpoint e = question.AddConstant(handle);
      question.node(e.node).name = AsGraphVariable(handle)->name;
      question.node(e.node).device = AsGraphVariable(handle)->device;
    }
    std::vector<std::string> devices;
    for (const graph::PlacedNode& placed : graph::Place(&question, devices_))
      devices.push_back(placed.device);
    return devices;
  }

  void Lend(const Node& node, const std::vector<Tensor>& handles) {
    const std::vector<std::string> devices = DevicesOf(handles);
    ResourceSet writes;
    for (const graph::Graph* body : graph::BodiesOf(node.attributes)) CollectWrites(*body, &writes);
    std::map<std::string, int64_t> bytes;
    for (size_t i = 0; i < handles.size(); ++i) {
      const bool written = writes.contains(handles[i].object().get());
      bytes[TaskOf(devices[i])] += written ? 1 + BytesOf(handles[i]) : 0;
    }
    std::string home = devices[0];
    for (const std::string& device : devices)
      if (bytes[TaskOf(device)] > bytes[TaskOf(home)]) home = device;
    if (bytes.size() == 1) {
      rewriter_.Keep(node).device = home;
      return;
    }
    std::vector<Loan> loans;
    for (size_t i = 0; i < handles.size(); ++i) {
      if (TaskOf(devices[i]) == TaskOf(home)) continue;
      loans.push_back({handles[i], Lent(handles[i], node, home), devices[i],
                       writes.contains(handles[i].object().get())});
    }
    RefuseRelaxed(node, loans, home);
    CarryOut(node, loans, home);
  }

  static Tensor Lent(const Tensor& handle, const Node& node, const std::string& home) {
    auto lent = std::make_shared<GraphVariable>(*AsGraphVariable(handle));
    lent->name += "/lent_to/" + node.name;
    lent->device = home;
    return Tensor::FromObject(std::move(lent), DType::kResource, handle.shape(),
                              handle.element_dtype());
  }

  void RefuseRelaxed(const Node& node, const std::vector<Loan>& loans,
                     const std::string& home) const {
    if (consistency_ != Consistency::kRelaxed) return;
    for (const Loan& loan : loans) {
      if (!loan.written) continue;
      throw Error(
          Code::kFailedPrecondition,
          "[session] in a relaxed run a branch or loop writes variables of one task; got '" +
              node.name + "' on " + TaskOf(home) + ", which writes '" +
              AsGraphVariable(loan.own)->name + "' of " + TaskOf(loan.device) +
              "; run it with Consistency::kSerializable, or write what it gives behind it");
    }
  }

  // Adds an op of `node`'s making.
  Node& Add(const Node& node, const char* op, std::vector<Endpoint> inputs,
            const std::string& device, const std::string& name) {
    Node& added = rewriter_.result().AddNode(op, std::move(inputs));
    added.device = device;
    added.name = name;
    added.site = node.site;
    return added;
  }
  Endpoint AddHandle(const Tensor& handle, const std::string& device) {
    const Endpoint e = rewriter_.result().AddConstant(handle);
    rewriter_.result().node(e.node).name = AsGraphVariable(handle)->name;
    rewriter_.result().node(e.node).device = device;
    return e;
  }

  void CarryOut(const Node& node, const std::vector<Loan>& loans, const std::string& home) {
    std::vector<int> lendings;
    std::vector<Endpoint> borrowed;
    for (const Loan& loan : loans) {
      const std::string& name = AsGraphVariable(loan.lent)->name;
      const Endpoint own = AddHandle(loan.own, loan.device);
      const Endpoint value{Add(node, "ReadVariableOp", {own}, loan.device, name + "/Lend").id, 0};
      const Endpoint lent = AddHandle(loan.lent, home);
      lendings.push_back(Add(node, "AssignVariableOp", {lent, value}, home, name + "/Borrow").id);
      borrowed.push_back(lent);
    }
    const graph::Graph inner = WithLoans(node, loans);
    Node& kept = rewriter_.Keep(node);
    kept.attributes = inner.node(0).attributes;
    kept.device = home;
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      const Tensor* named = graph_.constant(node.inputs[i]);
      for (size_t k = 0; named != nullptr && k < loans.size(); ++k)
        if (loans[k].own.object() == named->object()) kept.inputs[i] = borrowed[k];
    }
    kept.control_inputs.insert(kept.control_inputs.end(), lendings.begin(), lendings.end());
    const int done = kept.id;
    for (const Loan& loan : loans) {
      if (!loan.written) continue;
      const std::string& name = AsGraphVariable(loan.lent)->name;
      const Endpoint lent = AddHandle(loan.lent, home);
      Node& read = Add(node, "ReadVariableOp", {lent}, home, name + "/Return");
      read.control_inputs.push_back(done);
      const Endpoint value{read.id, 0};
      const Endpoint own = AddHandle(loan.own, loan.device);
      Add(node, "AssignVariableOp", {own, value}, loan.device, name + "/TakeBack");
    }
  }

  // A graph of the node alone, in whose bodies the lent variables stand for the others.
  static graph::Graph WithLoans(const Node& node, const std::vector<Loan>& loans) {
    graph::Graph alone;
    alone.AddNode(*node.spec, {}, node.attributes, node.outputs);
    return WithResources(alone, [&](const Tensor& handle) {
      for (const Loan& loan : loans)
        if (loan.own.object() == handle.object()) return loan.lent;
      return Tensor();
    });
  }

  const graph::Graph& graph_;
  const graph::PlacementOptions& devices_;
  const Consistency consistency_;
  graph::Rewriter rewriter_;
};

}  // namespace

graph::Graph LendVariables(const graph::Graph& graph, const graph::PlacementOptions& devices,
                           Consistency consistency) {
  return Lender(graph, devices, consistency).Run();
}

}  // namespace lockstep::runtime
