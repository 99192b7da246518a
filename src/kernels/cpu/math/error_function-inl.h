// The error function and its complement; errors are measured in array_math_test.cc.
#if defined(LOCKSTEP_ERROR_FUNCTION_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCKSTEP_ERROR_FUNCTION_INL_H_
#undef LOCKSTEP_ERROR_FUNCTION_INL_H_
#else
#define LOCKSTEP_ERROR_FUNCTION_INL_H_
#endif

#include "kernels/cpu/math/exponential-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// erf x for |x| <= 1, float64.
template <class D, class V>
HWY_INLINE V SmallErf(D d, V x) {
  // erf x / x - 1 in x^2; error 2^-68.
  const V ratio = Polynomial(d, hn::Mul(x, x), 0x1.06eba8214db69p-3, -0x1.812746b0379e7p-2,
                             0x1.ce2f21a042bdep-4, -0x1.b82ce312889c2p-6, 0x1.565bcd0e6517fp-8,
                             -0x1.c02db3feefcfep-11, 0x1.f9a326c2ce720p-14, -0x1.f4d256290cc16p-17,
                             0x1.b9e6517cc2a82p-20, -0x1.5f6d9bf8366b2p-23, 0x1.fc43e43f816dap-27,
                             -0x1.4e631ef21c6b4p-30, 0x1.7f15c29661de5p-34, -0x1.29ddcee1fdc7ap-38);
  return hn::MulAdd(x, ratio, x);
}

// erfc x for 0 <= x <= 28, float64.
template <class D, class V>
HWY_INLINE V PositiveErfc(D d, V x) {
  const V four = hn::Set(d, 4.0);
  const V t = hn::Div(hn::Sub(x, four), hn::Add(x, four));
  // (1 + 2 x) e^(x^2) erfc x in t = (x - 4) / (x + 4); relative error 2^-60.
  const V scaled = Polynomial(
      d, t, 0x1.3ba5916e9fd7fp+0, -0x1.1df1ad154a28fp-3, 0x1.f7f5df66fd7c6p-7, 0x1.16ecefcfa5415p-4,
      -0x1.9ddb23c3e913bp-4, 0x1.7fee004e110cfp-4, -0x1.0fb06dfe4899bp-4, 0x1.3079edf6b3838p-5,
      -0x1.09623885361e9p-6, 0x1.49c67275ddcb6p-8, -0x1.8d4a99c6a0a9cp-11, -0x1.a1df180261e75p-13,
      0x1.3be03b0133b2ap-13, -0x1.995b0f8e56e76p-16, -0x1.788451fd44903p-17, 0x1.7f3d1dd88d586p-18,
      0x1.3988150f56055p-22, -0x1.bc46325e7816ep-21, 0x1.4907c0123dc6cp-24, 0x1.e4c9b0a952cf2p-24,
      -0x1.43f5181d551b0p-26, -0x1.1710e4b4c611cp-26, 0x1.cd7ece87d113ep-30, 0x1.0e8ef0694c77bp-29,
      0x1.10ea789bdc7d9p-32);
  const auto square = ExactProduct(x, x);
  const auto parts = SplitExp(d, hn::Neg(square.high), hn::Neg(square.low));
  const V one = hn::Set(d, 1.0);
  const V quotient = hn::Div(scaled, hn::MulAdd(x, hn::Set(d, 2.0), one));
  return ScaleByPower(d, hn::MulAdd(quotient, parts.fraction, quotient), parts.exponent);
}

/// erfc x. Range: all. Max error: 4 ulp (float64), 1 ulp (float32).
template <class D, class V>
HWY_INLINE V Erfc(D d, V x) {
  if constexpr (kIsFloat32<D>) {
    return ThroughDouble(d, x, [](auto wide, auto v) HWY_ATTR { return Erfc(wide, v); });
  } else {
    const V size = hn::Min(hn::Abs(x), hn::Set(d, 28.0));
    const V tail = PositiveErfc(d, size);
    const V far = hn::IfThenElse(hn::Lt(x, hn::Zero(d)), hn::Sub(hn::Set(d, 2.0), tail), tail);
    const V near = hn::Sub(hn::Set(d, 1.0), SmallErf(d, x));
    // NaN compares false, and the polynomial keeps it.
    return hn::IfThenElse(hn::Gt(hn::Abs(x), hn::Set(d, 0.5)), far, near);
  }
}

/// erf x. Range: all. Max error: 2 ulp.
template <class D, class V>
HWY_INLINE V Erf(D d, V x) {
  const V size = hn::Abs(x);
  const V one = hn::Set(d, hn::TFromD<D>{1});
  V near;
  V far;
  if constexpr (kIsFloat32<D>) {
    // erf x / x - 1 in x^2; error 2^-34.
    const V ratio = Polynomial(d, hn::Mul(x, x), 0x1.06eba8p-3f, -0x1.812746p-2f, 0x1.ce2f0ap-4f,
                               -0x1.b829d8p-6f, 0x1.562b16p-8f, -0x1.bcd7a6p-11f, 0x1.d8b724p-14f,
                               -0x1.44cc3ep-17f);
    near = hn::MulAdd(x, ratio, x);
    // erf(2.5 + 1.5 u) for |u| <= 1; error 2^-30.
    const V u = hn::Mul(hn::Sub(hn::Min(size, hn::Set(d, 4.0f)), hn::Set(d, 2.5f)),
                        hn::Set(d, 0x1.555556p-1f));
    far = Polynomial(d, u, 0x1.ffcaa8p-1f, 0x1.ac4456p-9f, -0x1.917ffap-7f, 0x1.cdbbc8p-6f,
                     -0x1.65988cp-5f, 0x1.7c7fccp-5f, -0x1.050ce8p-5f, 0x1.30e708p-7f,
                     0x1.b2b0f8p-8f, -0x1.3f55fp-7f, 0x1.324b32p-8f, 0x1.61fddcp-11f,
                     -0x1.0b04c8p-9f, 0x1.5fa6cp-11f, 0x1.0fbcfcp-12f, -0x1.40a69cp-13f);
    far = hn::IfThenElse(hn::Lt(size, hn::Set(d, 3.9375f)), far, one);
  } else {
    near = SmallErf(d, x);
    far = hn::Sub(one, PositiveErfc(d, hn::Min(size, hn::Set(d, 28.0))));
  }
  return hn::IfThenElse(hn::Gt(size, one), hn::CopySign(far, x), near);
}

}  // namespace lockstep::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // once per instruction set
