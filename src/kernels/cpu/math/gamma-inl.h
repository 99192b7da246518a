// The gamma function's logarithm and its derivative; errors are measured in array_math_test.cc.
#if defined(LOCKSTEP_GAMMA_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCKSTEP_GAMMA_INL_H_
#undef LOCKSTEP_GAMMA_INL_H_
#else
#define LOCKSTEP_GAMMA_INL_H_
#endif

#include "kernels/cpu/math/logarithm-inl.h"
#include "kernels/cpu/math/trigonometric-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// log Γ(x) for finite x > 0, float64.
template <class D, class V>
HWY_INLINE V PositiveLgamma(D d, V x) {
  const V one = hn::Set(d, 1.0);
  const V two = hn::Set(d, 2.0);
  // Below 8 steps of Γ(x) = (x − 1) Γ(x − 1) lead into [1, 3): up once below 1, down from 3.
  const auto below_one = hn::Lt(x, one);
  V y = x;
  V product = one;
  for (int i = 0; i < 5; ++i) {
    const auto down = hn::Ge(y, hn::Set(d, 3.0));
    y = hn::IfThenElse(down, hn::Sub(y, one), y);
    product = hn::IfThenElse(down, hn::Mul(product, y), product);
  }
  const V minus_one = hn::IfThenElse(below_one, x, hn::Sub(y, one));
  const V minus_two = hn::Sub(hn::IfThenElse(below_one, x, y), hn::IfThenElse(below_one, one, two));
  // log Γ(y) / ((y - 1) (y - 2)) in y - 2, 1 <= y <= 3; relative error 2^-60.
  const V ratio = Polynomial(
      d, minus_two, 0x1.b0ee6072093cep-2, -0x1.9ae6509ea109ep-4, 0x1.0e0c9df293518p-5,
      -0x1.95ce223a9d2aep-7, 0x1.47974853ad96dp-8, -0x1.145121f95622cp-9, 0x1.dfebcf8b84557p-11,
      -0x1.a96a403b525e3p-12, 0x1.7ed734572df49p-13, -0x1.5c86af2676333p-14, 0x1.402ef97bd9ab4p-15,
      -0x1.28511778e1876p-16, 0x1.13e622f182d24p-17, -0x1.02229c6431695p-18, 0x1.e51bbb501c8e1p-20,
      -0x1.cb48857e8c205p-21, 0x1.b43bdfc6f4ff6p-22, -0x1.8fb6d4335731ep-23, 0x1.725dbfc352858p-24,
      -0x1.bf02b068ac12fp-25, 0x1.dc71cf5fea39ap-26, -0x1.b00d4abe0dddbp-31, -0x1.123033a4b20f6p-29,
      -0x1.3397b080b67c2p-27, 0x1.80c0b645a3970p-28, 0x1.536640148270fp-29, -0x1.b91665a7b1968p-30,
      -0x1.c2412fda5ff04p-31, 0x1.f4828e900821bp-32);
  const V near = hn::Mul(hn::Mul(minus_one, minus_two), ratio);
  const auto large = hn::Ge(x, hn::Set(d, 8.0));
  const V log = JoinLog(d, SplitLog(d, hn::IfThenElse(hn::Or(large, below_one), x, product)));
  const V small = hn::Add(near, hn::IfThenElse(below_one, hn::Neg(log), log));
  // Stirling: (x - 1/2) log x - x + log(2 pi) / 2 + (1 / 12 - ...) / x; relative error 2^-60.
  const V inverse = hn::Div(one, x);
  const V series =
      Polynomial(d, hn::Mul(inverse, inverse), 0x1.5555555555555p-4, -0x1.6c16c16c16b32p-9,
                 0x1.a01a019ee9c13p-11, -0x1.38137ecdbdb5ep-11, 0x1.b94f76e04766ep-11,
                 -0x1.f600ebe189f5ep-10, 0x1.96ef66a63de32p-8, -0x1.560fa30074ab5p-6);
  const V rest = hn::MulAdd(inverse, series, hn::Set(d, 0x1.d67f1c864beb5p-1));
  const V stirling = hn::MulAdd(x, hn::Sub(log, one), hn::NegMulAdd(log, hn::Set(d, 0.5), rest));
  return hn::IfThenElse(large, stirling, small);
}

// |sin(π x)| and |cos(π x)|, and on which side of the nearest integer x lies; x >= 0.
template <class D, class V>
HWY_INLINE void SineCosineOfPi(D d, V x, V& sine, V& cosine, V& side) {
  side = hn::Sub(x, hn::Round(x));  // exact
  const V rest = hn::Abs(side);
  const auto far = hn::Gt(rest, hn::Set(d, 0.25));
  const V turn = hn::IfThenElse(far, hn::Sub(hn::Set(d, 0.5), rest), rest);
  const TwoParts<V> angle{hn::Mul(turn, hn::Set(d, 0x1.921fb54442d18p+1)), hn::Zero(d)};
  const V s = SineOfRest(d, angle);
  const V c = CosineOfRest(d, angle);
  sine = hn::IfThenElse(far, c, s);
  cosine = hn::IfThenElse(far, s, c);
}

/// log |Γ(x)|; inf at 0, −1, −2, ... and ±inf. Range: all.
/// Max error: 5 ulp (float64), 1 ulp (float32) of the largest of |result|, 1 and, for x < 0,
/// |log Γ(−x)|; near the zeros at 1 and 2 5 ulp of the result itself.
template <class D, class V>
HWY_INLINE V Lgamma(D d, V x) {
  if constexpr (kIsFloat32<D>) {
    return ThroughDouble(d, x, [](auto wide, auto v) HWY_ATTR { return Lgamma(wide, v); });
  } else {
    const V size = hn::Abs(x);
    const V positive = PositiveLgamma(d, size);
    // log |Γ(−x)| = log(π / (x |sin πx|)) − log Γ(x); for tiny x all is −log x.
    V sine, cosine, side;
    SineCosineOfPi(d, size, sine, cosine, side);
    const V reflected = hn::Div(hn::Set(d, 0x1.921fb54442d18p+1), hn::Mul(size, sine));
    const V negative = hn::Sub(Log(d, reflected), positive);
    const auto reflects = hn::And(hn::Lt(x, hn::Zero(d)), hn::Gt(size, hn::Set(d, 0x1p-54)));
    V result = hn::IfThenElse(reflects, negative, positive);
    const auto pole = hn::And(hn::Le(x, hn::Zero(d)), hn::Eq(hn::Round(x), x));
    result = hn::IfThenElse(hn::Or(pole, hn::IsInf(x)), Infinity(d), result);
    return hn::IfThenElse(hn::IsNaN(x), x, result);
  }
}

/// The derivative of log Γ(x); NaN at 0, −1, −2, ... and −inf. Range: all.
/// Max error: 10 ulp (float64), 1 ulp (float32) of the largest of |result|, 1 and, for x < 0,
/// |ψ(−x)|.
template <class D, class V>
HWY_INLINE V Digamma(D d, V x) {
  if constexpr (kIsFloat32<D>) {
    return ThroughDouble(d, x, [](auto wide, auto v) HWY_ATTR { return Digamma(wide, v); });
  } else {
    const V one = hn::Set(d, 1.0);
    const V size = hn::Abs(x);
    // Sums 1/x + 1/(x + 1) + ... below 6 as one fraction.
    V y = size;
    V above = hn::Zero(d);
    V below = one;
    for (int i = 1; i <= 6; ++i) {
      const auto up = hn::Lt(y, hn::Set(d, 6.0));
      above = hn::IfThenElse(up, hn::MulAdd(above, y, below), above);
      below = hn::IfThenElse(up, hn::Mul(below, y), below);
      y = hn::IfThenElse(up, hn::Add(size, hn::Set(d, static_cast<double>(i))), y);
    }
    const V inverse = hn::Div(one, y);
    const V z = hn::Mul(inverse, inverse);
    // log y - 1 / (2 y) - z (1 / 12 - ...), y >= 6; error 2^-68.
    const V series = Polynomial(d, z, 0x1.5555555555555p-4, -0x1.1111111111107p-7,
                                0x1.0410410409068p-8, -0x1.11111100b8b1ep-8, 0x1.f07c0bfd388d8p-8,
                                -0x1.599256de55ab9p-6, 0x1.54fb26644c9cdp-4, -0x1.bf80cbf0bcdcep-2,
                                0x1.601f68872b85ap+1, -0x1.0911b2f1a37a3p+4, 0x1.eaaf9ffeb775fp+5);
    const V far = hn::Sub(Log(d, y), hn::MulAdd(inverse, hn::Set(d, 0.5), hn::Mul(z, series)));
    const V positive = hn::Sub(far, hn::Div(above, below));
    // ψ(−x) = ψ(x) + 1/x + π cot(πx).
    V sine, cosine, side;
    SineCosineOfPi(d, size, sine, cosine, side);
    const V cotangent =
        hn::CopySign(hn::Mul(hn::Set(d, 0x1.921fb54442d18p+1), hn::Div(cosine, sine)), side);
    const V negative = hn::Add(hn::Add(positive, hn::Div(one, size)), cotangent);
    V result = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), negative, positive);
    result =
        hn::IfThenElse(hn::Lt(size, hn::Set(d, 0x1p-60)), hn::Div(hn::Set(d, -1.0), x), result);
    const auto pole = hn::And(hn::Le(x, hn::Zero(d)), hn::Eq(hn::Round(x), x));
    result = hn::IfThenElse(pole, NotANumber(d), result);
    return hn::IfThenElse(hn::Lt(x, Infinity(d)), result, x);
  }
}

}  // namespace lockstep::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // once per instruction set
