#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>
#include <vector>

#include "kernels/kernel.h"

/// On a function whose loops the compiler is to turn into vector code.
#if defined(__clang__)
#define LOCKSTEP_VECTOR_LOOPS
#else
#define LOCKSTEP_VECTOR_LOOPS __attribute__((optimize("O3")))
#endif
#define LOCKSTEP_ELEMENT [[gnu::always_inline]] static inline

namespace lockstep::kernels {

/// Which of a loop's operands stay at one element: bit i for operand i.
using StayingOperands = uint32_t;

/// Computes `count` elements. `parameters` are numbers of the op itself (a slope, a bound).
using UnaryLoop = void (*)(const void* x, void* out, int64_t count, const double* parameters);
using BinaryLoop = void (*)(const void* a, const void* b, void* out, int64_t count,
                            StayingOperands staying, const double* parameters);

/// The dtypes that a family of loops covers. bfloat16 and float16 use the float loop: they are
/// converted in pieces, and a result of the inputs' dtype is rounded once.
enum DTypeSet : unsigned {
  kRealTypes = 1,
  kIntegerTypes = 2,
  kBoolType = 4,
  kNumberTypes = kRealTypes | kIntegerTypes,
  kAllTypes = kNumberTypes | kBoolType,
};

template <typename T>
inline constexpr unsigned kSetOf = std::is_same_v<T, bool>       ? kBoolType
                                   : std::is_floating_point_v<T> ? kRealTypes
                                                                 : kIntegerTypes;

/// out[i] = F::Apply(x[i]); `F` may take the parameters as a second argument.
template <typename F, typename T>
LOCKSTEP_VECTOR_LOOPS void UnaryLoopOf(const void* x, void* out, int64_t count,
                                       const double* parameters) {
  const T* from = static_cast<const T*>(x);
  if constexpr (requires { F::Apply(T{}, T{}, T{}); }) {
    using R = decltype(F::Apply(T{}, T{}, T{}));
    R* to = static_cast<R*>(out);
    const T first = static_cast<T>(parameters[0]);
    const T second = static_cast<T>(parameters[1]);
    for (int64_t i = 0; i < count; ++i) to[i] = F::Apply(from[i], first, second);
  } else {
    using R = decltype(F::Apply(T{}));
    R* to = static_cast<R*>(out);
    for (int64_t i = 0; i < count; ++i) to[i] = F::Apply(from[i]);
  }
}

/// out[i] = F::Apply(a[i], b[i]); `F` may take the parameters as further arguments.
template <typename F, typename T>
LOCKSTEP_VECTOR_LOOPS void BinaryLoopOf(const void* a, const void* b, void* out, int64_t count,
                                        StayingOperands staying, const double* parameters) {
  const T* left = static_cast<const T*>(a);
  const T* right = static_cast<const T*>(b);
  if constexpr (requires { F::Apply(T{}, T{}, T{}, T{}); }) {
    using R = decltype(F::Apply(T{}, T{}, T{}, T{}));
    R* to = static_cast<R*>(out);
    const T first = static_cast<T>(parameters[0]);
    const T second = static_cast<T>(parameters[1]);
    const int64_t left_step = staying & 1 ? 0 : 1;
    const int64_t right_step = staying & 2 ? 0 : 1;
    if (left_step + right_step == 2) {
      for (int64_t i = 0; i < count; ++i) to[i] = F::Apply(left[i], right[i], first, second);
    } else {
      for (int64_t i = 0; i < count; ++i) {
        to[i] = F::Apply(left[i * left_step], right[i * right_step], first, second);
      }
    }
  } else {
    using R = decltype(F::Apply(T{}, T{}));
    R* to = static_cast<R*>(out);
    if (count == 1 || (staying & 3) == 0) {
      for (int64_t i = 0; i < count; ++i) to[i] = F::Apply(left[i], right[i]);
    } else if (staying & 1) {
      const T value = *left;
      for (int64_t i = 0; i < count; ++i) to[i] = F::Apply(value, right[i]);
    } else {
      const T value = *right;
      for (int64_t i = 0; i < count; ++i) to[i] = F::Apply(left[i], value);
    }
  }
}

/// What to run for a dtype, and whether its elements must be widened to float first.
struct LoopChoice {
  UnaryLoop unary = nullptr;
  BinaryLoop binary = nullptr;
  bool widen = false;
  double cost = 1;  // floating-point operations an element, roughly
};

template <typename F, unsigned kTypes, template <typename, typename> class Get>
LoopChoice ChooseLoop(DType dtype) {
  LoopChoice choice;
  if constexpr (requires { F::kCost; }) choice.cost = F::kCost;
  if constexpr ((kTypes & kRealTypes) != 0) {
    if (dtype == DType::kFloat32) Get<F, float>::Into(choice);
    if (dtype == DType::kFloat64) Get<F, double>::Into(choice);
    if (IsHalf(dtype)) {
      Get<F, float>::Into(choice);
      choice.widen = true;
    }
  }
  if constexpr ((kTypes & kIntegerTypes) != 0) {
    if (dtype == DType::kInt8) Get<F, int8_t>::Into(choice);
    if (dtype == DType::kInt16) Get<F, int16_t>::Into(choice);
    if (dtype == DType::kInt32) Get<F, int32_t>::Into(choice);
    if (dtype == DType::kInt64) Get<F, int64_t>::Into(choice);
    if (dtype == DType::kUInt8) Get<F, uint8_t>::Into(choice);
  }
  if constexpr ((kTypes & kBoolType) != 0) {
    if (dtype == DType::kBool) Get<F, bool>::Into(choice);
  }
  return choice;
}

template <typename F, typename T>
struct GetUnary {
  static void Into(LoopChoice& choice) { choice.unary = UnaryLoopOf<F, T>; }
};
template <typename F, typename T>
struct GetBinary {
  static void Into(LoopChoice& choice) { choice.binary = BinaryLoopOf<F, T>; }
};

/// A kernel that runs `loop` over output 0. nullptr when there is no loop.
std::unique_ptr<Kernel> MakeElementwise(const KernelSpec& spec, const LoopChoice& loop,
                                        std::vector<double> parameters = {});

/// Factories to register: `const RegisterKernel kAdd("AddV2", MakeBinary<Add, kNumberTypes>);`
template <typename F, unsigned kTypes>
std::unique_ptr<Kernel> MakeUnary(const KernelSpec& spec) {
  return MakeElementwise(spec, ChooseLoop<F, kTypes, GetUnary>(spec.inputs[0].dtype));
}
template <typename F, unsigned kTypes>
std::unique_ptr<Kernel> MakeBinary(const KernelSpec& spec) {
  return MakeElementwise(spec, ChooseLoop<F, kTypes, GetBinary>(spec.inputs[0].dtype));
}

/// Integer arithmetic wraps around, as TensorFlow's does, without undefined behaviour.
template <typename T>
using Wrapping = typename std::conditional_t<std::is_integral_v<T> && !std::is_same_v<T, bool>,
                                             std::make_unsigned<T>, std::type_identity<T>>::type;

}  // namespace lockstep::kernels
