#pragma once

#include "lockstep/ops/reduce.h"
#include "lockstep/tensor/tensor.h"

namespace lockstep {

/// (x - mean) / sqrt(variance + epsilon) * scale + offset over the last axis, where mean and
/// (biased) variance are each vector's own, the variance summed from the deviations.
/// Shapes: x [..., c] of rank 2 or more, scale and offset [c]. Dtypes: float32, float64, bfloat16,
/// float16 (computed in float32). Errors: InvalidArgument when shapes or dtypes do not fit.
/// Source: Keras LayerNormalization.
Tensor LayerNormalization(const Tensor& x, const Tensor& scale, const Tensor& offset,
                          double epsilon = 1e-3);

struct MeanAndVariance {
  Tensor mean;
  Tensor variance;
};
/// The mean and the (biased) variance over `axes`, the latter as the mean of the squared
/// deviations. Where examples are reduced, both sums are added by the tree over the replica's
/// leaves. Shapes: as ReduceMean. Dtypes: floating. Source: tf.nn.moments.
MeanAndVariance Moments(const Tensor& x, const Axes& axes, bool keep_dims = false);

/// x * inverse + (offset - mean * inverse) with inverse = scale / sqrt(variance + epsilon).
/// `offset` and `scale` may be empty. Shapes: all broadcast to x's. Dtypes: floating, all the same.
/// Source: tf.nn.batch_normalization.
Tensor BatchNormalization(const Tensor& x, const Tensor& mean, const Tensor& variance,
                          const Tensor& offset, const Tensor& scale, double epsilon);

/// x / sqrt(max(sum x^2, epsilon)) over `axes`. Dtypes: floating. Source: tf.math.l2_normalize.
Tensor L2Normalize(const Tensor& x, const Axes& axes, double epsilon = 1e-12);

struct LocalResponseOptions {
  int64_t depth_radius = 5;
  double bias = 1;
  double alpha = 1;
  double beta = 0.5;
};
/// x / (bias + alpha * sum x^2)^beta, where the sum takes the channels up to `depth_radius` away.
/// Shapes: x [..., c] of rank 2 or more, c known. Dtypes: floating.
/// Errors: InvalidArgument for a rank below 2, unknown channels or a negative radius.
/// Source: tf.nn.local_response_normalization.
Tensor LocalResponseNormalization(const Tensor& x, const LocalResponseOptions& options = {});

}  // namespace lockstep
