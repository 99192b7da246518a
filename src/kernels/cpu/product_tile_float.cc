#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/product_tile_float.cc"
#include <hwy/foreach_target.h>
#include "kernels/cpu/product_tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep::kernels::HWY_NAMESPACE {
const TileFunctions<float>* FloatFunctions() { return Functions<float>(); }
}  // namespace lockstep::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lockstep::kernels {
HWY_EXPORT(FloatFunctions);

template <>
const TileFunctions<float>& ChosenTileFunctions<float>() {
  return *HWY_DYNAMIC_DISPATCH(FloatFunctions)();
}
}  // namespace lockstep::kernels
#endif
