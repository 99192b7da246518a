#pragma once

#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <source_location>
#include <string>
#include <vector>

#include "lockstep/ops/array.h"
#include "lockstep/tensor/tensor.h"

namespace lockstep {

/// How copies of a variable on several replicas are kept together. Source:
/// tf.VariableSynchronization.
enum class VariableSynchronization { kAuto = 0, kNone = 1, kOnWrite = 2, kOnRead = 3 };
/// How values that replicas assign become one. Source: tf.VariableAggregation.
enum class VariableAggregation { kNone = 0, kSum = 1, kMean = 2, kOnlyFirstReplica = 3 };

struct VariableOptions {
  std::string name = "Variable";
  /// Without a value: true, but false for ON_READ.
  std::optional<bool> trainable = {};
  VariableSynchronization synchronization = VariableSynchronization::kAuto;
  VariableAggregation aggregation = VariableAggregation::kNone;
  /// Whether a layer that computes in another floating dtype reads the value in that one.
  bool autocast = false;
  /// Whether each replica that assigns it has a copy, under every strategy: what layers count and
  /// average for themselves. Else one that keeps a single copy refuses that without an aggregation.
  bool copies = false;
};

namespace runtime {
class VariableState;
}

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

  /// For strategies, which have kinds of their own.
  explicit Variable(std::shared_ptr<runtime::VariableState> state) : state_(std::move(state)) {}

  bool defined() const { return state_ != nullptr; }
  const std::string& name() const;
  DType dtype() const;
  const Shape& shape() const;
  bool trainable() const;
  const VariableOptions& options() const;
  /// Counts the assignments.
  uint64_t version() const;

  // `where` is the line that a report of races names; nobody gives it.

  /// The value now (eager) or when the graph gets here (traced); watched by tapes.
  Tensor value(std::source_location where = std::source_location::current()) const;
  operator Tensor() const {  // NOLINT: a variable reads like a tensor
    return value(std::source_location());
  }

  /// Assign, and return the new value. InvalidArgument when dtype or shape do not fit. Under a
  /// strategy what happens follows from synchronization, aggregation and where this is called; see
  /// docs/strategies.md.
  Tensor Assign(const Tensor& value,
                std::source_location where = std::source_location::current()) const;
  Tensor AssignAdd(const Tensor& delta,
                   std::source_location where = std::source_location::current()) const;
  Tensor AssignSub(const Tensor& delta,
                   std::source_location where = std::source_location::current()) const;

  /// Assigns what `function` makes of the value, in one step that nothing can come between; the new
  /// value. Other threads wait for it, so it may touch no other variable: name all that belong
  /// together in `lockstep::Update` (lock.h), which also says what fails.
  Tensor Update(const std::function<Tensor(const Tensor&)>& function,
                std::source_location where = std::source_location::current()) const;

  /// Assigns `desired` if the value equals `expected` in every bit, in one step that nothing can
  /// come between; whether it did, a bool scalar. InvalidArgument when dtype or shape do not fit.
  Tensor CompareAndAssign(const Tensor& expected, const Tensor& desired,
                          std::source_location where = std::source_location::current()) const;
  /// Joins the rows `indices` with `updates`, one after another, and returns the new value. Shapes,
  /// dtypes, errors: as `ScatterInto`; under a strategy Unimplemented for ON_READ, and for kUpdate,
  /// kMinimum and kMaximum under SUM and MEAN. Source: tf.Variable.scatter_*.
  Tensor Scatter(ScatterKind kind, const Tensor& indices, const Tensor& updates,
                 std::source_location where = std::source_location::current()) const;

  /// The tensor of dtype resource by which ops of the calling code name this variable: inside of a
  /// replica the replica's copy. FailedPrecondition outside of it when every replica has its own.
  const Tensor& handle() const;
  /// Kind, name, dtype, shape, aggregation, where each copy lives and why.
  std::string ToString() const;
  /// What the variable refers to; for strategies. This and all but `defined`: FailedPrecondition
  /// where it refers to nothing.
  runtime::VariableState& state() const;

 private:
  std::shared_ptr<runtime::VariableState> state_;
};

std::ostream& operator<<(std::ostream& out, const Variable& variable);

}  // namespace lockstep
