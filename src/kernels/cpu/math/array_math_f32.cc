#include "kernels/cpu/math/array_math.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/math/array_math_f32.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "kernels/cpu/math/array_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep::kernels::HWY_NAMESPACE {

void UnaryFloat(UnaryFunction function, const float* x, float* y, size_t n) {
  Unary(function, x, y, n);
}
void BinaryFloat(BinaryFunction function, const float* x, const float* y, float* z, size_t n) {
  Binary(function, x, y, z, n);
}

}  // namespace lockstep::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lockstep::kernels {

HWY_EXPORT(UnaryFloat);
HWY_EXPORT(BinaryFloat);

void UnaryF32(UnaryFunction function, const float* x, float* y, size_t n) {
  HWY_DYNAMIC_DISPATCH(UnaryFloat)(function, x, y, n);
}

void BinaryF32(BinaryFunction function, const float* x, const float* y, float* z, size_t n) {
  HWY_DYNAMIC_DISPATCH(BinaryFloat)(function, x, y, z, n);
}

}  // namespace lockstep::kernels
#endif  // HWY_ONCE
