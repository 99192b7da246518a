#pragma once

#include "lockstep/tensor/tensor.h"

namespace lockstep {

/// exp(x) / sum exp(x) along `axis`, computed from x - max x.
/// Shapes: logits any of rank 1 or more; dtypes: float32, float64, bfloat16, float16.
/// Errors: InvalidArgument for other dtypes or an axis out of range. Source: TF Softmax.
Tensor Softmax(const Tensor& logits, int64_t axis = -1);

/// log(Softmax(logits, axis)) without its overflow. Shapes, dtypes, errors: as Softmax.
/// Source: TF LogSoftmax.
Tensor LogSoftmax(const Tensor& logits, int64_t axis = -1);

/// The cross entropy sum_c labels[..., c] * -log_softmax(logits)[..., c].
/// Shapes: labels, logits [..., c]; result [...]. Dtypes: both the same, floating.
/// Errors: InvalidArgument when shapes or dtypes disagree or there are no classes.
/// Source: TF softmax_cross_entropy_with_logits (argument order included).
Tensor SoftmaxCrossEntropyWithLogits(const Tensor& labels, const Tensor& logits);

/// The cross entropy -log_softmax(logits)[..., labels[...]].
/// Shapes: labels [...] of int32 or int64, logits [..., c]; result [...].
/// Errors: InvalidArgument when shapes or dtypes disagree, or a label is not in [0, c): it names
/// example, label and classes. Source: TF sparse_softmax_cross_entropy_with_logits.
Tensor SparseSoftmaxCrossEntropyWithLogits(const Tensor& labels, const Tensor& logits);

/// The cross entropy max(x, 0) - x labels + log(1 + exp(-|x|)) of each element on its own.
/// Shapes: labels and logits the same. Dtypes: both the same, floating.
/// Errors: InvalidArgument when shapes or dtypes disagree.
/// Source: TF sigmoid_cross_entropy_with_logits (argument order included).
Tensor SigmoidCrossEntropyWithLogits(const Tensor& labels, const Tensor& logits);

/// Whether fewer than `k` predictions of a row are larger than the target's; false for a target out
/// of range, and when the target's or a prediction before the k-th larger one is not finite.
/// Shapes: targets [n] (int32, int64), predictions [n, c] (float32, float64); result [n] of bool.
/// Errors: InvalidArgument when shapes or dtypes do not fit. Source: TF in_top_k.
Tensor InTopK(const Tensor& targets, const Tensor& predictions, int64_t k);

}  // namespace lockstep
