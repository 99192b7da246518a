#include "lockstep/ops/array.h"
#include "lockstep/ops/clip.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/nn.h"
#include "nn/loss_functions.h"

namespace lockstep::nn {

namespace {

Tensor Clipped(const Tensor& probabilities) {
  return ClipByValue(probabilities, kEpsilon, 1 - kEpsilon);
}

Tensor SmoothBinary(const Tensor& y_true, double smoothing) {
  return smoothing == 0 ? y_true : y_true * (1 - smoothing) + 0.5 * smoothing;
}

Tensor SmoothCategorical(const Tensor& y_true, double smoothing) {
  if (smoothing == 0) return y_true;
  return y_true * (1 - smoothing) + smoothing / static_cast<double>(y_true.shape().dim(-1));
}

Tensor NormalizedProbabilities(const Tensor& y_pred) {
  return Clipped(y_pred / ReduceSum(y_pred, -1, /*keep_dims=*/true));
}

// For every element, before the mean.
Tensor ElementwiseBinary(const Tensor& y_true, const Tensor& probabilities) {
  const Tensor p = Clipped(probabilities);
  return -(y_true * Log(p) + (1.0 - y_true) * Log(1.0 - p));
}

}  // namespace

Tensor BinaryCrossentropy(const Tensor& y_true, const Tensor& y_pred, bool from_logits,
                          double label_smoothing) {
  const Tensor t = SmoothBinary(y_true, label_smoothing);
  return ReduceMean(
      from_logits ? SigmoidCrossEntropyWithLogits(t, y_pred) : ElementwiseBinary(t, y_pred), -1);
}

Tensor CategoricalCrossentropy(const Tensor& y_true, const Tensor& y_pred, bool from_logits,
                               double label_smoothing) {
  const Tensor t = SmoothCategorical(y_true, label_smoothing);
  if (from_logits) return SoftmaxCrossEntropyWithLogits(t, y_pred);
  return -ReduceSum(t * Log(NormalizedProbabilities(y_pred)), -1);
}

Tensor SparseLabels(const Tensor& y_true, const Tensor& y_pred) {
  Tensor labels = y_true;
  if (labels.rank() == y_pred.rank() && labels.shape().dim(-1) == 1) labels = Squeeze(labels, {-1});
  return labels.dtype() == DType::kInt32 || labels.dtype() == DType::kInt64
             ? labels
             : Cast(labels, DType::kInt64);
}

Tensor SparseCategoricalCrossentropy(const Tensor& labels, const Tensor& y_pred, bool from_logits) {
  return SparseSoftmaxCrossEntropyWithLogits(labels, from_logits ? y_pred : Log(Clipped(y_pred)));
}

Tensor BinaryFocalCrossentropy(const Tensor& y_true, const Tensor& y_pred, const Focal& focal) {
  const Tensor t = SmoothBinary(y_true, focal.label_smoothing);
  const Tensor p = focal.from_logits ? Sigmoid(y_pred) : y_pred;
  const Tensor right = t * p + (1.0 - t) * (1.0 - p);
  // From the logits, as a probability that rounds to 0 or 1 has lost how wrong it is.
  const Tensor crossentropy =
      focal.from_logits ? SigmoidCrossEntropyWithLogits(t, y_pred) : ElementwiseBinary(t, p);
  Tensor value = Pow(1.0 - right, focal.gamma) * crossentropy;
  if (focal.apply_class_balancing) {
    value = (t * focal.alpha + (1.0 - t) * (1 - focal.alpha)) * value;
  }
  return ReduceMean(value, -1);
}

Tensor CategoricalFocalCrossentropy(const Tensor& y_true, const Tensor& y_pred,
                                    const Focal& focal) {
  const Tensor t = SmoothCategorical(y_true, focal.label_smoothing);
  const Tensor p = NormalizedProbabilities(focal.from_logits ? Softmax(y_pred) : y_pred);
  return ReduceSum(Pow(1.0 - p, focal.gamma) * focal.alpha * (-t * Log(p)), -1);
}

Tensor GeneralizedCrossentropy(const Tensor& labels, const Tensor& y_pred, double q) {
  const Tensor hot = OneHot(labels, y_pred.shape().dim(-1), {.dtype = y_pred.dtype()});
  const Tensor p = ReduceSum(y_pred * hot, -1);
  return (1.0 - Pow(p, q)) / q;
}

}  // namespace lockstep::nn
