#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/product_tile_double.cc"
#include <hwy/foreach_target.h>
#include "kernels/cpu/product_tile-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep::kernels::HWY_NAMESPACE {
const TileFunctions<double>* DoubleFunctions() { return Functions<double>(); }
}  // namespace lockstep::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lockstep::kernels {
HWY_EXPORT(DoubleFunctions);

template <>
const TileFunctions<double>& ChosenTileFunctions<double>() {
  return *HWY_DYNAMIC_DISPATCH(DoubleFunctions)();
}
}  // namespace lockstep::kernels
#endif
