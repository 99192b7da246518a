// What all vector functions share: polynomials, powers of two, float32 through float64.
#if defined(LOCKSTEP_POLYNOMIAL_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCKSTEP_POLYNOMIAL_INL_H_
#undef LOCKSTEP_POLYNOMIAL_INL_H_
#else
#define LOCKSTEP_POLYNOMIAL_INL_H_
#endif

#include <hwy/highway.h>

#include <limits>

HWY_BEFORE_NAMESPACE();
namespace lockstep::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class D>
inline constexpr bool kIsFloat32 = sizeof(hn::TFromD<D>) == 4;

/// c0 + c1 x + c2 x^2 + ... by Horner's rule, multiplies and adds fused.
template <class D, class V>
HWY_INLINE V Polynomial(D d, V /*x*/, hn::TFromD<D> c0) {
  return hn::Set(d, c0);
}
template <class D, class V, class... Rest>
HWY_INLINE V Polynomial(D d, V x, hn::TFromD<D> c0, Rest... rest) {
  return hn::MulAdd(x, Polynomial(d, x, rest...), hn::Set(d, c0));
}

template <class D>
HWY_INLINE hn::Vec<D> Infinity(D d) {
  return hn::Set(d, std::numeric_limits<hn::TFromD<D>>::infinity());
}
template <class D>
HWY_INLINE hn::Vec<D> NotANumber(D d) {
  return hn::Set(d, std::numeric_limits<hn::TFromD<D>>::quiet_NaN());
}

/// value · 2^exponent with one rounding. Range: integers |exponent| <= 2000 (float64), 250
/// (float32).
template <class D, class V>
HWY_INLINE V ScaleByPower(D d, V value, V exponent) {
  using T = hn::TFromD<D>;
  constexpr int kMantissa = kIsFloat32<D> ? 23 : 52;
  constexpr T kBias = kIsFloat32<D> ? T{127} : T{1023};
  // Adding 2^mantissa leaves the biased exponent in the low bits, for the shift to put in place.
  const V magic = hn::Set(d, static_cast<T>(uint64_t{1} << kMantissa) + kBias);
  const hn::RebindToUnsigned<D> du;
  const V half = hn::Floor(hn::Mul(exponent, hn::Set(d, T{0.5})));
  const V rest = hn::Sub(exponent, half);
  const V first = hn::BitCast(d, hn::ShiftLeft<kMantissa>(hn::BitCast(du, hn::Add(half, magic))));
  const V second = hn::BitCast(d, hn::ShiftLeft<kMantissa>(hn::BitCast(du, hn::Add(rest, magic))));
  return hn::Mul(hn::Mul(value, first), second);
}

/// Applies f(double tag, double vector) to float32 lanes. D has at least two lanes.
template <class D, class V, class F>
HWY_INLINE V ThroughDouble(D d, V x, const F& f) {
  const hn::Half<D> half;
  const hn::Rebind<double, hn::Half<D>> wide;
  const auto lower = f(wide, hn::PromoteTo(wide, hn::LowerHalf(half, x)));
  const auto upper = f(wide, hn::PromoteTo(wide, hn::UpperHalf(half, x)));
  return hn::Combine(d, hn::DemoteTo(half, upper), hn::DemoteTo(half, lower));
}
template <class D, class V, class F>
HWY_INLINE V ThroughDouble(D d, V x, V y, const F& f) {
  const hn::Half<D> half;
  const hn::Rebind<double, hn::Half<D>> wide;
  const auto lower = f(wide, hn::PromoteTo(wide, hn::LowerHalf(half, x)),
                       hn::PromoteTo(wide, hn::LowerHalf(half, y)));
  const auto upper = f(wide, hn::PromoteTo(wide, hn::UpperHalf(half, x)),
                       hn::PromoteTo(wide, hn::UpperHalf(half, y)));
  return hn::Combine(d, hn::DemoteTo(half, upper), hn::DemoteTo(half, lower));
}

/// A value in two parts: high + low, |low| at most half a unit of high's last place.
template <class V>
struct TwoParts {
  V high;
  V low;
};

/// The exact sum of a and b.
template <class V>
HWY_INLINE TwoParts<V> ExactSum(V a, V b) {
  const V sum = hn::Add(a, b);
  const V back = hn::Sub(sum, a);
  return {sum, hn::Add(hn::Sub(a, hn::Sub(sum, back)), hn::Sub(b, back))};
}
/// The exact product of a and b (barring underflow).
template <class V>
HWY_INLINE TwoParts<V> ExactProduct(V a, V b) {
  const V product = hn::Mul(a, b);
  return {product, hn::MulSub(a, b, product)};
}

}  // namespace lockstep::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // once per instruction set
