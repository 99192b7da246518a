// Powers and roots. The same bits with AVX2 and AVX-512; errors are measured in array_math_test.cc.
#if defined(LOCKSTEP_POWER_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCKSTEP_POWER_INL_H_
#undef LOCKSTEP_POWER_INL_H_
#else
#define LOCKSTEP_POWER_INL_H_
#endif

#include "kernels/cpu/math/exponential-inl.h"
#include "kernels/cpu/math/logarithm-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// √x, correctly rounded. Range: all.
template <class D, class V>
HWY_INLINE V Sqrt(D /*d*/, V x) {
  return hn::Sqrt(x);
}

/// 1 / √x; ±inf at ±0. Range: all. Max error: 1.5 ulp.
template <class D, class V>
HWY_INLINE V Rsqrt(D d, V x) {
  return hn::Div(hn::Set(d, hn::TFromD<D>{1}), hn::Sqrt(x));
}

// log x of positive, finite x with about 64 bits.
template <class D, class V>
HWY_INLINE TwoParts<V> LogInTwoParts(D d, V x) {
  const auto parts = SplitLog(d, x);
  const V f = parts.fraction;
  const V two = hn::Set(d, 2.0);
  // s = f / (2 + f), its square and cube, each in two parts.
  const auto below = ExactSum(two, f);
  const V s = hn::Div(f, below.high);
  const V s_low = hn::Div(hn::NegMulAdd(s, below.low, hn::NegMulAdd(s, below.high, f)), below.high);
  const auto square = ExactProduct(s, s);
  const V square_low = hn::MulAdd(hn::Add(s, s), s_low, square.low);
  const auto cube = ExactProduct(s, square.high);
  const V cube_low = hn::MulAdd(s, square_low, hn::MulAdd(s_low, square.high, cube.low));
  const V third = hn::Set(d, 0x1.5555555555555p-1);  // 2/3
  const auto second = ExactProduct(third, cube.high);
  const V second_low = hn::MulAdd(
      third, cube_low, hn::MulAdd(hn::Set(d, 0x1.5555555555555p-55), cube.high, second.low));
  // (2 atanh(s) - 2 s - 2/3 s^3) / s^5; error 2^-72 of the logarithm.
  const V tail = Polynomial(d, square.high, 0x1.9999999999997p-2, 0x1.2492492492e04p-2,
                            0x1.c71c71c5b7b46p-3, 0x1.745d181ba93eep-3, 0x1.3b1367fc60ae8p-3,
                            0x1.1120017bf087ap-3, 0x1.de4d210b83b72p-4, 0x1.ea4ebf221a268p-4);
  const auto main = ExactSum(hn::Mul(parts.exponent, hn::Set(d, 0x1.62e42fefp-1)), hn::Mul(s, two));
  const auto sum = ExactSum(main.high, second.high);
  V low = hn::MulAdd(hn::Mul(cube.high, square.high), tail, second_low);
  low = hn::MulAdd(two, s_low, low);
  low = hn::MulAdd(parts.exponent, hn::Set(d, 0x1.473de6af278edp-34), low);
  low = hn::Add(low, hn::Add(main.low, sum.low));
  return ExactSum(sum.high, low);
}

// |x|^y where that is neither 0^y nor inf^y nor x^±inf.
template <class D, class V>
HWY_INLINE V FinitePow(D d, V size, V y) {
  const auto log = LogInTwoParts(d, size);
  V high = hn::Mul(y, log.high);
  V low = hn::MulAdd(y, log.low, hn::MulSub(y, log.high, high));
  low = hn::IfThenElseZero(hn::Lt(hn::Abs(high), hn::Set(d, 800.0)), low);
  high = hn::Max(hn::Min(high, hn::Set(d, 800.0)), hn::Set(d, -800.0));
  return JoinExp(d, SplitExp(d, high, low));
}

/// x^y with all of C99's special values (x^0 = 1^y = 1, NaN for negative x and fractional y).
/// Range: all. Max error: 1.1 ulp (float64), 1 ulp (float32).
template <class D, class V>
HWY_INLINE V Pow(D d, V x, V y) {
  if constexpr (kIsFloat32<D>) {
    return ThroughDouble(d, x, y,
                         [](auto wide, auto v, auto u) HWY_ATTR { return Pow(wide, v, u); });
  } else {
    const V zero = hn::Zero(d);
    const V one = hn::Set(d, 1.0);
    const V infinity = Infinity(d);
    const V size = hn::Abs(x);
    const auto y_infinite = hn::IsInf(y);
    const auto whole = hn::Eq(hn::Round(y), y);
    const V half = hn::Mul(y, hn::Set(d, 0.5));
    const auto odd = hn::AndNot(hn::Ge(hn::Abs(y), hn::Set(d, 0x1p53)),
                                hn::And(whole, hn::Ne(hn::Round(half), half)));
    V result = FinitePow(d, size, y);
    // Where the result is 0 or inf: it grows without bound when y > 0 and |x| > 1 or both not.
    const auto grows = hn::Xor(hn::Gt(y, zero), hn::Lt(size, one));
    const auto extreme = hn::Or(y_infinite, hn::Or(hn::Eq(size, zero), hn::Eq(size, infinity)));
    result = hn::IfThenElse(extreme, hn::IfThenElseZero(grows, infinity), result);
    result = hn::IfThenElse(hn::And(y_infinite, hn::Eq(size, one)), one, result);
    result = hn::IfThenElse(odd, hn::CopySign(result, x), result);
    const auto finite_negative = hn::And(hn::Lt(x, zero), hn::Lt(size, infinity));
    result = hn::IfThenElse(hn::AndNot(whole, finite_negative), NotANumber(d), result);
    result = hn::IfThenElse(hn::IsNaN(y), y, result);
    result = hn::IfThenElse(hn::IsNaN(x), x, result);
    return hn::IfThenElse(hn::Or(hn::Eq(y, zero), hn::Eq(x, one)), one, result);
  }
}

}  // namespace lockstep::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // once per instruction set
