#pragma once

#include <memory>
#include <string>

#include "lockstep/tensor/tensor.h"

namespace lockstep {

/// How the losses of the examples become one number. Source: keras.losses reduction.
enum class Reduction { kSumOverBatchSize, kSum, kNone, kMeanWithSampleWeight };

/// What training makes small: a value for each example, then a reduction. Source:
/// keras.losses.Loss.
class Loss {
 public:
  explicit Loss(std::string name, Reduction reduction = Reduction::kSumOverBatchSize)
      : name_(std::move(name)), reduction_(reduction) {}
  virtual ~Loss() = default;

  /// One value for each example. Shapes: result [n] (or [n, ...] where the loss keeps inner axes).
  virtual Tensor PerExample(const Tensor& y_true, const Tensor& y_pred) const = 0;
  /// The reduced loss; `sample_weight` [n] where defined.
  Tensor operator()(const Tensor& y_true, const Tensor& y_pred,
                    const Tensor& sample_weight = {}) const;

  const std::string& name() const { return name_; }
  Reduction reduction() const { return reduction_; }
  /// Whether `y_pred` are probabilities, which a softmax or sigmoid must have made.
  virtual bool expects_probabilities() const { return false; }
  /// Whether examples influence each other's value, so that a batch must not be cut.
  virtual bool whole_batch() const { return false; }

 private:
  std::string name_;
  Reduction reduction_;
};
using LossPtr = std::shared_ptr<const Loss>;

namespace losses {
/// Labels are class numbers [n]; predictions [n, classes]. Source:
/// keras.losses.SparseCategoricalCrossentropy.
LossPtr SparseCategoricalCrossentropy(bool from_logits = false);
}  // namespace losses

}  // namespace lockstep
