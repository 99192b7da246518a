#pragma once

#include "lockstep/tensor/tensor.h"

namespace lockstep {

/// `x` repeated to `shape`. Errors: InvalidArgument when it does not broadcast. Source: TF
/// BroadcastTo.
Tensor BroadcastTo(const Tensor& x, const Shape& shape);
/// `x` repeated to the shape of `like`, whose elements don't matter.
Tensor BroadcastLike(const Tensor& x, const Tensor& like);

/// A tensor of `shape` in which every element is the scalar `value` (a C++ number: float32 or
/// int32). Source: TF Fill.
Tensor Fill(const Shape& shape, const Tensor& value);
Tensor Zeros(const Shape& shape, DType dtype = DType::kFloat32);
Tensor Ones(const Shape& shape, DType dtype = DType::kFloat32);
/// Zeros or ones of the shape and dtype of `x`. No gradient flows.
Tensor ZerosLike(const Tensor& x);
Tensor OnesLike(const Tensor& x);

}  // namespace lockstep
