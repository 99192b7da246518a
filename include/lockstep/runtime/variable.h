#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "lockstep/tensor/tensor.h"

namespace lockstep {

/// How copies of a variable on several replicas are kept together. Source:
/// tf.VariableSynchronization.
enum class VariableSynchronization { kAuto = 0, kNone = 1, kOnWrite = 2, kOnRead = 3 };
/// How values that replicas assign become one. Source: tf.VariableAggregation.
enum class VariableAggregation { kNone = 0, kSum = 1, kMean = 2, kOnlyFirstReplica = 3 };

struct VariableOptions {
  std::string name = "Variable";
  bool trainable = true;
  VariableSynchronization synchronization = VariableSynchronization::kAuto;
  VariableAggregation aggregation = VariableAggregation::kNone;
};

/// A value that changes: a cell with a version. Reading gives a snapshot that no later assignment
/// changes; every assignment publishes a new version. Copying a `Variable` copies the reference.
/// Threads: all members may be called from any thread; each one is atomic.
class Variable {
 public:
  Variable() = default;
  /// Takes a snapshot of `initial`. FailedPrecondition when it is symbolic: inside a traced
  /// function give an initializer instead.
  explicit Variable(const Tensor& initial, VariableOptions options = {});
  /// Calls `initializer` outside of any trace.
  explicit Variable(const std::function<Tensor()>& initializer, VariableOptions options = {});

  bool defined() const { return state_ != nullptr; }
  const std::string& name() const;
  DType dtype() const;
  const Shape& shape() const;
  bool trainable() const;
  const VariableOptions& options() const;
  /// Counts the assignments.
  uint64_t version() const;

  /// The value now (eager) or when the graph gets here (traced); watched by tapes.
  Tensor value() const;
  operator Tensor() const { return value(); }  // NOLINT: a variable reads like a tensor

  /// Assign, and return the new value. InvalidArgument when dtype or shape do not fit.
  Tensor Assign(const Tensor& value) const;
  Tensor AssignAdd(const Tensor& delta) const;
  Tensor AssignSub(const Tensor& delta) const;

  /// The tensor of dtype resource by which ops name this variable.
  const Tensor& handle() const;

 private:
  struct State;
  std::shared_ptr<State> state_;
};

}  // namespace lockstep
