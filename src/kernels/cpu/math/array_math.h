#pragma once

#include <cstddef>

/// Elementary functions over arrays, for kernels that need no Highway of their own. Same bits with
/// AVX2 and AVX-512 and whatever the array's length and alignment; no libm. Range and maximal error
/// of each function stand at its vector form in kernels/cpu/math/*-inl.h.

namespace lockstep::kernels {

enum class UnaryFunction {
  kExp,
  kExpm1,
  kLog,
  kLog1p,
  kSin,
  kCos,
  kTan,
  kAsin,
  kAcos,
  kAtan,
  kSinh,
  kCosh,
  kTanh,
  kAsinh,
  kAcosh,
  kAtanh,
  kErf,
  kErfc,
  kSqrt,
  kRsqrt,
  kSigmoid,
  kLogSigmoid,
  kSoftplus,
  kGelu,
  kGeluDerivative,
  kGeluTanh,
  kGeluTanhDerivative,
  kLgamma,
  kDigamma,
};
inline constexpr int kUnaryFunctions = 29;

enum class BinaryFunction {
  kPow,    // x^y
  kAtan2,  // the angle of the point (y, x): x is the ordinate, as in tf.atan2(y, x)
};
inline constexpr int kBinaryFunctions = 2;

/// y[i] = function(x[i]) for i < n; y may be x, else they do not overlap.
void UnaryF32(UnaryFunction function, const float* x, float* y, size_t n);
void UnaryF64(UnaryFunction function, const double* x, double* y, size_t n);

/// z[i] = function(x[i], y[i]) for i < n; z may be x or y, else they do not overlap.
void BinaryF32(BinaryFunction function, const float* x, const float* y, float* z, size_t n);
void BinaryF64(BinaryFunction function, const double* x, const double* y, double* z, size_t n);

}  // namespace lockstep::kernels
