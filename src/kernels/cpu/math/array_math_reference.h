#pragma once

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "kernels/cpu/math/array_math.h"

/// What the tests compare with: libm's 80-bit functions, and how far each function may err.

namespace lockstep::kernels {

/// The error is counted in units of the last place of the result, or of the larger of it and
/// another size where the result is a difference that the definition cannot avoid.
enum class ErrorUnit { kResult, kResultOrOne, kArgument, kReflection };

struct FunctionCase {
  UnaryFunction function;
  const char* name;
  long double (*exact)(long double);
  double max_float_error;
  double max_double_error;
  ErrorUnit unit = ErrorUnit::kResult;
};

inline long double ExactDigamma(long double x) {
  constexpr long double kPi = std::numbers::pi_v<long double>;
  if (x <= 0 && std::round(x) == x) return NAN;
  if (x < 0) {
    const long double side = -x - std::round(-x);
    return ExactDigamma(-x) - 1 / x + kPi * std::cos(kPi * side) / std::sin(kPi * side);
  }
  long double sum = 0;
  for (; x < 40; x += 1) sum -= 1 / x;
  const long double z = 1 / (x * x);
  const long double series =
      z * (1.0L / 12 -
           z * (1.0L / 120 -
                z * (1.0L / 252 - z * (1.0L / 240 - z * (1.0L / 132 - z * 691.0L / 32760)))));
  return sum + std::log(x) - 0.5L / x - series;
}

inline long double ExactBell(long double x) {
  return std::exp(-x * x / 2) / std::sqrt(2 * std::numbers::pi_v<long double>);
}
inline long double ExactNormal(long double x) {
  return std::erfc(-x / std::numbers::sqrt2_v<long double>) / 2;
}
inline long double ExactSoftplus(long double x) {
  return x > 0 ? x + std::log1p(std::exp(-x)) : std::log1p(std::exp(x));
}
inline long double ExactGeluTanh(long double x) {
  const long double inner =
      std::sqrt(2 / std::numbers::pi_v<long double>) * (x + 0.044715L * x * x * x);
  return 0.5L * x * (1 + std::tanh(inner));
}
inline long double ExactGeluTanhDerivative(long double x) {
  const long double root = std::sqrt(2 / std::numbers::pi_v<long double>);
  const long double t = std::tanh(root * (x + 0.044715L * x * x * x));
  const long double slope = root * (1 + 3 * 0.044715L * x * x);
  return 0.5L * (1 + t) + (std::abs(x) > 30 ? 0 : 0.5L * x * (1 - t * t) * slope);
}

#define LOCKSTEP_LIBM(f) [](long double x) { return std::f(x); }

inline constexpr FunctionCase kFunctionCases[] = {
    {UnaryFunction::kExp, "exp", LOCKSTEP_LIBM(exp), 1.1, 1.1},
    {UnaryFunction::kExpm1, "expm1", LOCKSTEP_LIBM(expm1), 1, 2},
    {UnaryFunction::kLog, "log", LOCKSTEP_LIBM(log), 1, 1},
    {UnaryFunction::kLog1p, "log1p", LOCKSTEP_LIBM(log1p), 1, 1},
    {UnaryFunction::kSin, "sin", LOCKSTEP_LIBM(sin), 1, 1},
    {UnaryFunction::kCos, "cos", LOCKSTEP_LIBM(cos), 1, 1},
    {UnaryFunction::kTan, "tan", LOCKSTEP_LIBM(tan), 1, 2.5},
    {UnaryFunction::kAsin, "asin", LOCKSTEP_LIBM(asin), 1, 2},
    {UnaryFunction::kAcos, "acos", LOCKSTEP_LIBM(acos), 1, 2},
    {UnaryFunction::kAtan, "atan", LOCKSTEP_LIBM(atan), 1, 1.5},
    {UnaryFunction::kSinh, "sinh", LOCKSTEP_LIBM(sinh), 1, 2.5},
    {UnaryFunction::kCosh, "cosh", LOCKSTEP_LIBM(cosh), 1, 1.5},
    {UnaryFunction::kTanh, "tanh", LOCKSTEP_LIBM(tanh), 1.5, 3},
    {UnaryFunction::kAsinh, "asinh", LOCKSTEP_LIBM(asinh), 1, 3},
    {UnaryFunction::kAcosh, "acosh", LOCKSTEP_LIBM(acosh), 1, 3},
    {UnaryFunction::kAtanh, "atanh", LOCKSTEP_LIBM(atanh), 1, 3},
    {UnaryFunction::kErf, "erf", LOCKSTEP_LIBM(erf), 2, 2},
    {UnaryFunction::kErfc, "erfc", LOCKSTEP_LIBM(erfc), 1, 4},
    {UnaryFunction::kSqrt, "sqrt", LOCKSTEP_LIBM(sqrt), 0.5, 0.5},
    {UnaryFunction::kRsqrt, "rsqrt", [](long double x) { return 1 / std::sqrt(x); }, 1.5, 1.5},
    {UnaryFunction::kSigmoid, "sigmoid", [](long double x) { return 1 / (1 + std::exp(-x)); }, 2.5,
     2.5},
    {UnaryFunction::kLogSigmoid, "log_sigmoid", [](long double x) { return -ExactSoftplus(-x); }, 1,
     2},
    {UnaryFunction::kSoftplus, "softplus", ExactSoftplus, 1, 2},
    {UnaryFunction::kGelu, "gelu", [](long double x) { return x * ExactNormal(x); }, 2, 2,
     ErrorUnit::kArgument},
    {UnaryFunction::kGeluDerivative, "gelu_derivative",
     [](long double x) { return ExactNormal(x) + (std::abs(x) > 50 ? 0 : x * ExactBell(x)); }, 3, 3,
     ErrorUnit::kResultOrOne},
    {UnaryFunction::kGeluTanh, "gelu_tanh", ExactGeluTanh, 2.5, 2.5, ErrorUnit::kArgument},
    {UnaryFunction::kGeluTanhDerivative, "gelu_tanh_derivative", ExactGeluTanhDerivative, 3, 3,
     ErrorUnit::kResultOrOne},
    {UnaryFunction::kLgamma, "lgamma", LOCKSTEP_LIBM(lgamma), 1, 5, ErrorUnit::kReflection},
    {UnaryFunction::kDigamma, "digamma", ExactDigamma, 1, 10, ErrorUnit::kReflection},
};

#undef LOCKSTEP_LIBM

/// The error of `value` in units of the case, with `exact` the result for `argument`; 0 where both
/// are the same infinity or both NaN.
template <typename T>
double ErrorInUnits(const FunctionCase& function, T argument, T value, long double exact) {
  const T rounded = static_cast<T>(exact);
  if (std::isnan(rounded)) return std::isnan(value) ? 0 : INFINITY;
  if (std::isinf(rounded)) return value == rounded ? 0 : INFINITY;
  T size = std::abs(rounded);
  if (function.unit == ErrorUnit::kResultOrOne) size = std::max(size, T{1});
  if (function.unit == ErrorUnit::kReflection) {
    const auto reflected = static_cast<T>(std::abs(function.exact(std::abs(argument))));
    size = std::max({size, T{1}, argument < 0 && std::isfinite(reflected) ? reflected : T{0}});
  }
  if (function.unit == ErrorUnit::kArgument) size = std::max(size, std::abs(argument));
  if (std::isinf(value)) return INFINITY;
  const T above = std::nextafter(size, T{INFINITY});
  const long double unit = std::isinf(above)
                               ? static_cast<long double>(size) - std::nextafter(size, T{0})
                               : static_cast<long double>(above) - size;
  return static_cast<double>(std::abs(value - exact) / unit);
}

}  // namespace lockstep::kernels
