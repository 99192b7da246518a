// Logarithms. The same bits with AVX2 and AVX-512; errors are measured in array_math_test.cc.
#if defined(LOCKSTEP_LOGARITHM_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCKSTEP_LOGARITHM_INL_H_
#undef LOCKSTEP_LOGARITHM_INL_H_
#else
#define LOCKSTEP_LOGARITHM_INL_H_
#endif

#include "kernels/cpu/math/polynomial-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// x = 2^exponent · (1 + fraction), 1 + fraction between the roots of 1/2 and 2.
template <class V>
struct LogParts {
  V exponent;
  V fraction;
};

/// The parts of a positive, finite x; both exact. float64.
template <class D, class V>
HWY_INLINE LogParts<V> SplitLog(D d, V x) {
  const hn::RebindToUnsigned<D> du;
  const auto small = hn::Lt(x, hn::Set(d, 0x1p-1022));
  x = hn::IfThenElse(small, hn::Mul(x, hn::Set(d, 0x1p54)), x);
  const auto bits = hn::BitCast(du, x);
  const auto one = hn::Set(du, uint64_t{1023} << 52);
  const auto biased =
      hn::ShiftRight<52>(hn::Add(hn::Sub(bits, hn::Set(du, uint64_t{0x3fe6a09e667f3bcd})), one));
  const V fraction = hn::Sub(hn::BitCast(d, hn::Add(hn::Sub(bits, hn::ShiftLeft<52>(biased)), one)),
                             hn::Set(d, 1.0));
  // The integer enters the mantissa of 2^52 and becomes a float64 by a subtraction.
  const V exponent =
      hn::Sub(hn::BitCast(d, hn::Or(biased, hn::Set(du, uint64_t{0x433} << 52))),
              hn::IfThenElse(small, hn::Set(d, 0x1p52 + 1077.0), hn::Set(d, 0x1p52 + 1023.0)));
  return {exponent, fraction};
}

/// log(1 + fraction) + exponent · log 2 for parts as above. float64.
template <class D, class V>
HWY_INLINE V JoinLog(D d, const LogParts<V>& parts) {
  const V f = parts.fraction;
  const V s = hn::Div(f, hn::Add(f, hn::Set(d, 2.0)));
  const V z = hn::Mul(s, s);
  // (2 atanh(s) - 2 s) / s^3 for s^2 <= 0.0295; error 2^-65 of the logarithm.
  const V tail = Polynomial(d, z, 0x1.5555555555555p-1, 0x1.9999999999dfep-2, 0x1.249249242b4a7p-2,
                            0x1.c71c7258f4dc2p-3, 0x1.745cde37f134cp-3, 0x1.3b20ab3806b8fp-3,
                            0x1.0f5ccfc8a2405p-3, 0x1.0f62db36cbbfap-3);
  const V half_square = hn::Mul(hn::Mul(f, hn::Set(d, 0.5)), f);
  const V rest = hn::Mul(s, hn::MulAdd(z, tail, half_square));
  const V low = hn::MulAdd(parts.exponent, hn::Set(d, 0x1.473de6af278edp-34), rest);
  return hn::MulAdd(parts.exponent, hn::Set(d, 0x1.62e42fefp-1),
                    hn::Sub(f, hn::Sub(half_square, low)));
}

// log x of positive, finite float32 lanes.
template <class D, class V>
HWY_INLINE V PositiveLogFloat(D d, V x) {
  const hn::RebindToSigned<D> di;
  const auto small = hn::Lt(x, hn::Set(d, 0x1p-126f));
  x = hn::IfThenElse(small, hn::Mul(x, hn::Set(d, 0x1p24f)), x);
  const auto bits = hn::BitCast(di, x);
  const auto exponent = hn::ShiftRight<23>(hn::Sub(bits, hn::Set(di, 0x3f3504f3)));
  const V f = hn::Sub(hn::BitCast(d, hn::Sub(bits, hn::ShiftLeft<23>(exponent))), hn::Set(d, 1.0f));
  const V k = hn::Sub(hn::ConvertTo(d, exponent), hn::IfThenElseZero(small, hn::Set(d, 24.0f)));
  // (log(1 + f) - f + f^2 / 2) / f^3 between the roots; error 2^-30 of the logarithm.
  const V tail =
      Polynomial(d, f, 0x1.555546p-2f, -0x1.ffffeep-3f, 0x1.99a53cp-3f, -0x1.5562ep-3f,
                 0x1.23334ep-3f, -0x1.fb43e2p-4f, 0x1.e64a78p-4f, -0x1.e2e464p-4f, 0x1.1b48dep-4f);
  const V square = hn::Mul(f, f);
  V low = hn::Mul(hn::Mul(square, f), tail);
  low = hn::MulAdd(k, hn::Set(d, 0x1.7f7d1cp-20f), low);
  low = hn::NegMulAdd(square, hn::Set(d, 0.5f), low);
  return hn::MulAdd(k, hn::Set(d, 0x1.62e4p-1f), hn::Add(f, low));
}

/// log x; −inf at 0, NaN below. Range: all. Max error: 1 ulp.
template <class D, class V>
HWY_INLINE V Log(D d, V x) {
  V result;
  if constexpr (kIsFloat32<D>) {
    result = PositiveLogFloat(d, x);
  } else {
    result = JoinLog(d, SplitLog(d, x));
  }
  const V zero = hn::Zero(d);
  result = hn::IfThenElse(hn::Eq(x, zero), hn::Neg(Infinity(d)), result);
  result = hn::IfThenElse(hn::Lt(x, zero), NotANumber(d), result);
  return hn::IfThenElse(hn::Lt(x, Infinity(d)), result, x);  // inf and NaN are their own result
}

/// log(1 + x); −inf at −1, NaN below. Range: all. Max error: 1 ulp.
template <class D, class V>
HWY_INLINE V Log1p(D d, V x) {
  if constexpr (kIsFloat32<D>) {
    return ThroughDouble(d, x, [](auto wide, auto v) HWY_ATTR { return Log1p(wide, v); });
  } else {
    const hn::RebindToUnsigned<D> du;
    const V one = hn::Set(d, 1.0);
    const auto sum = ExactSum(one, x);
    auto parts = SplitLog(d, sum.high);
    // What the sum lost joins the fraction at its scale; above 2^60 it is nothing.
    const auto in_range = hn::Lt(x, hn::Set(d, 0x1p60));
    const V exponent = hn::IfThenElseZero(in_range, parts.exponent);
    const V scale = hn::BitCast(
        d, hn::ShiftLeft<52>(hn::BitCast(du, hn::Sub(hn::Set(d, 0x1p52 + 1023.0), exponent))));
    parts.fraction =
        hn::IfThenElse(in_range, hn::MulAdd(sum.low, scale, parts.fraction), parts.fraction);
    V result = JoinLog(d, parts);
    result = hn::IfThenElse(hn::Eq(sum.high, hn::Zero(d)), hn::Neg(Infinity(d)), result);
    result = hn::IfThenElse(hn::Lt(x, hn::Neg(one)), NotANumber(d), result);
    const auto own = hn::And(hn::Ge(hn::Abs(x), hn::Set(d, 0x1p-54)), hn::Lt(x, Infinity(d)));
    return hn::IfThenElse(own, result, x);
  }
}

}  // namespace lockstep::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // once per instruction set
