#pragma once

#include <optional>

#include "lockstep/ops/reduce.h"
#include "lockstep/tensor/tensor.h"

/// What losses and metrics compute for each example. All take (y_true, y_pred) that `Align` has
/// made alike. Source: keras/src/losses/losses.py.
namespace lockstep::nn {

constexpr double kEpsilon = 1e-7;

struct Pair {
  Tensor y_true;
  Tensor y_pred;
};
/// y_true in y_pred's dtype, and equal ranks where one has a further last axis of size 1: a vector
/// gets that axis, anything else loses it.
Pair Align(const Tensor& y_true, const Tensor& y_pred);
/// Only the ranks.
Pair AlignRanks(const Tensor& y_true, const Tensor& y_pred);
/// In the dtype of what metrics keep.
Tensor InFloat32(const Tensor& x);

Tensor MeanSquaredError(const Tensor& y_true, const Tensor& y_pred);
Tensor MeanAbsoluteError(const Tensor& y_true, const Tensor& y_pred);
Tensor MeanAbsolutePercentageError(const Tensor& y_true, const Tensor& y_pred);
Tensor MeanSquaredLogarithmicError(const Tensor& y_true, const Tensor& y_pred);
Tensor LogCosh(const Tensor& y_true, const Tensor& y_pred);
Tensor Hinge(const Tensor& y_true, const Tensor& y_pred);
Tensor SquaredHinge(const Tensor& y_true, const Tensor& y_pred);
Tensor CategoricalHinge(const Tensor& y_true, const Tensor& y_pred);
Tensor KLDivergence(const Tensor& y_true, const Tensor& y_pred);
Tensor Poisson(const Tensor& y_true, const Tensor& y_pred);
Tensor Huber(const Tensor& y_true, const Tensor& y_pred, double delta);
/// The sum of the products of unit vectors; no minus sign.
Tensor CosineSimilarity(const Tensor& y_true, const Tensor& y_pred, int axis);

Tensor BinaryCrossentropy(const Tensor& y_true, const Tensor& y_pred, bool from_logits,
                          double label_smoothing);
Tensor CategoricalCrossentropy(const Tensor& y_true, const Tensor& y_pred, bool from_logits,
                               double label_smoothing);
/// Labels of an integer dtype, one axis less than y_pred.
Tensor SparseCategoricalCrossentropy(const Tensor& labels, const Tensor& y_pred, bool from_logits);
/// Labels as int64 without a last axis of size 1.
Tensor SparseLabels(const Tensor& y_true, const Tensor& y_pred);

struct Focal {
  double alpha;
  double gamma;
  bool apply_class_balancing;
  bool from_logits;
  double label_smoothing;
};
Tensor BinaryFocalCrossentropy(const Tensor& y_true, const Tensor& y_pred, const Focal& focal);
Tensor CategoricalFocalCrossentropy(const Tensor& y_true, const Tensor& y_pred, const Focal& focal);
Tensor GeneralizedCrossentropy(const Tensor& labels, const Tensor& y_pred, double q);

Tensor Dice(const Tensor& y_true, const Tensor& y_pred, const Axes& axes);
Tensor Tversky(const Tensor& y_true, const Tensor& y_pred, double alpha, double beta,
               const Axes& axes);

}  // namespace lockstep::nn
