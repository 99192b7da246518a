#include "lockstep/ops/array.h"
#include "lockstep/ops/comparison.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/nn.h"
#include "lockstep/ops/reduce.h"
#include "lockstep/ops/structure.h"
#include "nn/loss_functions.h"
#include "nn/metrics/mean_of_function.h"

namespace lockstep::metrics {

namespace {

// Rows of classes: [n, classes], and their labels [n].
Tensor InTop(const Tensor& labels, const Tensor& y_pred, int64_t k) {
  const int64_t classes = y_pred.shape().dim(-1);
  if (y_pred.rank() == 2) return nn::InFloat32(InTopK(labels, y_pred, k));
  const Tensor flat = InTopK(Reshape(labels, {-1}), Reshape(y_pred, {-1, classes}), k);
  return nn::InFloat32(ReshapeLike(flat, labels));
}

}  // namespace

Tensor BinaryMatches(const Tensor& y_true, const Tensor& y_pred, double threshold) {
  const nn::Pair pair = nn::Align(y_true, y_pred);
  const Tensor positive = Cast(Greater(pair.y_pred, threshold), pair.y_true.dtype());
  return nn::InFloat32(Equal(pair.y_true, positive));
}

Tensor CategoricalMatches(const Tensor& y_true, const Tensor& y_pred) {
  return nn::InFloat32(Equal(ArgMax(y_true, -1), ArgMax(y_pred, -1)));
}

Tensor SparseMatches(const Tensor& y_true, const Tensor& y_pred) {
  const Tensor labels = Cast(nn::SparseLabels(y_true, y_pred), DType::kInt64);
  return nn::InFloat32(Equal(labels, ArgMax(y_pred, -1)));
}

namespace {

// Picks the kind of accuracy by the shapes of each batch, which Keras does by those of the first.
Tensor MatchesByShape(const Tensor& y_true, const Tensor& y_pred) {
  const int64_t classes = y_pred.rank() == 0 ? 1 : y_pred.shape().dim(-1);
  const bool labels = y_true.rank() < y_pred.rank() || y_true.shape().dim(-1) == 1;
  if (classes == 1) return BinaryMatches(y_true, y_pred, 0.5);
  return labels && classes > 1 ? SparseMatches(y_true, y_pred) : CategoricalMatches(y_true, y_pred);
}

MetricPtr Make(std::string name, MetricFunction function) {
  return std::make_shared<MeanOfFunction>(std::move(name), std::move(function));
}

}  // namespace

MetricPtr FromFunction(const std::string& name, MetricFunction function) {
  return Make(name, std::move(function));
}

MetricPtr Accuracy(std::string name) {
  return Make(std::move(name), [](const Tensor& y_true, const Tensor& y_pred) {
    const nn::Pair pair = nn::Align(y_true, y_pred);
    return nn::InFloat32(Equal(pair.y_true, pair.y_pred));
  });
}

MetricPtr BinaryAccuracy(std::string name, double threshold) {
  return Make(std::move(name), [threshold](const Tensor& y_true, const Tensor& y_pred) {
    return BinaryMatches(y_true, y_pred, threshold);
  });
}

MetricPtr CategoricalAccuracy(std::string name) {
  return Make(std::move(name), CategoricalMatches);
}

MetricPtr SparseCategoricalAccuracy(std::string name) {
  return Make(std::move(name), SparseMatches);
}

MetricPtr TopKCategoricalAccuracy(int64_t k, std::string name) {
  return Make(std::move(name), [k](const Tensor& y_true, const Tensor& y_pred) {
    return InTop(ArgMax(y_true, -1), y_pred, k);
  });
}

MetricPtr SparseTopKCategoricalAccuracy(int64_t k, std::string name) {
  return Make(std::move(name), [k](const Tensor& y_true, const Tensor& y_pred) {
    return InTop(nn::SparseLabels(y_true, y_pred), y_pred, k);
  });
}

MetricPtr AccuracyByShape(std::string name) { return Make(std::move(name), MatchesByShape); }

}  // namespace lockstep::metrics
