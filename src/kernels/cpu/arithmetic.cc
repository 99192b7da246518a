// Sums, products and the like: one loop an op and dtype.

#include <cmath>

#include "kernels/cpu/elementwise.h"

namespace lockstep::kernels {
namespace {

struct Add {
  template <typename T>
  LOCKSTEP_ELEMENT T Apply(T a, T b) {
    using W = Wrapping<T>;
    return static_cast<T>(static_cast<W>(a) + static_cast<W>(b));
  }
};

struct Subtract {
  template <typename T>
  LOCKSTEP_ELEMENT T Apply(T a, T b) {
    using W = Wrapping<T>;
    return static_cast<T>(static_cast<W>(a) - static_cast<W>(b));
  }
};

// Narrow unsigned factors would become int, whose product can overflow.
template <typename T>
LOCKSTEP_ELEMENT T Product(T a, T b) {
  if constexpr (std::is_integral_v<T> && sizeof(T) < sizeof(int)) {
    return static_cast<T>(static_cast<unsigned>(a) * static_cast<unsigned>(b));
  } else {
    using W = Wrapping<T>;
    return static_cast<T>(static_cast<W>(a) * static_cast<W>(b));
  }
}

struct Multiply {
  template <typename T>
  LOCKSTEP_ELEMENT T Apply(T a, T b) {
    return Product(a, b);
  }
};

struct Divide {
  template <typename T>
  LOCKSTEP_ELEMENT T Apply(T a, T b) {
    return a / b;
  }
};

struct DivideNoNan {
  template <typename T>
  LOCKSTEP_ELEMENT T Apply(T a, T b) {
    const T quotient = a / b;
    return b == T(0) ? T(0) : quotient;
  }
};

struct SquaredDifference {
  template <typename T>
  LOCKSTEP_ELEMENT T Apply(T a, T b) {
    const T difference = Subtract::Apply(a, b);
    return Product(difference, difference);
  }
};

// A NaN on either side is the result; equal values give the first.
struct Maximum {
  template <typename T>
  LOCKSTEP_ELEMENT T Apply(T a, T b) {
    const T larger = a < b ? b : a;
    return b != b ? b : larger;
  }
};

struct Minimum {
  template <typename T>
  LOCKSTEP_ELEMENT T Apply(T a, T b) {
    const T smaller = b < a ? b : a;
    return b != b ? b : smaller;
  }
};

struct Negate {
  template <typename T>
  LOCKSTEP_ELEMENT T Apply(T x) {
    if constexpr (std::is_integral_v<T>) {
      return static_cast<T>(Wrapping<T>(0) - static_cast<Wrapping<T>>(x));
    } else {
      return -x;
    }
  }
};

struct Square {
  template <typename T>
  LOCKSTEP_ELEMENT T Apply(T x) {
    return Product(x, x);
  }
};

struct Absolute {
  template <typename T>
  LOCKSTEP_ELEMENT T Apply(T x) {
    if constexpr (std::is_integral_v<T>) {
      return x < T(0) ? Negate::Apply(x) : x;
    } else {
      return std::fabs(x);  // clears a bit
    }
  }
};

// NaN's sign is NaN, as in TensorFlow.
struct Sign {
  template <typename T>
  LOCKSTEP_ELEMENT T Apply(T x) {
    if constexpr (std::is_integral_v<T>) {
      const T positive = x == T(0) ? T(0) : T(1);
      if constexpr (std::is_unsigned_v<T>) return positive;
      return x < T(0) ? static_cast<T>(-1) : positive;
    } else {
      const T positive = x > T(0) ? T(1) : x - x;  // 0 of 0, NaN of NaN
      return x < T(0) ? T(-1) : positive;
    }
  }
};

struct Reciprocal {
  template <typename T>
  LOCKSTEP_ELEMENT T Apply(T x) {
    return T(1) / x;
  }
};

// The processor's square root is correctly rounded.
struct SquareRoot {
  static constexpr double kCost = 4;
  template <typename T>
  LOCKSTEP_ELEMENT T Apply(T x) {
    return std::sqrt(x);
  }
};

struct ReciprocalSquareRoot {
  static constexpr double kCost = 8;
  template <typename T>
  LOCKSTEP_ELEMENT T Apply(T x) {
    return T(1) / std::sqrt(x);
  }
};

const RegisterKernel kAdd("AddV2", MakeBinary<Add, kNumberTypes>);
const RegisterKernel kSub("Sub", MakeBinary<Subtract, kNumberTypes>);
const RegisterKernel kMul("Mul", MakeBinary<Multiply, kNumberTypes>);
const RegisterKernel kRealDiv("RealDiv", MakeBinary<Divide, kRealTypes>);
const RegisterKernel kDivNoNan("DivNoNan", MakeBinary<DivideNoNan, kRealTypes>);
const RegisterKernel kSquaredDifference("SquaredDifference",
                                        MakeBinary<SquaredDifference, kNumberTypes>);
const RegisterKernel kMaximum("Maximum", MakeBinary<Maximum, kNumberTypes>);
const RegisterKernel kMinimum("Minimum", MakeBinary<Minimum, kNumberTypes>);
const RegisterKernel kNeg("Neg", MakeUnary<Negate, kNumberTypes>);
const RegisterKernel kSquare("Square", MakeUnary<Square, kNumberTypes>);
const RegisterKernel kAbs("Abs", MakeUnary<Absolute, kNumberTypes>);
const RegisterKernel kSign("Sign", MakeUnary<Sign, kNumberTypes>);
const RegisterKernel kReciprocal("Reciprocal", MakeUnary<Reciprocal, kRealTypes>);
const RegisterKernel kSqrt("Sqrt", MakeUnary<SquareRoot, kRealTypes>);
const RegisterKernel kRsqrt("Rsqrt", MakeUnary<ReciprocalSquareRoot, kRealTypes>);

}  // namespace
}  // namespace lockstep::kernels
