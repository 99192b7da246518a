#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "lockstep/ops/reduce.h"
#include "lockstep/tensor/tensor.h"

namespace lockstep {

/// How the losses of the examples become one number: their weighted sum divided by how many there
/// are, that sum, nothing done, or that sum divided by the sum of the weights. Source:
/// keras.losses reduction.
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
  /// Which values count, bool in PerExample's shape; empty where all do.
  virtual Tensor Mask(const Tensor& y_true, const Tensor& y_pred) const { return {}; }
  /// The reduced loss. Shapes: `sample_weight` [n], or more axes of the values; `mask` bool.
  Tensor Reduce(const Tensor& values, const Tensor& sample_weight = {},
                const Tensor& mask = {}) const;
  /// The weight of each value: sample_weight times the mask, which a mean scales by all / valid.
  /// Empty when neither is given.
  Tensor Weights(const Tensor& values, const Tensor& sample_weight, const Tensor& mask) const;
  /// PerExample, reduced.
  Tensor operator()(const Tensor& y_true, const Tensor& y_pred,
                    const Tensor& sample_weight = {}) const;

  const std::string& name() const { return name_; }
  Reduction reduction() const { return reduction_; }
  /// Whether `y_pred` are probabilities, which a softmax or sigmoid must have made.
  virtual bool expects_probabilities() const { return false; }
  /// Whether `y_pred` are logits, on which the loss itself puts a softmax or sigmoid.
  virtual bool expects_logits() const { return false; }
  /// The same loss of the logits behind `y_pred`, of which a softmax or a sigmoid, whichever, has
  /// made it along the last axis: exact where probabilities would be clipped. nullptr where this
  /// loss has no such form. Source: keras backend _get_logits.
  virtual std::shared_ptr<const Loss> OfLogits() const { return nullptr; }
  /// Whether examples influence each other's value, so that a replica's batch has one value.
  virtual bool whole_batch() const { return false; }

 private:
  std::string name_;
  Reduction reduction_;
};
using LossPtr = std::shared_ptr<const Loss>;

/// The loss of a replica's batch for loops of your own: the sum of `per_example`, times
/// `sample_weight`, divided by the number of examples of all replicas, so that gradients can be
/// summed over replicas. Without `global_batch_size` that is the replica's number times R, which is
/// exact for even batches; 0 without examples. Shapes: per_example [n, ...], sample_weight [n] or
/// more of its axes; a scalar. Errors: FailedPrecondition in cross-replica context without
/// `global_batch_size`; InvalidArgument for a scalar or a size below 1. Source:
/// tf.nn.compute_average_loss.
Tensor ComputeAverageLoss(const Tensor& per_example, const Tensor& sample_weight = {},
                          std::optional<int64_t> global_batch_size = {});
/// A regularization loss divided by R: each replica adds its part. Errors: FailedPrecondition in
/// cross-replica context. Source: tf.nn.scale_regularization_loss.
Tensor ScaleRegularizationLoss(const Tensor& regularization_loss);

/// Keras's losses. Shapes: y_true and y_pred alike, or one with a further last axis of size 1;
/// labels of any number dtype become y_pred's; the value of an example is a mean or a sum over the
/// last axis. Each keeps examples apart, so a batch may be cut. Options go by name,
/// `Huber({.delta = 2})`; what Keras takes first may stand alone, `Huber(2)`. Source: keras.losses.
namespace losses {

/// A number as such, which braces and texts are not.
template <typename T>
concept Number = (std::integral<T> || std::floating_point<T>)&&!std::same_as<T, bool>;

struct LossOptions {
  Reduction reduction = Reduction::kSumOverBatchSize;
  std::string name = {};  // Keras's where empty
};
/// mean (t - p)^2.
LossPtr MeanSquaredError(const LossOptions& options = {});
/// mean |t - p|.
LossPtr MeanAbsoluteError(const LossOptions& options = {});
/// 100 mean |(t - p) / max(|t|, 1e-7)|.
LossPtr MeanAbsolutePercentageError(const LossOptions& options = {});
/// mean (ln(max(p, 1e-7) + 1) - ln(max(t, 1e-7) + 1))^2.
LossPtr MeanSquaredLogarithmicError(const LossOptions& options = {});
/// mean of e + softplus(-2e) - ln 2.
LossPtr LogCosh(const LossOptions& options = {});
/// mean max(1 - t p, 0); labels that are all 0 or 1 become -1 or 1.
LossPtr Hinge(const LossOptions& options = {});
/// mean max(1 - t p, 0)^2, labels as Hinge.
LossPtr SquaredHinge(const LossOptions& options = {});
/// max(max((1 - t) p) - sum t p + 1, 0).
LossPtr CategoricalHinge(const LossOptions& options = {});
/// sum t ln(t / p), both clipped to [1e-7, 1].
LossPtr KLDivergence(const LossOptions& options = {});
/// mean p - t ln(p + 1e-7).
LossPtr Poisson(const LossOptions& options = {});

// The reduction alone, which Keras takes first.
template <std::same_as<Reduction> T>
LossPtr MeanSquaredError(T reduction) {
  return MeanSquaredError(LossOptions{.reduction = reduction});
}
template <std::same_as<Reduction> T>
LossPtr MeanAbsoluteError(T reduction) {
  return MeanAbsoluteError(LossOptions{.reduction = reduction});
}
template <std::same_as<Reduction> T>
LossPtr MeanAbsolutePercentageError(T reduction) {
  return MeanAbsolutePercentageError(LossOptions{.reduction = reduction});
}
template <std::same_as<Reduction> T>
LossPtr MeanSquaredLogarithmicError(T reduction) {
  return MeanSquaredLogarithmicError(LossOptions{.reduction = reduction});
}
template <std::same_as<Reduction> T>
LossPtr LogCosh(T reduction) {
  return LogCosh(LossOptions{.reduction = reduction});
}
template <std::same_as<Reduction> T>
LossPtr Hinge(T reduction) {
  return Hinge(LossOptions{.reduction = reduction});
}
template <std::same_as<Reduction> T>
LossPtr SquaredHinge(T reduction) {
  return SquaredHinge(LossOptions{.reduction = reduction});
}
template <std::same_as<Reduction> T>
LossPtr CategoricalHinge(T reduction) {
  return CategoricalHinge(LossOptions{.reduction = reduction});
}
template <std::same_as<Reduction> T>
LossPtr KLDivergence(T reduction) {
  return KLDivergence(LossOptions{.reduction = reduction});
}
template <std::same_as<Reduction> T>
LossPtr Poisson(T reduction) {
  return Poisson(LossOptions{.reduction = reduction});
}

struct HuberOptions {
  double delta = 1;
  Reduction reduction = Reduction::kSumOverBatchSize;
  std::string name = {};
};
/// mean of e^2 / 2 where |e| <= delta, else delta |e| - delta^2 / 2.
LossPtr Huber(const HuberOptions& options = {});
template <Number T>
LossPtr Huber(T delta) {
  return Huber(HuberOptions{.delta = static_cast<double>(delta)});
}

struct CosineSimilarityOptions {
  int axis = -1;
  Reduction reduction = Reduction::kSumOverBatchSize;
  std::string name = {};
};
/// -sum of the products of both sides, made unit vectors.
LossPtr CosineSimilarity(const CosineSimilarityOptions& options = {});
template <std::same_as<int> T>
LossPtr CosineSimilarity(T axis) {
  return CosineSimilarity(CosineSimilarityOptions{.axis = axis});
}

struct CrossentropyOptions {
  bool from_logits = false;
  double label_smoothing = 0;
  /// The axis of the classes, over which the mean or the sum goes.
  int axis = -1;
  Reduction reduction = Reduction::kSumOverBatchSize;
  std::string name = {};
};
/// Of probabilities, clipped to [1e-7, 1 - 1e-7], or of logits; mean over the last axis.
LossPtr BinaryCrossentropy(const CrossentropyOptions& options = {});
template <std::same_as<bool> T>
LossPtr BinaryCrossentropy(T from_logits) {
  return BinaryCrossentropy(CrossentropyOptions{.from_logits = from_logits});
}
/// -sum t ln p with p made to sum to 1, or of logits.
LossPtr CategoricalCrossentropy(const CrossentropyOptions& options = {});
template <std::same_as<bool> T>
LossPtr CategoricalCrossentropy(T from_logits) {
  return CategoricalCrossentropy(CrossentropyOptions{.from_logits = from_logits});
}

struct FocalOptions {
  double alpha = 0.25;
  double gamma = 2;
  /// Binary only: weighs the classes by alpha and 1 - alpha.
  bool apply_class_balancing = false;
  bool from_logits = false;
  double label_smoothing = 0;
  /// The axis of the classes, over which the mean or the sum goes.
  int axis = -1;
  Reduction reduction = Reduction::kSumOverBatchSize;
  std::string name = {};
};
/// mean (1 - p_t)^gamma times the binary cross entropy.
LossPtr BinaryFocalCrossentropy(const FocalOptions& options = {});
/// sum alpha (1 - p)^gamma (-t ln p).
LossPtr CategoricalFocalCrossentropy(const FocalOptions& options = {});

struct SparseCrossentropyOptions {
  bool from_logits = false;
  /// Examples with this label don't count.
  std::optional<int64_t> ignore_class = {};
  /// The axis of the predictions that holds the classes.
  int axis = -1;
  Reduction reduction = Reduction::kSumOverBatchSize;
  std::string name = {};
};
/// Labels are class numbers [n] or [n, 1]; predictions [n, classes]. InvalidArgument, naming
/// example and label, for a label that is no class.
LossPtr SparseCategoricalCrossentropy(const SparseCrossentropyOptions& options = {});
template <std::same_as<bool> T>
LossPtr SparseCategoricalCrossentropy(T from_logits) {
  return SparseCategoricalCrossentropy(SparseCrossentropyOptions{.from_logits = from_logits});
}

struct GeneralizedCrossentropyOptions {
  double q = 0.5;
  Reduction reduction = Reduction::kSumOverBatchSize;
  std::string name = {};
};
/// (1 - p^q) / q for the probability p of the label's class. Labels [n], predictions [n, classes].
/// InvalidArgument for a q outside of (0, 1).
LossPtr CategoricalGeneralizedCrossEntropy(const GeneralizedCrossentropyOptions& options = {});
template <Number T>
LossPtr CategoricalGeneralizedCrossEntropy(T q) {
  return CategoricalGeneralizedCrossEntropy(
      GeneralizedCrossentropyOptions{.q = static_cast<double>(q)});
}

struct OverlapOptions {
  /// Tversky's weights of what only y_true and only y_pred have.
  double alpha = 0.5;
  double beta = 0.5;
  /// The axes that are one value's; all where not given, and then a batch has one value.
  std::optional<Axes> axis = {};
  Reduction reduction = Reduction::kSumOverBatchSize;
  std::string name = {};
};
/// 1 - 2 sum t p / (sum t + sum p + 1e-7).
LossPtr Dice(const OverlapOptions& options = {});
/// 1 - sum t p / (sum t p + alpha sum t (1 - p) + beta sum p (1 - t) + 1e-7).
LossPtr Tversky(const OverlapOptions& options = {});

/// A loss made of a function of (y_true, y_pred) that gives a value for each example.
LossPtr FromFunction(const std::string& name,
                     std::function<Tensor(const Tensor&, const Tensor&)> function,
                     Reduction reduction = Reduction::kSumOverBatchSize);
/// The loss with Keras's name for it ("mse", "mean_squared_error", "MeanSquaredError", ...) and its
/// defaults. NotFound, with all names, for another one.
LossPtr Get(const std::string& name);

}  // namespace losses

}  // namespace lockstep
