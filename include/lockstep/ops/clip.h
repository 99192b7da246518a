#pragma once

#include <utility>
#include <vector>

#include "lockstep/ops/reduce.h"
#include "lockstep/tensor/tensor.h"

namespace lockstep {

/// `x` where it lies in [low, high], else the bound; the gradient is passed on at both bounds.
/// Shapes: low and high broadcast to x. Dtypes: numbers. Errors: InvalidArgument when dtypes differ
/// or shapes don't broadcast. Source: tf.clip_by_value.
Tensor ClipByValue(const Tensor& x, const Tensor& low, const Tensor& high);

/// `x` scaled down, if need be, to have at most the norm `clip_norm` over `axes` (all by default).
/// The gradient at 0 is that of the identity. Source: tf.clip_by_norm.
Tensor ClipByNorm(const Tensor& x, const Tensor& clip_norm, const Axes& axes = {});

/// `tensors`, scaled by clip_norm / norm if their global norm, which is the second result, is
/// larger than clip_norm; NaN everywhere if the norm is not finite. Empty tensors stay empty, and
/// indexed slices stay slices. Source: tf.clip_by_global_norm.
std::pair<std::vector<Tensor>, Tensor> ClipByGlobalNorm(const std::vector<Tensor>& tensors,
                                                        const Tensor& clip_norm);

}  // namespace lockstep
