#pragma once

#include <cstdint>
#include <memory>
#include <type_traits>

#include "kernels/kernel.h"

namespace lockstep::kernels {

/// A list of element types.
template <typename... Ts>
struct Types {};

using RealTypes = Types<float, double>;
using FloatingTypes = Types<float, double, bfloat16, float16>;
using IntegerTypes = Types<int32_t, int64_t, int8_t, int16_t, uint8_t>;
using NumberTypes =
    Types<float, double, bfloat16, float16, int32_t, int64_t, int8_t, int16_t, uint8_t>;
using IndexTypes = Types<int32_t, int64_t>;

/// `make(std::type_identity<T>())` for the T of the list that `dtype` stands for; null for none.
template <typename... Ts, typename Make>
std::unique_ptr<Kernel> ForDType(Types<Ts...>, DType dtype, Make make) {
  std::unique_ptr<Kernel> kernel;
  ((kDTypeOf<Ts> == dtype ? (kernel = make(std::type_identity<Ts>()), true) : false) || ...);
  return kernel;
}

/// K<T> for the floating-point type T of the first output if that has 32 or 64 bits; else null.
template <template <typename> class K>
std::unique_ptr<Kernel> MakeForReals(const KernelSpec& spec) {
  return ForDType(RealTypes(), spec.outputs[0].dtype,
                  [&]<typename T>(std::type_identity<T>) { return std::make_unique<K<T>>(spec); });
}

}  // namespace lockstep::kernels
