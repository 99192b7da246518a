// Exponentials. The same bits with AVX2 and AVX-512; errors are measured in array_math_test.cc.
#if defined(LOCKSTEP_EXPONENTIAL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCKSTEP_EXPONENTIAL_INL_H_
#undef LOCKSTEP_EXPONENTIAL_INL_H_
#else
#define LOCKSTEP_EXPONENTIAL_INL_H_
#endif

#include "kernels/cpu/math/polynomial-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// e^x = 2^exponent · (1 + fraction), |fraction| < 0.42.
template <class V>
struct ExpParts {
  V exponent;
  V fraction;
};

/// The parts of e^(x + low). Range: |x| <= 2000, |low| below a unit of x's last place. float64.
template <class D, class V>
HWY_INLINE ExpParts<V> SplitExp(D d, V x, V low) {
  const V n = hn::Round(hn::Mul(x, hn::Set(d, 0x1.71547652b82fep+0)));
  V r = hn::NegMulAdd(n, hn::Set(d, 0x1.62e42fefa39efp-1), x);  // exact
  r = hn::Add(hn::NegMulAdd(n, hn::Set(d, 0x1.abc9e3b39803fp-56), r), low);
  // (e^r - 1 - r - r^2 / 2) / r^3 for |r| <= log(2) / 2; error 2^-61 of e^r.
  const V tail = Polynomial(d, r, 0x1.5555555555559p-3, 0x1.5555555555571p-5, 0x1.111111110f97cp-7,
                            0x1.6c16c16bfd255p-10, 0x1.a01a01ae093dep-13, 0x1.a01a0252a4e6ep-16,
                            0x1.71ddfd95fa114p-19, 0x1.27e32d70fe8a1p-22, 0x1.af5597f617711p-26,
                            0x1.224339f667618p-29);
  const V square = hn::Mul(r, r);
  return {n, hn::MulAdd(square, hn::MulAdd(r, tail, hn::Set(d, 0.5)), r)};
}

template <class D, class V>
HWY_INLINE V JoinExp(D d, const ExpParts<V>& parts) {
  return ScaleByPower(d, hn::Add(parts.fraction, hn::Set(d, 1.0)), parts.exponent);
}

// e^x in float32 for -104 <= x <= 89, else the nearer end's value.
template <class D, class V>
HWY_INLINE V ClampedExpFloat(D d, V x) {
  x = hn::Max(hn::Min(x, hn::Set(d, 89.0f)), hn::Set(d, -104.0f));
  const V n = hn::Round(hn::Mul(x, hn::Set(d, 0x1.715476p+0f)));
  V r = hn::NegMulAdd(n, hn::Set(d, 0x1.62e43p-1f), x);  // exact
  r = hn::MulAdd(n, hn::Set(d, 0x1.05c61p-29f), r);
  // (e^r - 1 - r) / r^2 for |r| <= log(2) / 2; error 2^-28 of e^r.
  const V tail =
      Polynomial(d, r, 0x1p-1f, 0x1.55549p-3f, 0x1.55545ep-5f, 0x1.123b46p-7f, 0x1.6db3ecp-10f);
  const V fraction = hn::MulAdd(hn::Mul(r, r), tail, r);
  return ScaleByPower(d, hn::Add(fraction, hn::Set(d, 1.0f)), n);
}

/// e^x. Range: all. Max error: 1.1 ulp.
template <class D, class V>
HWY_INLINE V Exp(D d, V x) {
  if constexpr (kIsFloat32<D>) {
    return hn::IfThenElse(hn::IsNaN(x), x, ClampedExpFloat(d, x));
  } else {
    const V clamped = hn::Max(hn::Min(x, hn::Set(d, 710.0)), hn::Set(d, -746.0));
    return hn::IfThenElse(hn::IsNaN(x), x, JoinExp(d, SplitExp(d, clamped, hn::Zero(d))));
  }
}

/// e^x − 1. Range: all. Max error: 2 ulp (float64), 1 ulp (float32).
template <class D, class V>
HWY_INLINE V Expm1(D d, V x) {
  if constexpr (kIsFloat32<D>) {
    return ThroughDouble(d, x, [](auto wide, auto v) HWY_ATTR { return Expm1(wide, v); });
  } else {
    const V clamped = hn::Max(hn::Min(x, hn::Set(d, 710.0)), hn::Set(d, -40.0));
    const auto parts = SplitExp(d, clamped, hn::Zero(d));
    const V half = hn::Set(d, 0.5);
    const V power = ScaleByPower(d, half, parts.exponent);  // half of 2^n, which cannot overflow
    const V result =
        hn::Mul(hn::MulAdd(power, parts.fraction, hn::Sub(power, half)), hn::Set(d, 2.0));
    // Tiny values and NaN are their own result.
    return hn::IfThenElse(hn::Ge(hn::Abs(x), hn::Set(d, 0x1p-54)), result, x);
  }
}

}  // namespace lockstep::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // once per instruction set
