// Powers, angles, and the derivatives of digamma.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "kernels/cpu/elementwise.h"
#include "kernels/cpu/math/array_math.h"
#include "kernels/failure.h"

namespace lockstep::kernels {
namespace {

void Compute(BinaryFunction function, const float* x, const float* y, float* z, int64_t count) {
  BinaryF32(function, x, y, z, static_cast<size_t>(count));
}
void Compute(BinaryFunction function, const double* x, const double* y, double* z, int64_t count) {
  BinaryF64(function, x, y, z, static_cast<size_t>(count));
}

// The array functions take two arrays: an operand that stays is repeated for a piece.
template <BinaryFunction kFunction, typename T>
void ArrayLoop(const void* a, const void* b, void* out, int64_t count, StayingOperands staying,
               const double*) {
  const T* left = static_cast<const T*>(a);
  const T* right = static_cast<const T*>(b);
  T* to = static_cast<T*>(out);
  if (staying == 0) return Compute(kFunction, left, right, to, count);
  constexpr int64_t kPiece = 512;
  alignas(64) std::array<T, kPiece> lefts, rights;
  lefts.fill(*left);
  rights.fill(*right);
  for (int64_t i = 0; i < count; i += kPiece) {
    Compute(kFunction, staying & 1 ? lefts.data() : left + i,
            staying & 2 ? rights.data() : right + i, to + i, std::min(kPiece, count - i));
  }
}

// By repeated squaring; wraps around.
template <typename T>
T IntegerPower(T base, T exponent) {
  using U = std::make_unsigned_t<T>;
  if constexpr (std::is_signed_v<T>) {
    if (exponent < 0) {
      throw Error(Code::kInvalidArgument,
                  "[Pow] an integer needs an exponent that is not negative; got " +
                      std::to_string(base) + " to the power " + std::to_string(exponent) +
                      "; cast to a floating dtype");
    }
  }
  uint64_t result = 1, power = static_cast<U>(base);
  for (U rest = static_cast<U>(exponent); rest != 0; rest = static_cast<U>(rest >> 1)) {
    if (rest & 1) result *= power;
    power *= power;
  }
  return static_cast<T>(result);
}

struct Power {
  static constexpr double kCost = 40;
  template <typename T>
  static T Apply(T a, T b) {
    return IntegerPower(a, b);
  }
};

template <BinaryFunction kFunction>
LoopChoice ChooseReal(DType dtype) {
  LoopChoice choice;
  choice.cost = 40;
  choice.widen = IsHalf(dtype);
  if (dtype == DType::kFloat32 || choice.widen) choice.binary = ArrayLoop<kFunction, float>;
  if (dtype == DType::kFloat64) choice.binary = ArrayLoop<kFunction, double>;
  return choice;
}

std::unique_ptr<Kernel> MakePow(const KernelSpec& spec) {
  const DType dtype = spec.inputs[0].dtype;
  return MakeElementwise(spec, IsFloating(dtype)
                                   ? ChooseReal<BinaryFunction::kPow>(dtype)
                                   : ChooseLoop<Power, kIntegerTypes, GetBinary>(dtype));
}
const RegisterKernel kPow("Pow", MakePow);

std::unique_ptr<Kernel> MakeAtan2(const KernelSpec& spec) {
  return MakeElementwise(spec, ChooseReal<BinaryFunction::kAtan2>(spec.inputs[0].dtype));
}
const RegisterKernel kAtan2("Atan2", MakeAtan2);

double WholePower(double x, int exponent) {
  double result = 1, power = x;
  for (int rest = exponent; rest > 0; rest /= 2) {
    if (rest & 1) result *= power;
    power *= power;
  }
  return result;
}

// Hurwitz's zeta(s, x) = sum over k >= 0 of (x + k)^-s for x > 0: the first terms one by one, the
// others by Euler and Maclaurin.
double HurwitzZeta(int s, double x) {
  double sum = 0;
  for (; x < 12 + s; x += 1) sum += 1 / WholePower(x, s);
  const double tail = 1 / WholePower(x, s);
  sum += tail * x / (s - 1) + tail / 2;
  // Bernoulli's numbers B_2j over (2j)!.
  constexpr double kCoefficients[] = {1.0 / 12,         -1.0 / 720,     1.0 / 30240,
                                      -1.0 / 1209600,   1.0 / 47900160, -691.0 / 1307674368000,
                                      1.0 / 74724249600};
  double factor = tail * s / x;
  for (int j = 0; j < 7; ++j) {
    sum += kCoefficients[j] * factor;
    factor *= (s + 2 * j + 1) * (s + 2 * j + 2) / (x * x);
  }
  return sum;
}

// The terms of a negative x on both sides of zero are two sums of positive ones.
double ZetaAnywhere(int s, double x) {
  if (x > 0) return x > std::numeric_limits<double>::max() ? 0 : HurwitzZeta(s, x);
  const double whole = std::floor(x);
  if (x != x || x - x != 0) return std::numeric_limits<double>::quiet_NaN();
  if (x == whole) {
    return s % 2 == 0 ? std::numeric_limits<double>::infinity()
                      : std::numeric_limits<double>::quiet_NaN();
  }
  const double fraction = x - whole;
  const double mirrored = HurwitzZeta(s, 1 - fraction) - HurwitzZeta(s, 1 - x);
  return HurwitzZeta(s, fraction) + (s % 2 == 0 ? mirrored : -mirrored);
}

// The n-th derivative of digamma: (-1)^(n + 1) n! zeta(n + 1, x); computed in double.
template <typename T>
void PolygammaLoop(const void* x, void* out, int64_t count, const double* parameters) {
  const int order = static_cast<int>(parameters[0]);
  double factor = order % 2 == 0 ? -1 : 1;
  for (int i = 2; i <= order; ++i) factor *= i;
  const T* from = static_cast<const T*>(x);
  T* to = static_cast<T*>(out);
  for (int64_t i = 0; i < count; ++i) {
    to[i] = static_cast<T>(factor * ZetaAnywhere(order + 1, static_cast<double>(from[i])));
  }
}

std::unique_ptr<Kernel> MakePolygamma(const KernelSpec& spec) {
  const DType dtype = spec.inputs[0].dtype;
  LoopChoice choice;
  choice.cost = 200;
  choice.widen = IsHalf(dtype);
  if (dtype == DType::kFloat32 || choice.widen) choice.unary = PolygammaLoop<float>;
  if (dtype == DType::kFloat64) choice.unary = PolygammaLoop<double>;
  return MakeElementwise(spec, choice,
                         {static_cast<double>(spec.attributes.Get<int64_t>("order"))});
}
const RegisterKernel kPolygamma("Polygamma", MakePolygamma);
const RegisterFailure kPowFails("Pow", Failure::kForIntegers);

}  // namespace
}  // namespace lockstep::kernels
