// Sine, cosine, tangent. The same bits with AVX2 and AVX-512; errors measured in
// array_math_test.cc.
#if defined(LOCKSTEP_TRIGONOMETRIC_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCKSTEP_TRIGONOMETRIC_INL_H_
#undef LOCKSTEP_TRIGONOMETRIC_INL_H_
#else
#define LOCKSTEP_TRIGONOMETRIC_INL_H_
#endif

#include "kernels/cpu/math/huge_angle.h"
#include "kernels/cpu/math/polynomial-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// angle = quadrants · π/2 + rest; the quadrants are the low bits of `quadrants` as integers.
template <class D>
struct ReducedAngle {
  TwoParts<hn::Vec<D>> rest;
  hn::Vec<hn::RebindToUnsigned<D>> quadrants;
};

// Replaces the lanes that are too large for three parts of π/2, one by one in integers.
template <class D, class V>
HWY_NOINLINE void ReduceHugeLanes(D d, V x, ReducedAngle<D>& reduced) {
  const hn::RebindToUnsigned<D> du;
  HWY_ALIGN double angle[hn::MaxLanes(D())], high[hn::MaxLanes(D())], low[hn::MaxLanes(D())];
  HWY_ALIGN uint64_t quadrants[hn::MaxLanes(D())];
  hn::Store(x, d, angle);
  hn::Store(reduced.rest.high, d, high);
  hn::Store(reduced.rest.low, d, low);
  hn::Store(reduced.quadrants, du, quadrants);
  for (size_t i = 0; i < hn::Lanes(d); ++i) {
    if (!IsHugeAngle(angle[i])) continue;
    const HugeAngle lane = ReduceHugeAngle(angle[i]);
    high[i] = lane.high;
    low[i] = lane.low;
    quadrants[i] = lane.quadrants;
  }
  reduced = {{hn::Load(d, high), hn::Load(d, low)}, hn::Load(du, quadrants)};
}

template <class D, class V>
HWY_INLINE ReducedAngle<D> ReduceAngle(D d, V x) {
  const hn::RebindToUnsigned<D> du;
  const V magic = hn::Set(d, 0x1.8p52);  // adding it rounds to an integer in the low bits
  const V shifted = hn::MulAdd(x, hn::Set(d, 0x1.45f306dc9c883p-1), magic);
  const V n = hn::Sub(shifted, magic);
  const V first = hn::NegMulAdd(n, hn::Set(d, 0x1.921fb54442d18p+0), x);  // exact
  const auto second = ExactProduct(n, hn::Set(d, 0x1.1a62633145c07p-54));
  const auto rest = ExactSum(first, hn::Neg(second.high));
  const V low = hn::MulAdd(n, hn::Set(d, 0x1.f1976b7ed8fbcp-110), hn::Sub(rest.low, second.low));
  ReducedAngle<D> reduced{{rest.high, low}, hn::BitCast(du, shifted)};
  const auto huge = hn::Ge(hn::Abs(x), hn::Set(d, kHugeAngle));
  if (HWY_UNLIKELY(!hn::AllFalse(d, huge))) ReduceHugeLanes(d, x, reduced);
  return reduced;
}

template <class D, class V>
HWY_INLINE V SineOfRest(D d, const TwoParts<V>& rest) {
  const V r = rest.high;
  const V z = hn::Mul(r, r);
  // (sin r - r) / r^3 for |r| <= pi / 4; error 2^-68 of the sine.
  const V tail = Polynomial(d, z, -0x1.5555555555555p-3, 0x1.111111111110bp-7,
                            -0x1.a01a01a018ae4p-13, 0x1.71de3a5339743p-19, -0x1.ae64529847fd9p-26,
                            0x1.612092b567df3p-33, -0x1.aaa546228684ap-41);
  const V low = hn::NegMulAdd(hn::Mul(z, hn::Set(d, 0.5)), rest.low, rest.low);
  return hn::Add(r, hn::MulAdd(hn::Mul(r, z), tail, low));
}

template <class D, class V>
HWY_INLINE V CosineOfRest(D d, const TwoParts<V>& rest) {
  const V r = rest.high;
  const V one = hn::Set(d, 1.0);
  const V z = hn::Mul(r, r);
  const V half = hn::Mul(z, hn::Set(d, 0.5));
  const V main = hn::Sub(one, half);
  // (cos r - 1 + r^2 / 2) / r^4 for |r| <= pi / 4; error 2^-64 of the cosine.
  const V tail =
      Polynomial(d, z, 0x1.555555555554cp-5, -0x1.6c16c16c1517ep-10, 0x1.a01a019cb1c99p-16,
                 -0x1.27e4f809f77f6p-22, 0x1.1ee9ebecf7160p-29, -0x1.8fae9e1136e03p-37);
  const V lost = hn::Sub(hn::Sub(one, main), half);
  return hn::Add(main, hn::MulAdd(hn::Mul(z, z), tail, hn::NegMulAdd(r, rest.low, lost)));
}

// The sine after `quadrants` quarter turns more.
template <class D, class V>
HWY_INLINE V SineOfQuadrant(D d, const ReducedAngle<D>& angle, uint64_t more, V x) {
  const hn::RebindToUnsigned<D> du;
  const auto quadrants = hn::Add(angle.quadrants, hn::Set(du, more));
  const auto odd = hn::TestBit(quadrants, hn::Set(du, uint64_t{1}));
  const V value = hn::IfThenElse(hn::RebindMask(d, odd), CosineOfRest(d, angle.rest),
                                 SineOfRest(d, angle.rest));
  const auto sign = hn::ShiftLeft<62>(hn::And(quadrants, hn::Set(du, uint64_t{2})));
  const V result = hn::Xor(value, hn::BitCast(d, sign));
  const V outside = hn::IfThenElse(hn::IsNaN(x), x, NotANumber(d));
  return hn::IfThenElse(hn::IsFinite(x), result, outside);
}

/// sin x; NaN at ±inf. Range: all. Max error: 1 ulp.
template <class D, class V>
HWY_INLINE V Sin(D d, V x) {
  if constexpr (kIsFloat32<D>) {
    return ThroughDouble(d, x, [](auto wide, auto v) HWY_ATTR { return Sin(wide, v); });
  } else {
    const V result = SineOfQuadrant(d, ReduceAngle(d, x), 0, x);
    return hn::IfThenElse(hn::Eq(x, hn::Zero(d)), x, result);  // keeps the zero's sign
  }
}

/// cos x; NaN at ±inf. Range: all. Max error: 1 ulp.
template <class D, class V>
HWY_INLINE V Cos(D d, V x) {
  if constexpr (kIsFloat32<D>) {
    return ThroughDouble(d, x, [](auto wide, auto v) HWY_ATTR { return Cos(wide, v); });
  } else {
    return SineOfQuadrant(d, ReduceAngle(d, x), 1, x);
  }
}

/// tan x; NaN at ±inf. Range: all. Max error: 2.5 ulp (float64), 1 ulp (float32).
template <class D, class V>
HWY_INLINE V Tan(D d, V x) {
  if constexpr (kIsFloat32<D>) {
    return ThroughDouble(d, x, [](auto wide, auto v) HWY_ATTR { return Tan(wide, v); });
  } else {
    const hn::RebindToUnsigned<D> du;
    const auto angle = ReduceAngle(d, x);
    const V sine = SineOfRest(d, angle.rest);
    const V cosine = CosineOfRest(d, angle.rest);
    const auto odd = hn::RebindMask(d, hn::TestBit(angle.quadrants, hn::Set(du, uint64_t{1})));
    const V quotient =
        hn::Div(hn::IfThenElse(odd, cosine, sine), hn::IfThenElse(odd, sine, cosine));
    const V result = hn::IfThenElse(odd, hn::Neg(quotient), quotient);
    const V outside = hn::IfThenElse(hn::IsNaN(x), x, NotANumber(d));
    const V finite = hn::IfThenElse(hn::Eq(x, hn::Zero(d)), x, result);
    return hn::IfThenElse(hn::IsFinite(x), finite, outside);
  }
}

}  // namespace lockstep::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // once per instruction set
