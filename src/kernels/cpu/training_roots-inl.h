// Roots and inverses for updates, the same bits on every processor. Included once a target.

#if defined(LOCKSTEP_TRAINING_ROOTS_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCKSTEP_TRAINING_ROOTS_INL_H
#undef LOCKSTEP_TRAINING_ROOTS_INL_H
#else
#define LOCKSTEP_TRAINING_ROOTS_INL_H
#endif

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// 1 / sqrt(x) for x >= 0, to 2 units in the last place; a large finite number for 0. The
/// processor's divider would take three times as long, and the bits of its estimates differ between
/// makers, so the first estimate is the integer one, sharpened by three Newton steps.
template <class D, class V>
HWY_INLINE V InverseSquareRoot(D d, V x) {
  const hn::RebindToSigned<D> di;
  const V half = hn::Mul(x, hn::Set(d, 0.5f));
  V y = hn::BitCast(d, hn::Sub(hn::Set(di, 0x5f375a86), hn::ShiftRight<1>(hn::BitCast(di, x))));
  for (int step = 0; step < 3; ++step) {
    y = hn::Mul(y, hn::NegMulAdd(hn::Mul(half, y), y, hn::Set(d, 1.5f)));
  }
  return y;
}

/// 1 / x for finite positive normal x, to 2 units in the last place, in the same way.
template <class D, class V>
HWY_INLINE V Inverse(D d, V x) {
  const hn::RebindToSigned<D> di;
  const V one = hn::Set(d, 1.0f);
  V y = hn::BitCast(d, hn::Sub(hn::Set(di, 0x7ef311c7), hn::BitCast(di, x)));
  for (int step = 0; step < 3; ++step) y = hn::MulAdd(y, hn::NegMulAdd(x, y, one), y);
  return y;
}

/// 1 / (sqrt(x) + epsilon); 0 for an infinite x, NaN for NaN and for 0 with epsilon 0. Max error: 4
/// units in the last place (float32), 2 (float64).
template <class D, class V>
HWY_INLINE V InverseOfRootPlus(D d, V x, double epsilon) {
  using T = hn::TFromD<D>;
  const V plus = hn::Set(d, static_cast<T>(epsilon));
  if constexpr (sizeof(T) == 8) {
    return hn::Div(hn::Set(d, 1.0), hn::Add(hn::Sqrt(x), plus));
  } else {
    const V root = hn::Mul(x, InverseSquareRoot(d, x));
    const V inverse = Inverse(d, hn::Add(root, plus));
    return hn::IfThenZeroElse(hn::Eq(x, hn::Inf(d)), inverse);
  }
}

}  // namespace lockstep::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
