// Arc functions. The same bits with AVX2 and AVX-512; errors are measured in array_math_test.cc.
#if defined(LOCKSTEP_ARC_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCKSTEP_ARC_INL_H_
#undef LOCKSTEP_ARC_INL_H_
#else
#define LOCKSTEP_ARC_INL_H_
#endif

#include "kernels/cpu/math/polynomial-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// (asin x - x) / x^3 in z = x^2 for |x| <= 1/2; error 2^-63 of the arc sine.
template <class D, class V>
HWY_INLINE V ArcSineTail(D d, V z) {
  return Polynomial(d, z, 0x1.5555555555553p-3, 0x1.3333333333a67p-4, 0x1.6db6db6d4650ep-5,
                    0x1.f1c71ca944295p-6, 0x1.6e8b9acfba1cdp-6, 0x1.1c4f884656d5fp-6,
                    0x1.c98090e259799p-7, 0x1.7ba74f25c7accp-7, 0x1.36ad4425daefcp-7,
                    0x1.487409ebeb994p-7, 0x1.4d43a981f31b6p-11, 0x1.986ed6ae436c9p-6,
                    -0x1.ae9ba76874587p-6, 0x1.143d4e0be2d04p-5);
}

/// asin x; NaN beyond ±1. Range: all. Max error: 2 ulp (float64), 1 ulp (float32).
template <class D, class V>
HWY_INLINE V Asin(D d, V x) {
  if constexpr (kIsFloat32<D>) {
    return ThroughDouble(d, x, [](auto wide, auto v) HWY_ATTR { return Asin(wide, v); });
  } else {
    const V size = hn::Abs(x);
    const auto large = hn::Gt(size, hn::Set(d, 0.5));
    // Above 1/2: asin x = π/2 − 2 asin(sqrt((1 − x) / 2)).
    const V rest = hn::Mul(hn::Sub(hn::Set(d, 1.0), size), hn::Set(d, 0.5));
    const V z = hn::IfThenElse(large, rest, hn::Mul(x, x));
    const V s = hn::IfThenElse(large, hn::Sqrt(rest), size);
    const V tail = hn::Mul(hn::Mul(s, z), ArcSineTail(d, z));
    const V doubled = hn::NegMulAdd(hn::Set(d, 2.0), tail, hn::Set(d, 0x1.1a62633145c07p-54));
    const V complement =
        hn::Add(hn::NegMulAdd(hn::Set(d, 2.0), s, hn::Set(d, 0x1.921fb54442d18p+0)), doubled);
    const V result = hn::IfThenElse(large, complement, hn::Add(s, tail));
    const V outside = hn::IfThenElse(hn::IsNaN(x), x, NotANumber(d));
    return hn::IfThenElse(hn::Le(size, hn::Set(d, 1.0)), hn::CopySign(result, x), outside);
  }
}

/// acos x; NaN beyond ±1. Range: all. Max error: 2 ulp (float64), 1 ulp (float32).
template <class D, class V>
HWY_INLINE V Acos(D d, V x) {
  if constexpr (kIsFloat32<D>) {
    return ThroughDouble(d, x, [](auto wide, auto v) HWY_ATTR { return Acos(wide, v); });
  } else {
    const V size = hn::Abs(x);
    const V two = hn::Set(d, 2.0);
    const auto large = hn::Gt(size, hn::Set(d, 0.5));
    const V rest = hn::Mul(hn::Sub(hn::Set(d, 1.0), size), hn::Set(d, 0.5));
    const V z = hn::IfThenElse(large, rest, hn::Mul(x, x));
    const V s = hn::IfThenElse(large, hn::Sqrt(rest), x);
    const V tail = hn::Mul(hn::Mul(s, z), ArcSineTail(d, z));
    // Near 0: π/2 − asin x; near 1: 2 asin(sqrt((1 − x) / 2)); near −1: π minus that.
    const V half_pi_low = hn::Set(d, 0x1.1a62633145c07p-54);
    const V middle =
        hn::Sub(hn::Set(d, 0x1.921fb54442d18p+0), hn::Sub(s, hn::Sub(half_pi_low, tail)));
    const V twice = hn::Mul(two, hn::Add(s, tail));
    const V from_pi = hn::Add(hn::NegMulAdd(two, s, hn::Set(d, 0x1.921fb54442d18p+1)),
                              hn::Mul(two, hn::Sub(half_pi_low, tail)));
    const V far = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), from_pi, twice);
    const V result = hn::IfThenElse(large, far, middle);
    const V outside = hn::IfThenElse(hn::IsNaN(x), x, NotANumber(d));
    return hn::IfThenElse(hn::Le(size, hn::Set(d, 1.0)), result, outside);
  }
}

// The arc tangent of above / below for 0 <= above, below, not both zero or infinite; float64.
template <class D, class V>
HWY_INLINE V ArcTangentOfRatio(D d, V above, V below) {
  const V zero = hn::Zero(d);
  const auto steep = hn::Gt(above, below);
  const V small = hn::IfThenElse(steep, below, above);
  const V great = hn::IfThenElse(steep, above, below);
  // Beyond tan(π/8): atan q = π/4 + atan((q − 1) / (q + 1)).
  const auto turned = hn::Gt(small, hn::Mul(great, hn::Set(d, 0x1.a827999fcef32p-2)));
  const V t = hn::Div(hn::IfThenElse(turned, hn::Sub(small, great), small),
                      hn::IfThenElse(turned, hn::Add(small, great), great));
  const V z = hn::Mul(t, t);
  // (atan t - t) / t^3 for |t| <= tan(pi / 8); error 2^-64 of the arc tangent.
  const V tail =
      Polynomial(d, z, -0x1.5555555555554p-2, 0x1.9999999999659p-3, -0x1.2492492475ceep-3,
                 0x1.c71c71b7758ffp-4, -0x1.745d14bf5a50dp-4, 0x1.3b136ea484e6cp-4,
                 -0x1.110c79407f2b1p-4, 0x1.e172779343f52p-5, -0x1.ab805cf22e386p-5,
                 0x1.70f868de28db3p-5, -0x1.1250a054d9df5p-5, 0x1.f24a20bea8a4bp-7);
  // The steep half is π/2 minus the arc: all signs turn.
  const V sign = hn::IfThenElse(steep, hn::Set(d, -1.0), hn::Set(d, 1.0));
  const V eighth = hn::IfThenElseZero(turned, hn::Mul(sign, hn::Set(d, 0x1.921fb54442d18p-1)));
  const V eighth_low = hn::IfThenElseZero(turned, hn::Mul(sign, hn::Set(d, 0x1.1a62633145c07p-55)));
  const V base = hn::Add(eighth, hn::IfThenElse(steep, hn::Set(d, 0x1.921fb54442d18p+0), zero));
  const V base_low =
      hn::Add(eighth_low, hn::IfThenElse(steep, hn::Set(d, 0x1.1a62633145c07p-54), zero));
  const V low = hn::MulAdd(hn::Mul(hn::Mul(sign, t), z), tail, base_low);
  return hn::Add(base, hn::MulAdd(sign, t, low));
}

/// atan x. Range: all. Max error: 1.5 ulp (float64), 1 ulp (float32).
template <class D, class V>
HWY_INLINE V Atan(D d, V x) {
  if constexpr (kIsFloat32<D>) {
    return ThroughDouble(d, x, [](auto wide, auto v) HWY_ATTR { return Atan(wide, v); });
  } else {
    const V size = hn::Min(hn::Abs(x), hn::Set(d, 0x1p60));
    const V result = hn::CopySign(ArcTangentOfRatio(d, size, hn::Set(d, 1.0)), x);
    return hn::IfThenElse(hn::Ge(hn::Abs(x), hn::Set(d, 0x1p-28)), result, x);
  }
}

/// The angle of the point (x, y), in [−π, π], with all of IEEE's signs of zero and infinities.
/// Range: all. Max error: 2 ulp (float64), 1 ulp (float32); results below 2^-1000 are rounded.
template <class D, class V>
HWY_INLINE V Atan2(D d, V y, V x) {
  if constexpr (kIsFloat32<D>) {
    return ThroughDouble(d, y, x,
                         [](auto wide, auto v, auto u) HWY_ATTR { return Atan2(wide, v, u); });
  } else {
    const hn::RebindToSigned<D> di;
    const V one = hn::Set(d, 1.0);
    V above = hn::Abs(y);
    V below = hn::Abs(x);
    // Two infinities make the angle of (1, 1), two zeros that of (1, 0).
    const auto infinite = hn::And(hn::IsInf(x), hn::IsInf(y));
    above = hn::IfThenElse(infinite, one, above);
    const V greatest = hn::Max(above, below);
    below = hn::IfThenElse(hn::Or(infinite, hn::Eq(greatest, hn::Zero(d))), one, below);
    // Keeps sums from overflowing and quotients of tiny numbers exact.
    const V scale = hn::IfThenElse(
        hn::Gt(greatest, hn::Set(d, 0x1p1000)), hn::Set(d, 0x1p-60),
        hn::IfThenElse(hn::Lt(greatest, hn::Set(d, 0x1p-900)), hn::Set(d, 0x1p100), one));
    const V angle = ArcTangentOfRatio(d, hn::Mul(above, scale), hn::Mul(below, scale));
    const V turned = hn::Add(hn::Sub(hn::Set(d, 0x1.921fb54442d18p+1), angle),
                             hn::Set(d, 0x1.1a62633145c07p-53));
    const auto left = hn::RebindMask(d, hn::Lt(hn::BitCast(di, x), hn::Zero(di)));
    const V result = hn::CopySign(hn::IfThenElse(left, turned, angle), y);
    const V nan = hn::IfThenElse(hn::IsNaN(x), x, y);
    return hn::IfThenElse(hn::Or(hn::IsNaN(x), hn::IsNaN(y)), nan, result);
  }
}

}  // namespace lockstep::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // once per instruction set
