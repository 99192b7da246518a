// Activations and their derivatives; errors are measured in array_math_test.cc.
#if defined(LOCKSTEP_ACTIVATION_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCKSTEP_ACTIVATION_INL_H_
#undef LOCKSTEP_ACTIVATION_INL_H_
#else
#define LOCKSTEP_ACTIVATION_INL_H_
#endif

#include "kernels/cpu/math/error_function-inl.h"
#include "kernels/cpu/math/hyperbolic-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// The sigmoid of x and of −x, neither by a subtraction.
template <class V>
struct Sigmoids {
  V of_x;
  V of_minus_x;
};
template <class D, class V>
HWY_INLINE Sigmoids<V> BothSigmoids(D d, V x) {
  const V one = hn::Set(d, hn::TFromD<D>{1});
  const V e = Exp(d, hn::Neg(hn::Abs(x)));
  const V great = hn::Div(one, hn::Add(e, one));
  const V small = hn::Mul(e, great);
  const auto negative = hn::Lt(x, hn::Zero(d));
  return {hn::IfThenElse(negative, small, great), hn::IfThenElse(negative, great, small)};
}

/// 1 / (1 + e^−x). Range: all. Max error: 2.5 ulp.
template <class D, class V>
HWY_INLINE V Sigmoid(D d, V x) {
  const V one = hn::Set(d, hn::TFromD<D>{1});
  const V e = Exp(d, hn::Neg(hn::Abs(x)));
  return hn::Div(hn::IfThenElse(hn::Lt(x, hn::Zero(d)), e, one), hn::Add(e, one));
}

/// log(1 + e^x). Range: all. Max error: 2 ulp (float64), 1 ulp (float32).
template <class D, class V>
HWY_INLINE V Softplus(D d, V x) {
  if constexpr (kIsFloat32<D>) {
    return ThroughDouble(d, x, [](auto wide, auto v) HWY_ATTR { return Softplus(wide, v); });
  } else {
    const V rest = Log1p(d, Exp(d, hn::Neg(hn::Abs(x))));
    const V result = hn::Add(hn::Max(x, hn::Zero(d)), rest);
    return hn::IfThenElse(hn::IsNaN(x), x, result);
  }
}

/// log sigmoid x = −softplus(−x). Range: all. Max error: 2 ulp (float64), 1 ulp (float32).
template <class D, class V>
HWY_INLINE V LogSigmoid(D d, V x) {
  return hn::Neg(Softplus(d, hn::Neg(x)));
}

/// x Φ(x) = x (1 + erf(x / √2)) / 2, as TensorFlow computes it.
/// Range: all. Max error: 2 units of the last place of x.
template <class D, class V>
HWY_INLINE V Gelu(D d, V x) {
  using T = hn::TFromD<D>;
  const V erf = Erf(d, hn::Mul(x, hn::Set(d, static_cast<T>(0.70710678118654752440))));
  return hn::Mul(hn::Mul(x, hn::Set(d, T{0.5})), hn::Add(erf, hn::Set(d, T{1})));
}

/// The derivative of Gelu: Φ(x) + x φ(x). Range: all; 0 and 1 at ∓inf.
/// Max error: 3 units of the last place of 1.
template <class D, class V>
HWY_INLINE V GeluDerivative(D d, V x) {
  using T = hn::TFromD<D>;
  const V half = hn::Set(d, T{0.5});
  const V near = hn::Max(hn::Min(x, hn::Set(d, T{40})), hn::Set(d, T{-40}));
  const V erf = Erf(d, hn::Mul(near, hn::Set(d, static_cast<T>(0.70710678118654752440))));
  const V bell = Exp(d, hn::Mul(hn::Mul(near, near), hn::Set(d, T{-0.5})));
  const V slope = hn::Mul(hn::Mul(near, bell), hn::Set(d, static_cast<T>(0.39894228040143267794)));
  const V result = hn::Add(hn::MulAdd(half, erf, half), slope);
  return hn::IfThenElse(hn::IsNaN(x), x, result);
}

// 2 √(2/π) (x + 0.044715 x³), whose sigmoid is (1 + tanh of its half) / 2.
template <class D, class V>
HWY_INLINE V GeluTanhInner(D d, V x, V square) {
  using T = hn::TFromD<D>;
  const V cubic = hn::MulAdd(hn::Mul(square, x), hn::Set(d, static_cast<T>(0.044715)), x);
  return hn::Mul(cubic, hn::Set(d, static_cast<T>(1.5957691216057307117597842)));
}

/// x (1 + tanh(√(2/π) (x + 0.044715 x³))) / 2. Range: all.
/// Max error: 2.5 units of the last place of x.
template <class D, class V>
HWY_INLINE V GeluTanh(D d, V x) {
  return hn::Mul(x, Sigmoid(d, GeluTanhInner(d, x, hn::Mul(x, x))));
}

/// The derivative of GeluTanh. Range: all; 0 and 1 at ∓inf.
/// Max error: 3 units of the last place of 1.
template <class D, class V>
HWY_INLINE V GeluTanhDerivative(D d, V x) {
  using T = hn::TFromD<D>;
  const V near = hn::Max(hn::Min(x, hn::Set(d, T{20})), hn::Set(d, T{-20}));
  const V square = hn::Mul(near, near);
  const auto sigmoids = BothSigmoids(d, GeluTanhInner(d, near, square));
  const V inner = hn::MulAdd(square, hn::Set(d, static_cast<T>(0.21406444881780074633)),
                             hn::Set(d, static_cast<T>(1.5957691216057307117597842)));
  const V slope = hn::Mul(hn::Mul(sigmoids.of_x, sigmoids.of_minus_x), hn::Mul(near, inner));
  const V result = hn::Add(sigmoids.of_x, slope);
  return hn::IfThenElse(hn::IsNaN(x), x, result);
}

}  // namespace lockstep::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // once per instruction set
