// Quotients and remainders of whole numbers, and the same for reals.

#include <bit>
#include <cmath>
#include <string>

#include "kernels/cpu/elementwise.h"
#include "kernels/failure.h"

namespace lockstep::kernels {
namespace {

template <typename T>
struct Layout;
template <>
struct Layout<float> {
  using Bits = uint32_t;
  static constexpr int kFraction = 23;
};
template <>
struct Layout<double> {
  using Bits = uint64_t;
  static constexpr int kFraction = 52;
};

// |x| as significand * 2^(exponent - 1), exponent >= 1.
template <typename T>
void Decompose(T x, uint64_t& significand, int& exponent) {
  using L = Layout<T>;
  constexpr uint64_t kOne = uint64_t{1} << L::kFraction;
  const uint64_t bits = std::bit_cast<typename L::Bits>(std::fabs(x));
  exponent = static_cast<int>(bits >> L::kFraction);
  significand = bits & (kOne - 1);
  exponent == 0 ? static_cast<void>(exponent = 1) : static_cast<void>(significand |= kOne);
}

// A value below 2^(fraction + 1) as a number again; exact.
template <typename T>
T Compose(uint64_t significand, int exponent) {
  using L = Layout<T>;
  constexpr uint64_t kOne = uint64_t{1} << L::kFraction;
  while (significand < kOne && exponent > 1) {
    significand <<= 1;
    --exponent;
  }
  const uint64_t bits =
      significand < kOne ? significand
                         : (static_cast<uint64_t>(exponent) << L::kFraction) | (significand - kOne);
  return std::bit_cast<T>(static_cast<typename L::Bits>(bits));
}

// The remainder of truncating division, which is always exact: a long division of significands.
template <typename T>
T Remainder(T a, T b) {
  if (a != a || b != b || b == T(0) || a - a != T(0)) return std::numeric_limits<T>::quiet_NaN();
  if (b - b != T(0) || std::fabs(a) < std::fabs(b)) return a;
  uint64_t rest, divisor;
  int a_exponent, b_exponent;
  Decompose(a, rest, a_exponent);
  Decompose(b, divisor, b_exponent);
  constexpr int kStep = 63 - Layout<T>::kFraction;
  rest %= divisor;
  for (int left = a_exponent - b_exponent; left > 0 && rest > 0; left -= kStep) {
    rest = (rest << std::min(left, kStep)) % divisor;
  }
  return std::copysign(Compose<T>(rest, b_exponent), a);
}

template <typename T>
[[noreturn]] void ThrowZero(const char* op, T dividend) {
  throw Error(Code::kInvalidArgument, std::string("[") + op +
                                          "] an integer cannot be divided by zero; got " +
                                          std::to_string(dividend) + " and 0");
}

// The smallest number divided by -1 wraps around, which the processor would refuse.
template <typename T>
T Quotient(const char* op, T a, T b) {
  if (b == 0) ThrowZero(op, a);
  if (std::is_signed_v<T> && b == T(-1)) {
    return static_cast<T>(std::make_unsigned_t<T>(0) - std::make_unsigned_t<T>(a));
  }
  return static_cast<T>(a / b);
}

template <typename T>
T IntegerRemainder(const char* op, T a, T b) {
  if (b == 0) ThrowZero(op, a);
  return std::is_signed_v<T> && b == T(-1) ? T(0) : static_cast<T>(a % b);
}

struct FloorDivide {
  static constexpr double kCost = 8;
  template <typename T>
  static T Apply(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      return std::floor(a / b);
    } else {
      const T quotient = Quotient("FloorDiv", a, b);
      if constexpr (std::is_unsigned_v<T>) return quotient;
      const bool inexact = b != T(-1) && a % b != 0;
      return static_cast<T>(quotient - (inexact && (a < 0) != (b < 0) ? 1 : 0));
    }
  }
};

struct FloorModulo {
  static constexpr double kCost = 16;
  template <typename T>
  static T Apply(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      const T rest = Remainder(a, b);
      return rest != T(0) && (b < T(0)) != (rest < T(0)) ? rest + b : rest;
    } else {
      const T rest = IntegerRemainder("FloorMod", a, b);
      if constexpr (std::is_unsigned_v<T>) return rest;
      return static_cast<T>(rest != 0 && (b < 0) != (rest < 0) ? rest + b : rest);
    }
  }
};

struct TruncateDivide {
  static constexpr double kCost = 8;
  template <typename T>
  static T Apply(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      return std::trunc(a / b);
    } else {
      return Quotient("TruncateDiv", a, b);
    }
  }
};

struct TruncateModulo {
  static constexpr double kCost = 16;
  template <typename T>
  static T Apply(T a, T b) {
    if constexpr (std::is_floating_point_v<T>) {
      return Remainder(a, b);
    } else {
      return IntegerRemainder("TruncateMod", a, b);
    }
  }
};

const RegisterKernel kFloorDiv("FloorDiv", MakeBinary<FloorDivide, kNumberTypes>);
const RegisterKernel kFloorMod("FloorMod", MakeBinary<FloorModulo, kNumberTypes>);
const RegisterKernel kTruncateDiv("TruncateDiv", MakeBinary<TruncateDivide, kNumberTypes>);
const RegisterKernel kTruncateMod("TruncateMod", MakeBinary<TruncateModulo, kNumberTypes>);
const RegisterFailure kFloorDivFails("FloorDiv", Failure::kForIntegers);
const RegisterFailure kFloorModFails("FloorMod", Failure::kForIntegers);
const RegisterFailure kTruncateDivFails("TruncateDiv", Failure::kForIntegers);
const RegisterFailure kTruncateModFails("TruncateMod", Failure::kForIntegers);

}  // namespace
}  // namespace lockstep::kernels
