#pragma once

#include <mutex>
#include <string>
#include <vector>

#include "lockstep/tensor/tensor.h"
#include "runtime/shared_object.h"

namespace lockstep::runtime {

/// A variable whose values may have other shapes than the first: all that fit a declared one, which
/// has open sizes or no rank. A value is a snapshot, and every write replaces it. Its ops are
/// ordered among those that touch the world outside, not among those of other variables.
/// Source: tf.Variable(..., shape=tf.TensorShape(None)).
class OpenVariable : public SharedObject {
 public:
  OpenVariable(std::string name, const ops::TensorType& declared);

  /// "OpenVariableRead", "OpenVariableAssign", "OpenVariableAdd", "OpenVariableSubtract",
  /// "OpenVariableIsInitialized". Errors: FailedPrecondition without a value, InvalidArgument for
  /// another dtype or shape.
  Ticket Start(std::string_view op, const ops::Attributes& attributes,
               const std::vector<Tensor>& inputs, Done done) override;
  /// Nothing waits.
  void Cancel(Ticket) override {}

 private:
  Result<std::vector<Tensor>> Carry(std::string_view op, const std::vector<Tensor>& inputs);

  const std::string name_;
  const ops::TensorType declared_;
  std::mutex mutex_;
  Tensor value_;  // guarded by mutex_; undefined before the first
};

}  // namespace lockstep::runtime
