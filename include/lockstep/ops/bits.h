#pragma once

#include "lockstep/tensor/tensor.h"

/// The bits of integers, element by element; operands broadcast. Dtypes: integers. No gradient.
/// Errors: InvalidArgument for other dtypes and shapes that do not broadcast. Source: tf.bitwise.
namespace lockstep {

Tensor BitwiseAnd(const Tensor& a, const Tensor& b);
Tensor BitwiseOr(const Tensor& a, const Tensor& b);
Tensor BitwiseXor(const Tensor& a, const Tensor& b);
/// `a` moved by `b` places; `b` is held between 0 and the number of bits less one.
Tensor LeftShift(const Tensor& a, const Tensor& b);
/// Likewise; the sign stays.
Tensor RightShift(const Tensor& a, const Tensor& b);
/// Each bit the other way.
Tensor Invert(const Tensor& x);

}  // namespace lockstep
