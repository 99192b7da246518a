#include "nn/loss_functions.h"

#include "lockstep/ops/activation.h"
#include "lockstep/ops/array.h"
#include "lockstep/ops/clip.h"
#include "lockstep/ops/comparison.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/normalization.h"

namespace lockstep::nn {

Pair AlignRanks(const Tensor& y_true, const Tensor& y_pred) {
  const auto has_last_one = [](const Tensor& t) { return t.shape().dim(-1) == 1; };
  if (y_true.rank() == y_pred.rank() + 1 && has_last_one(y_true)) {
    if (y_pred.rank() == 1) return {y_true, ExpandDims(y_pred, -1)};
    return {Squeeze(y_true, {-1}), y_pred};
  }
  if (y_pred.rank() == y_true.rank() + 1 && has_last_one(y_pred)) {
    if (y_true.rank() == 1) return {ExpandDims(y_true, -1), y_pred};
    return {y_true, Squeeze(y_pred, {-1})};
  }
  return {y_true, y_pred};
}

Pair Align(const Tensor& y_true, const Tensor& y_pred) {
  return AlignRanks(y_true.dtype() == y_pred.dtype() ? y_true : Cast(y_true, y_pred.dtype()),
                    y_pred);
}

Tensor InFloat32(const Tensor& x) { return Cast(x, DType::kFloat32); }

Tensor MeanSquaredError(const Tensor& y_true, const Tensor& y_pred) {
  return ReduceMean(Square(y_true - y_pred), -1);
}

Tensor MeanAbsoluteError(const Tensor& y_true, const Tensor& y_pred) {
  return ReduceMean(Abs(y_true - y_pred), -1);
}

Tensor MeanAbsolutePercentageError(const Tensor& y_true, const Tensor& y_pred) {
  const Tensor part = Abs((y_true - y_pred) / Maximum(Abs(y_true), kEpsilon));
  return ReduceMean(part, -1) * 100.0;
}

Tensor MeanSquaredLogarithmicError(const Tensor& y_true, const Tensor& y_pred) {
  const Tensor first = Log(Maximum(y_pred, kEpsilon) + 1.0);
  const Tensor second = Log(Maximum(y_true, kEpsilon) + 1.0);
  return ReduceMean(Square(first - second), -1);
}

Tensor LogCosh(const Tensor& y_true, const Tensor& y_pred) {
  constexpr double kLogTwo = 0x1.62e42fefa39efp-1;
  const Tensor error = y_pred - y_true;
  return ReduceMean(error + Softplus(error * -2.0) - kLogTwo, -1);
}

namespace {

// Labels 0 and 1 as -1 and 1, if there are no others in the batch. How many others there are is a
// sum over the examples, which goes through the tree where the batch is cut.
Tensor HingeLabels(const Tensor& y_true) {
  const Tensor other = LogicalAnd(NotEqual(y_true, 0.0), NotEqual(y_true, 1.0));
  const Tensor others = ReduceSum(Cast(other, DType::kFloat32));
  return Where(Equal(others, 0.0), y_true * 2.0 - 1.0, y_true);
}

Tensor Margin(const Tensor& y_true, const Tensor& y_pred) {
  return Maximum(1.0 - HingeLabels(y_true) * y_pred, 0.0);
}

}  // namespace

Tensor Hinge(const Tensor& y_true, const Tensor& y_pred) {
  return ReduceMean(Margin(y_true, y_pred), -1);
}

Tensor SquaredHinge(const Tensor& y_true, const Tensor& y_pred) {
  return ReduceMean(Square(Margin(y_true, y_pred)), -1);
}

Tensor CategoricalHinge(const Tensor& y_true, const Tensor& y_pred) {
  const Tensor positive = ReduceSum(y_true * y_pred, -1);
  const Tensor negative = ReduceMax((1.0 - y_true) * y_pred, -1);
  return Maximum(negative - positive + 1.0, 0.0);
}

Tensor KLDivergence(const Tensor& y_true, const Tensor& y_pred) {
  const Tensor t = ClipByValue(y_true, kEpsilon, 1.0);
  const Tensor p = ClipByValue(y_pred, kEpsilon, 1.0);
  return ReduceSum(t * Log(t / p), -1);
}

Tensor Poisson(const Tensor& y_true, const Tensor& y_pred) {
  return ReduceMean(y_pred - y_true * Log(y_pred + kEpsilon), -1);
}

Tensor Huber(const Tensor& y_true, const Tensor& y_pred, double delta) {
  const Tensor error = y_pred - y_true;
  const Tensor distance = Abs(error);
  return ReduceMean(Where(LessEqual(distance, delta), Square(error) * 0.5,
                          distance * delta - 0.5 * delta * delta),
                    -1);
}

Tensor CosineSimilarity(const Tensor& y_true, const Tensor& y_pred, int axis) {
  constexpr double kSquaredEpsilon = kEpsilon * kEpsilon;
  return ReduceSum(
      L2Normalize(y_true, axis, kSquaredEpsilon) * L2Normalize(y_pred, axis, kSquaredEpsilon),
      axis);
}

Tensor Dice(const Tensor& y_true, const Tensor& y_pred, const Axes& axes) {
  const Tensor common = ReduceSum(y_true * y_pred, axes);
  const Tensor all = ReduceSum(y_true, axes) + ReduceSum(y_pred, axes) + kEpsilon;
  return 1.0 - common * 2.0 / all;
}

Tensor Tversky(const Tensor& y_true, const Tensor& y_pred, double alpha, double beta,
               const Axes& axes) {
  const Tensor common = ReduceSum(y_true * y_pred, axes);
  const Tensor only_true = ReduceSum(y_true * (1.0 - y_pred), axes);
  const Tensor only_predicted = ReduceSum(y_pred * (1.0 - y_true), axes);
  return 1.0 - common / (common + only_true * alpha + only_predicted * beta + kEpsilon);
}

}  // namespace lockstep::nn
