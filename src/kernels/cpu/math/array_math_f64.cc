#include "kernels/cpu/math/array_math.h"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/math/array_math_f64.cc"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "kernels/cpu/math/array_math-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep::kernels::HWY_NAMESPACE {

void UnaryDouble(UnaryFunction function, const double* x, double* y, size_t n) {
  Unary(function, x, y, n);
}
void BinaryDouble(BinaryFunction function, const double* x, const double* y, double* z, size_t n) {
  Binary(function, x, y, z, n);
}

}  // namespace lockstep::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lockstep::kernels {

HWY_EXPORT(UnaryDouble);
HWY_EXPORT(BinaryDouble);

void UnaryF64(UnaryFunction function, const double* x, double* y, size_t n) {
  HWY_DYNAMIC_DISPATCH(UnaryDouble)(function, x, y, n);
}

void BinaryF64(BinaryFunction function, const double* x, const double* y, double* z, size_t n) {
  HWY_DYNAMIC_DISPATCH(BinaryDouble)(function, x, y, z, n);
}

}  // namespace lockstep::kernels
#endif  // HWY_ONCE
