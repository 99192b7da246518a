// Hyperbolic functions and their inverses; errors are measured in array_math_test.cc.
#if defined(LOCKSTEP_HYPERBOLIC_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCKSTEP_HYPERBOLIC_INL_H_
#undef LOCKSTEP_HYPERBOLIC_INL_H_
#else
#define LOCKSTEP_HYPERBOLIC_INL_H_
#endif

#include "kernels/cpu/math/exponential-inl.h"
#include "kernels/cpu/math/logarithm-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// sinh x. Range: all. Max error: 2.5 ulp (float64), 1 ulp (float32).
template <class D, class V>
HWY_INLINE V Sinh(D d, V x) {
  if constexpr (kIsFloat32<D>) {
    return ThroughDouble(d, x, [](auto wide, auto v) HWY_ATTR { return Sinh(wide, v); });
  } else {
    const V size = hn::Abs(x);
    const V one = hn::Set(d, 1.0);
    auto parts = SplitExp(d, hn::Min(size, hn::Set(d, 720.0)), hn::Zero(d));
    parts.exponent = hn::Sub(parts.exponent, one);
    const V half = hn::Set(d, 0.5);
    const V power = ScaleByPower(d, one, parts.exponent);
    // e = half of e^|x| − 1; sinh = e + e / (2 e + 1)... with all terms halved.
    const V e = hn::MulAdd(power, parts.fraction, hn::Sub(power, half));
    const V small = hn::Add(e, hn::Div(e, hn::MulAdd(e, hn::Set(d, 2.0), one)));
    const V result = hn::IfThenElse(hn::Lt(size, hn::Set(d, 40.0)), small, JoinExp(d, parts));
    // Tiny values and NaN are their own result.
    return hn::IfThenElse(hn::Ge(size, hn::Set(d, 0x1p-28)), hn::CopySign(result, x), x);
  }
}

/// cosh x. Range: all. Max error: 1.5 ulp (float64), 1 ulp (float32).
template <class D, class V>
HWY_INLINE V Cosh(D d, V x) {
  if constexpr (kIsFloat32<D>) {
    return ThroughDouble(d, x, [](auto wide, auto v) HWY_ATTR { return Cosh(wide, v); });
  } else {
    auto parts = SplitExp(d, hn::Min(hn::Abs(x), hn::Set(d, 720.0)), hn::Zero(d));
    parts.exponent = hn::Sub(parts.exponent, hn::Set(d, 1.0));
    const V half = JoinExp(d, parts);  // half of e^|x|
    const V result = hn::Add(half, hn::Div(hn::Set(d, 0.25), half));
    return hn::IfThenElse(hn::IsNaN(x), x, result);
  }
}

/// tanh x. Range: all. Max error: 3 ulp (float64), 1.5 ulp (float32).
template <class D, class V>
HWY_INLINE V Tanh(D d, V x) {
  const V size = hn::Abs(x);
  if constexpr (kIsFloat32<D>) {
    const V z = hn::Mul(x, x);
    // (tanh x - x) / x^3 for |x| <= 0.6; error 2^-28 of the result.
    const V tail = Polynomial(d, z, -0x1.55554p-2f, 0x1.1109f4p-3f, -0x1.b8a1ap-5f, 0x1.54f0a8p-6f,
                              -0x1.835178p-8f);
    const V small = hn::MulAdd(hn::Mul(x, z), tail, x);
    const V one = hn::Set(d, 1.0f);
    const V e = ClampedExpFloat(d, hn::Add(size, size));
    const V large = hn::Sub(one, hn::Div(hn::Set(d, 2.0f), hn::Add(e, one)));
    // NaN compares false, and the polynomial keeps it.
    return hn::CopySign(hn::IfThenElse(hn::Gt(size, hn::Set(d, 0.6f)), large, small), x);
  } else {
    const V e = Expm1(d, hn::Min(hn::Add(size, size), hn::Set(d, 50.0)));
    const V result = hn::Div(e, hn::Add(e, hn::Set(d, 2.0)));
    return hn::IfThenElse(hn::Ge(size, hn::Set(d, 0x1p-28)), hn::CopySign(result, x), x);
  }
}

/// asinh x. Range: all. Max error: 3 ulp (float64), 1 ulp (float32).
template <class D, class V>
HWY_INLINE V Asinh(D d, V x) {
  if constexpr (kIsFloat32<D>) {
    return ThroughDouble(d, x, [](auto wide, auto v) HWY_ATTR { return Asinh(wide, v); });
  } else {
    const V size = hn::Abs(x);
    const V one = hn::Set(d, 1.0);
    const V square = hn::Mul(x, x);
    const V root = hn::Sqrt(hn::Add(square, one));
    const V middle = Log1p(d, hn::Add(size, hn::Div(square, hn::Add(root, one))));
    auto parts = SplitLog(d, size);
    parts.exponent = hn::Add(parts.exponent, one);
    const V result = hn::IfThenElse(hn::Gt(size, hn::Set(d, 0x1p28)), JoinLog(d, parts), middle);
    const auto own = hn::And(hn::Ge(size, hn::Set(d, 0x1p-28)), hn::Lt(size, Infinity(d)));
    return hn::IfThenElse(own, hn::CopySign(result, x), x);
  }
}

/// acosh x; NaN below 1. Range: all. Max error: 3 ulp (float64), 1 ulp (float32).
template <class D, class V>
HWY_INLINE V Acosh(D d, V x) {
  if constexpr (kIsFloat32<D>) {
    return ThroughDouble(d, x, [](auto wide, auto v) HWY_ATTR { return Acosh(wide, v); });
  } else {
    const V one = hn::Set(d, 1.0);
    const V over = hn::Sub(x, one);
    const V root = hn::Sqrt(hn::MulAdd(over, over, hn::Add(over, over)));
    const V middle = Log1p(d, hn::Add(over, root));
    auto parts = SplitLog(d, x);
    parts.exponent = hn::Add(parts.exponent, one);
    V result = hn::IfThenElse(hn::Gt(x, hn::Set(d, 0x1p28)), JoinLog(d, parts), middle);
    result = hn::IfThenElse(hn::Lt(x, one), NotANumber(d), result);
    return hn::IfThenElse(hn::Lt(x, Infinity(d)), result, x);
  }
}

/// atanh x; ±inf at ±1, NaN beyond. Range: all. Max error: 3 ulp (float64), 1 ulp (float32).
template <class D, class V>
HWY_INLINE V Atanh(D d, V x) {
  if constexpr (kIsFloat32<D>) {
    return ThroughDouble(d, x, [](auto wide, auto v) HWY_ATTR { return Atanh(wide, v); });
  } else {
    const V size = hn::Abs(x);
    const V one = hn::Set(d, 1.0);
    const V result =
        hn::Mul(hn::Set(d, 0.5), Log1p(d, hn::Div(hn::Add(size, size), hn::Sub(one, size))));
    const V outside = hn::IfThenElse(hn::IsNaN(x), x, NotANumber(d));
    const V inside = hn::IfThenElse(hn::Ge(size, hn::Set(d, 0x1p-28)), hn::CopySign(result, x), x);
    return hn::IfThenElse(hn::Le(size, one), inside, outside);
  }
}

}  // namespace lockstep::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // once per instruction set
