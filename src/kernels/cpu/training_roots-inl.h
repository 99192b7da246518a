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

/// x[i] = 1 / sqrt(x[i]) for x >= 0, to 2 units in the last place; a large finite number for 0. The
/// processor's divider would take three times as long, and the bits of its estimates differ between
/// makers, so the first estimate is the integer one, sharpened by three Newton steps. The vectors
/// advance side by side: one alone would wait for each of its own results.
template <int kVectors, class D, class V>
HWY_INLINE void InverseSquareRoots(D d, V* x) {
  const hn::RebindToSigned<D> di;
  V half[kVectors], y[kVectors];
#pragma GCC unroll 8
  for (int i = 0; i < kVectors; ++i) {
    half[i] = hn::Mul(x[i], hn::Set(d, 0.5f));
    y[i] =
        hn::BitCast(d, hn::Sub(hn::Set(di, 0x5f375a86), hn::ShiftRight<1>(hn::BitCast(di, x[i]))));
  }
#pragma GCC unroll 3
  for (int step = 0; step < 3; ++step) {
    V t[kVectors];
#pragma GCC unroll 8
    for (int i = 0; i < kVectors; ++i) t[i] = hn::Mul(half[i], y[i]);
#pragma GCC unroll 8
    for (int i = 0; i < kVectors; ++i) t[i] = hn::NegMulAdd(t[i], y[i], hn::Set(d, 1.5f));
#pragma GCC unroll 8
    for (int i = 0; i < kVectors; ++i) y[i] = hn::Mul(y[i], t[i]);
  }
#pragma GCC unroll 8
  for (int i = 0; i < kVectors; ++i) x[i] = y[i];
}

/// x[i] = 1 / x[i] for finite positive normal x, to 2 units in the last place, in the same way.
template <int kVectors, class D, class V>
HWY_INLINE void Inverses(D d, V* x) {
  const hn::RebindToSigned<D> di;
  V y[kVectors];
#pragma GCC unroll 8
  for (int i = 0; i < kVectors; ++i) {
    y[i] = hn::BitCast(d, hn::Sub(hn::Set(di, 0x7ef311c7), hn::BitCast(di, x[i])));
  }
#pragma GCC unroll 3
  for (int step = 0; step < 3; ++step) {
    V t[kVectors];
#pragma GCC unroll 8
    for (int i = 0; i < kVectors; ++i) t[i] = hn::NegMulAdd(x[i], y[i], hn::Set(d, 1.0f));
#pragma GCC unroll 8
    for (int i = 0; i < kVectors; ++i) y[i] = hn::MulAdd(y[i], t[i], y[i]);
  }
#pragma GCC unroll 8
  for (int i = 0; i < kVectors; ++i) x[i] = y[i];
}

/// x[i] = 1 / (sqrt(x[i]) + epsilon); 0 for an infinite x, NaN for NaN and for 0 with epsilon 0.
/// Max error: 4 units in the last place (float32), 2 (float64).
template <int kVectors, class D, class V>
HWY_INLINE void InversesOfRootPlus(D d, V* x, double epsilon) {
  using T = hn::TFromD<D>;
  const V plus = hn::Set(d, static_cast<T>(epsilon));
  if constexpr (sizeof(T) == 8) {
    for (int i = 0; i < kVectors; ++i)
      x[i] = hn::Div(hn::Set(d, 1.0), hn::Add(hn::Sqrt(x[i]), plus));
  } else {
    V y[kVectors];
#pragma GCC unroll 8
    for (int i = 0; i < kVectors; ++i) y[i] = x[i];
    InverseSquareRoots<kVectors>(d, y);
#pragma GCC unroll 8
    for (int i = 0; i < kVectors; ++i) y[i] = hn::Add(hn::Mul(x[i], y[i]), plus);
    Inverses<kVectors>(d, y);
#pragma GCC unroll 8
    for (int i = 0; i < kVectors; ++i) x[i] = hn::IfThenZeroElse(hn::Eq(x[i], hn::Inf(d)), y[i]);
  }
}

/// The same for one vector.
template <class D, class V>
HWY_INLINE V InverseOfRootPlus(D d, V x, double epsilon) {
  InversesOfRootPlus<1>(d, &x, epsilon);
  return x;
}

}  // namespace lockstep::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
