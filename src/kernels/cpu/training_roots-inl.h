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

/// Coefficients c0 + e (c1 + e (c2 + ...)) of u^(-1/2) and 1 / u around e = centre - u, minimax for
/// relative error on what the first estimates leave: u in [0.750, 0.844] and [0.707, 0.729].
inline constexpr float kRootCentre = 0x1.962e4ep-1f;
inline constexpr float kRoot[] = {0x1.1f6b38p+0f, 0x1.6a4c14p-1f, 0x1.56865ap-1f, 0x1.68f738p-1f,
                                  0x1.869390p-1f};
inline constexpr float kInverseCentre = 0x1.6db4f4p-1f;
inline constexpr float kInverse[] = {0x1.666844p+0f, 0x1.f5c802p+0f, 0x1.5f47c6p+1f,
                                     0x1.e2313cp+1f};

/// p[i] = the polynomial of e[i]. The vectors advance side by side: one alone would wait for each
/// of its own results.
template <int kVectors, size_t kCoefficients, class D, class V>
HWY_INLINE void Polynomials(D d, const float (&c)[kCoefficients], const V* e, V* p) {
#pragma GCC unroll 8
  for (int i = 0; i < kVectors; ++i) p[i] = hn::Set(d, c[kCoefficients - 1]);
#pragma GCC unroll 8
  for (int k = kCoefficients - 2; k >= 0; --k) {
#pragma GCC unroll 8
    for (int i = 0; i < kVectors; ++i) p[i] = hn::MulAdd(e[i], p[i], hn::Set(d, c[k]));
  }
}

/// x[i] = sqrt(x[i]) + plus for x >= 0, and x[i] = 1 / x[i] for finite positive normal x. The
/// processor's divider would take up to three times as long, and the bits of its estimates differ
/// between makers, so the first estimates come from integers. They are off by up to a third, but,
/// as their constants put the corners of both piecewise lines side by side, nearly evenly so: a
/// short polynomial of u = x y^2, or x y, does the rest.
template <int kVectors, class D, class V>
HWY_INLINE void RootsPlus(D d, V plus, V* x) {
  const hn::RebindToSigned<D> di;
  V e[kVectors], p[kVectors];
#pragma GCC unroll 8
  for (int i = 0; i < kVectors; ++i) {
    const V y =
        hn::BitCast(d, hn::Sub(hn::Set(di, 0x5f200000), hn::ShiftRight<1>(hn::BitCast(di, x[i]))));
    x[i] = hn::Mul(x[i], y);
    e[i] = hn::NegMulAdd(x[i], y, hn::Set(d, kRootCentre));
  }
  Polynomials<kVectors>(d, kRoot, e, p);
#pragma GCC unroll 8
  for (int i = 0; i < kVectors; ++i) x[i] = hn::MulAdd(x[i], p[i], plus);
}

template <int kVectors, class D, class V>
HWY_INLINE void Inverses(D d, V* x) {
  const hn::RebindToSigned<D> di;
  V e[kVectors], p[kVectors];
#pragma GCC unroll 8
  for (int i = 0; i < kVectors; ++i) {
    const V y = hn::BitCast(d, hn::Sub(hn::Set(di, 0x7eb504f3), hn::BitCast(di, x[i])));
    e[i] = hn::NegMulAdd(x[i], y, hn::Set(d, kInverseCentre));
    x[i] = y;
  }
  Polynomials<kVectors>(d, kInverse, e, p);
#pragma GCC unroll 8
  for (int i = 0; i < kVectors; ++i) x[i] = hn::Mul(x[i], p[i]);
}

/// x[i] = 1 / (sqrt(x[i]) + epsilon); 0 for an infinite x, infinite for 0 with epsilon 0, NaN for
/// NaN. Max error: 4 units in the last place (float32), 2 (float64).
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
    RootsPlus<kVectors>(d, plus, y);
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
