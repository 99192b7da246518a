#pragma once

#include <memory>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "graph/graph.h"
#include "ops/builder.h"

namespace lockstep::graph {

/// A value of a graph that is being traced, as a tensor refers to it.
class SymbolicValue : public TensorObject {
 public:
  SymbolicValue(std::weak_ptr<Graph> graph, Endpoint endpoint)
      : graph_(std::move(graph)), endpoint_(endpoint) {}
  std::shared_ptr<Graph> graph() const { return graph_.lock(); }
  Endpoint endpoint() const { return endpoint_; }

 private:
  std::weak_ptr<Graph> graph_;
  Endpoint endpoint_;
};

/// Thrown for a symbolic tensor that is used where its function is not being traced.
class OutOfScopeError : public Error {
 public:
  OutOfScopeError(std::string_view where, const Tensor& tensor);
};

/// Turns emitted ops into nodes of a graph. Values made outside are captured: concrete tensors and
/// resources as constants, symbolic values of an enclosing trace as further parameters, listed in
/// `captures()` in the order of the parameters that were added for them. A node is on the device
/// that the `Device` scopes around it name.
class Tracer : public ops::Builder {
 public:
  Tracer();
  /// Goes on with a graph that has been traced.
  explicit Tracer(std::shared_ptr<Graph> graph) : graph_(std::move(graph)) {}

  Tensor AddParameter(const ops::TensorType& type);
  std::vector<Tensor> Emit(const ops::OpSpec& spec, const std::vector<Tensor>& inputs,
                           const ops::Attributes& attributes) override;
  /// Every node added while a scope is open waits for `control`.
  void PushControl(std::vector<int> control) { controls_.push_back(std::move(control)); }
  void PopControl() { controls_.pop_back(); }
  /// Sets all open control scopes aside, and puts them back.
  std::vector<std::vector<int>> TakeControls() { return std::exchange(controls_, {}); }
  void PutControls(std::vector<std::vector<int>> controls) { controls_ = std::move(controls); }

  /// Gives a new node the innermost device and the line of the program.
  void Place(Node& node) const;
  /// The endpoint of `value` in this graph; captures it where needed.
  Endpoint EndpointOf(const Tensor& value);
  /// The tensor that stands for the value at `endpoint`; always the same.
  Tensor TensorOf(Endpoint endpoint);
  const std::vector<Tensor>& captures() const { return captures_; }
  /// For the outermost trace, which has no enclosing one. Errors: OutOfScopeError for a capture,
  /// because it belongs to a trace that has ended or that is not around this one.
  void RequireNoCaptures(std::string_view where) const;
  /// The value from outside for which the parameter at `endpoint` was added, else nullptr.
  const Tensor* CapturedAt(Endpoint endpoint) const;
  /// The handle of the variable whose value the parameter at `endpoint` stands for, else nullptr.
  virtual const Tensor* VariableReadAt(Endpoint) const { return nullptr; }
  const std::shared_ptr<Graph>& graph() const { return graph_; }

 private:
  std::shared_ptr<Graph> graph_;
  std::unordered_map<uint64_t, Endpoint> constants_;  // by tensor id
  std::unordered_map<const TensorObject*, Endpoint> resources_;
  std::unordered_map<uint64_t, Endpoint> captured_;
  std::vector<std::vector<Tensor>> tensors_;  // by node and output; undefined until asked for
  std::vector<Tensor> captures_;
  std::unordered_map<int, Tensor> captured_at_;  // by node of the parameter
  std::vector<Tensor> kept_;                     // keeps captured tensors, and so their ids, alive
  std::vector<std::vector<int>> controls_;
};

}  // namespace lockstep::graph
