#pragma once

#include <vector>

#include "lockstep/tensor/tensor.h"

namespace lockstep {

// Element-wise arithmetic. Two operands have one dtype and broadcast by NumPy's rule; a C++ number
// takes the other operand's dtype. Integers wrap around. bfloat16 and float16 are computed in
// float32 and rounded once. Errors: InvalidArgument when dtypes differ or shapes don't broadcast.
// Gradients are summed over broadcast axes. Source: the TF ops of the same names.

/// a + b. Numbers of any dtype.
Tensor Add(const Tensor& a, const Tensor& b);
/// a - b.
Tensor Subtract(const Tensor& a, const Tensor& b);
/// a * b.
Tensor Multiply(const Tensor& a, const Tensor& b);
/// a / b, a real number: int32 and int64 become float64, smaller integers float32, as in Python.
Tensor Divide(const Tensor& a, const Tensor& b);
/// a / b, but 0 where b is 0. Integers become real numbers as with `Divide`.
Tensor DivideNoNan(const Tensor& a, const Tensor& b);
/// The larger one; NaN if one is NaN. Ties: the first gets the gradient.
Tensor Maximum(const Tensor& a, const Tensor& b);
/// The smaller one; NaN if one is NaN. Ties: the first gets the gradient.
Tensor Minimum(const Tensor& a, const Tensor& b);
/// (a - b)^2.
Tensor SquaredDifference(const Tensor& a, const Tensor& b);

/// -x.
Tensor Negative(const Tensor& x);
/// x * x.
Tensor Square(const Tensor& x);
/// |x|; the gradient at 0 is 0.
Tensor Abs(const Tensor& x);
/// -1, 0 or 1; NaN gives 1. The gradient is 0.
Tensor Sign(const Tensor& x);
/// 1 / x. Floating dtypes.
Tensor Reciprocal(const Tensor& x);
/// The square root, correctly rounded; NaN below 0. Floating dtypes. The gradient at 0 is infinite.
Tensor Sqrt(const Tensor& x);
/// 1 / sqrt(x). Floating dtypes.
Tensor Rsqrt(const Tensor& x);

/// a to the power b. Floating: 1 where b is 0 or a is 1, NaN for a negative base and a fraction;
/// integers: InvalidArgument where b is negative. The gradient to b is 0 where a <= 0.
Tensor Pow(const Tensor& a, const Tensor& b);
/// The angle of the point (x, y) in (-pi, pi]. Floating dtypes.
Tensor Atan2(const Tensor& y, const Tensor& x);

// Quotients and remainders of all numbers. Errors: InvalidArgument where an integer is divided by
// zero. No gradient flows through the quotients.

/// The quotient rounded down.
Tensor FloorDiv(const Tensor& a, const Tensor& b);
/// What FloorDiv leaves; it has the sign of b.
Tensor FloorMod(const Tensor& a, const Tensor& b);
/// The quotient without its fraction.
Tensor TruncateDiv(const Tensor& a, const Tensor& b);
/// What TruncateDiv leaves; it has the sign of a. Exact for reals.
Tensor TruncateMod(const Tensor& a, const Tensor& b);

// Rounding of floating dtypes; no gradient flows.

Tensor Floor(const Tensor& x);
Tensor Ceil(const Tensor& x);
/// To the nearest whole number, halves to the even one. Integers stay.
Tensor Round(const Tensor& x);
Tensor Rint(const Tensor& x);

// Elementary functions of floating dtypes, the same bits on every machine. Errors of the results
// stand in src/kernels/cpu/math.

Tensor Exp(const Tensor& x);
/// e^x - 1.
Tensor Expm1(const Tensor& x);
/// The natural logarithm; -inf at 0, NaN below.
Tensor Log(const Tensor& x);
/// log(1 + x).
Tensor Log1p(const Tensor& x);
Tensor Sin(const Tensor& x);
Tensor Cos(const Tensor& x);
Tensor Tan(const Tensor& x);
Tensor Asin(const Tensor& x);
Tensor Acos(const Tensor& x);
Tensor Atan(const Tensor& x);
Tensor Sinh(const Tensor& x);
Tensor Cosh(const Tensor& x);
Tensor Tanh(const Tensor& x);
Tensor Asinh(const Tensor& x);
Tensor Acosh(const Tensor& x);
Tensor Atanh(const Tensor& x);
Tensor Erf(const Tensor& x);
/// 1 - erf(x).
Tensor Erfc(const Tensor& x);
/// 1 / (1 + e^-x).
Tensor Sigmoid(const Tensor& x);
/// log |gamma(x)|.
Tensor Lgamma(const Tensor& x);
/// The derivative of Lgamma.
Tensor Digamma(const Tensor& x);
/// The `order`-th derivative of Digamma. InvalidArgument unless order is in [1, 100].
Tensor Polygamma(int order, const Tensor& x);

/// The sum of tensors of one dtype and shape, added from left to right.
/// Errors: InvalidArgument without inputs, or when their types differ. Source: TF AddN.
Tensor AddN(const std::vector<Tensor>& inputs);
/// The same. Source: tf.math.accumulate_n.
Tensor AccumulateN(const std::vector<Tensor>& inputs);

/// The elements as another dtype: reals lose their fraction on the way to integers; a value that
/// does not fit gives the smallest int32 or int64, of which int8, int16 and uint8 keep the low
/// bits; to bool: not 0. Gradients flow between floating dtypes. Source: TF Cast on a CPU.
Tensor Cast(const Tensor& x, DType dtype);

inline Tensor operator+(const Tensor& a, const Tensor& b) { return Add(a, b); }
inline Tensor operator-(const Tensor& a, const Tensor& b) { return Subtract(a, b); }
inline Tensor operator*(const Tensor& a, const Tensor& b) { return Multiply(a, b); }
inline Tensor operator/(const Tensor& a, const Tensor& b) { return Divide(a, b); }
inline Tensor operator-(const Tensor& x) { return Negative(x); }

}  // namespace lockstep
