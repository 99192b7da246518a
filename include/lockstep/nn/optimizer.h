#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lockstep/runtime/variable.h"
#include "lockstep/tensor/tensor.h"

namespace lockstep {

/// How gradients are limited before an update; at most one is set (zero: off). All act on the sum
/// over replicas, never on a replica's share (Keras clips each share; see ARCHITECTURE.md).
struct Clipping {
  double value = 0;
  double norm = 0;
  double global_norm = 0;
};

/// Changes weights by their gradients. The update is an op, eager or in a graph, and its state
/// lives in variables: `iterations`, `learning_rate` and slots named "<weight>_<slot>". Source:
/// keras.optimizers.Optimizer.
class Optimizer {
 public:
  Optimizer(std::string name, double learning_rate);
  virtual ~Optimizer() = default;

  const std::string& name() const { return name_; }
  /// Creates the slots; called by the first `Apply` too.
  void Build(const std::vector<Variable>& weights);
  /// One update. Empty gradients are skipped; InvalidArgument when all are empty.
  void Apply(const std::vector<Tensor>& gradients, const std::vector<Variable>& weights);

  const Variable& iterations() const { return iterations_; }
  const Variable& learning_rate() const { return learning_rate_; }
  /// iterations, learning_rate, then the slots in the order of the weights.
  std::vector<Variable> variables() const;

  Clipping clipping;

 protected:
  /// The names of the slots of a weight, and their first values (zeros when not overridden).
  virtual std::vector<std::string> SlotNames(const Variable& weight) const = 0;
  virtual Tensor InitialSlot(const std::string& slot, const Variable& weight) const;
  /// Values that all weights share in a step (bias corrections); `step` counts from one, float32.
  virtual std::vector<Tensor> SharedValues(const Tensor& step, const Tensor& rate) const = 0;
  virtual void Update(const Variable& weight, const Tensor& gradient,
                      const std::vector<Variable>& slots,
                      const std::vector<Tensor>& shared) const = 0;

 private:
  std::string name_;
  Variable iterations_;
  Variable learning_rate_;
  struct Slots {
    Variable weight;
    std::vector<Variable> slots;
  };
  std::vector<Slots> slots_;
};
using OptimizerPtr = std::shared_ptr<Optimizer>;

}  // namespace lockstep
