#pragma once

#include <cmath>
#include <cstdint>
#include <limits>
#include <type_traits>

#include "lockstep/tensor/dtype.h"

namespace lockstep::kernels {

/// What sums of T are kept in: float32 for half precision, the unsigned type for integers, which
/// wrap around.
template <typename T>
struct SumTypeOf {
  using type = std::make_unsigned_t<T>;
};
template <>
struct SumTypeOf<float> {
  using type = float;
};
template <>
struct SumTypeOf<double> {
  using type = double;
};
template <>
struct SumTypeOf<bfloat16> {
  using type = float;
};
template <>
struct SumTypeOf<float16> {
  using type = float;
};
template <>
struct SumTypeOf<bool> {
  using type = bool;
};
template <typename T>
using SumType = typename SumTypeOf<T>::type;

/// What values of T are compared in.
template <typename T>
using CompareType = std::conditional_t<std::is_integral_v<T>, T, SumType<T>>;

// Operators of reductions. `Value` is what is kept; Map is applied to an element, Combine joins an
// earlier with a later value. Both work on numbers and on the compiler's vectors of them.

template <typename T>
struct SumOperator {
  using Value = SumType<T>;
  static constexpr Value kIdentity = 0;
  template <typename V>
  static V Map(V x) {
    return x;
  }
  template <typename V>
  static V Combine(V a, V b) {
    return static_cast<V>(a + b);
  }
};

template <typename T>
struct SumSquaresOperator : SumOperator<T> {
  template <typename V>
  static V Map(V x) {
    return static_cast<V>(x * x);
  }
};

template <typename T>
struct ProductOperator : SumOperator<T> {
  static constexpr SumType<T> kIdentity = 1;
  template <typename V>
  static V Combine(V a, V b) {
    return static_cast<V>(a * b);
  }
};

// A NaN wins, as in TensorFlow.
template <typename T>
struct MaxOperator {
  using Value = CompareType<T>;
  static constexpr Value kIdentity = std::numeric_limits<Value>::has_infinity
                                         ? -std::numeric_limits<Value>::infinity()
                                         : std::numeric_limits<Value>::lowest();
  template <typename V>
  static V Map(V x) {
    return x;
  }
  template <typename V>
  static V Combine(V a, V b) {
    return (a > b) | (a != a) ? a : b;
  }
};

template <typename T>
struct MinOperator : MaxOperator<T> {
  using Value = CompareType<T>;
  static constexpr Value kIdentity = std::numeric_limits<Value>::has_infinity
                                         ? std::numeric_limits<Value>::infinity()
                                         : std::numeric_limits<Value>::max();
  template <typename V>
  static V Combine(V a, V b) {
    return (a < b) | (a != a) ? a : b;
  }
};

struct AllOperator {
  using Value = bool;
  static constexpr bool kIdentity = true;
  static bool Map(bool x) { return x; }
  static bool Combine(bool a, bool b) { return a & b; }
};

struct AnyOperator : AllOperator {
  static constexpr bool kIdentity = false;
  static bool Combine(bool a, bool b) { return a | b; }
};

}  // namespace lockstep::kernels
