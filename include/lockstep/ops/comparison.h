#pragma once

#include "lockstep/tensor/tensor.h"

namespace lockstep {

// Comparisons of two tensors of one dtype that broadcast; the result is bool and has no gradient.
// Errors: InvalidArgument when dtypes differ or shapes don't broadcast. Source: the TF ops of the
// same names.

Tensor Equal(const Tensor& a, const Tensor& b);
Tensor NotEqual(const Tensor& a, const Tensor& b);
Tensor Less(const Tensor& a, const Tensor& b);
Tensor LessEqual(const Tensor& a, const Tensor& b);
Tensor Greater(const Tensor& a, const Tensor& b);
Tensor GreaterEqual(const Tensor& a, const Tensor& b);
// `==` is not defined: in TensorFlow, too, it has had two meanings.
inline Tensor operator<(const Tensor& a, const Tensor& b) { return Less(a, b); }
inline Tensor operator<=(const Tensor& a, const Tensor& b) { return LessEqual(a, b); }
inline Tensor operator>(const Tensor& a, const Tensor& b) { return Greater(a, b); }
inline Tensor operator>=(const Tensor& a, const Tensor& b) { return GreaterEqual(a, b); }

/// Of bool tensors. InvalidArgument for other dtypes.
Tensor LogicalAnd(const Tensor& a, const Tensor& b);
Tensor LogicalOr(const Tensor& a, const Tensor& b);
Tensor LogicalNot(const Tensor& x);

/// Whether elements are NaN, infinite, neither. Floating dtypes.
Tensor IsNan(const Tensor& x);
Tensor IsInf(const Tensor& x);
Tensor IsFinite(const Tensor& x);

/// The elements of `yes` where `condition` (bool) holds, else those of `no`; all three broadcast.
/// Errors: InvalidArgument when `condition` is not bool or dtypes differ. Source: TF SelectV2, the
/// three-argument tf.where.
Tensor Where(const Tensor& condition, const Tensor& yes, const Tensor& no);

}  // namespace lockstep
