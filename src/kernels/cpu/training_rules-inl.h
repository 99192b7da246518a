// The rules by which optimizers change a weight, for one vector of elements. Included once a target
// by training.cc.

#if defined(LOCKSTEP_TRAINING_RULES_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCKSTEP_TRAINING_RULES_INL_H
#undef LOCKSTEP_TRAINING_RULES_INL_H
#else
#define LOCKSTEP_TRAINING_RULES_INL_H
#endif

#include "hwy/highway.h"
#include "ops/attributes.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

inline float FloatOf(const ops::Attributes& attributes, const char* name) {
  return static_cast<float>(attributes.Get<double>(name));
}

/// 1 / sqrt(x) for x >= 0, to 2 units in the last place; a large finite number for 0. The
/// processor's divider would take three times as long, and the bits of its estimates differ between
/// makers, so the first estimate is the integer one, sharpened by three Newton steps.
template <class D, class V>
HWY_INLINE V InverseSquareRoot(D d, V x) {
  const hn::RebindToSigned<D> di;
  const V half = hn::Mul(x, hn::Set(d, 0.5f));
  V y = hn::BitCast(d, hn::Sub(hn::Set(di, 0x5f375a86), hn::ShiftRight<1>(hn::BitCast(di, x))));
  for (int step = 0; step < 3; ++step) {
    y = hn::Mul(y, hn::NegMulAdd(hn::Mul(half, y), y, hn::Set(d, 1.5f)));
  }
  return y;
}

/// 1 / x for finite positive normal x, to 2 units in the last place, in the same way.
template <class D, class V>
HWY_INLINE V Inverse(D d, V x) {
  const hn::RebindToSigned<D> di;
  const V one = hn::Set(d, 1.0f);
  V y = hn::BitCast(d, hn::Sub(hn::Set(di, 0x7ef311c7), hn::BitCast(di, x)));
  for (int step = 0; step < 3; ++step) y = hn::MulAdd(y, hn::NegMulAdd(x, y, one), y);
  return y;
}

/// sqrt(x) + epsilon, and then the inverse of that; an overflown x counts as the largest number.
template <class D, class V>
HWY_INLINE V InverseOfRootPlus(D d, V x, float epsilon) {
  x = hn::Min(x, hn::Set(d, 3.0e38f));
  const V root = hn::Mul(x, InverseSquareRoot(d, x));
  return Inverse(d, hn::Add(root, hn::Set(d, epsilon)));
}

/// w -= rate * g
struct GradientDescentRule {
  static constexpr int kSlots = 0, kScalars = 1;
  explicit GradientDescentRule(const ops::Attributes&) {}
  template <class D, class V>
  void operator()(D d, V& w, V g, V*, const V* scalars) const {
    w = hn::NegMulAdd(scalars[0], g, w);
  }
};

/// m = momentum * m - rate * g; w += m, or with nesterov w += momentum * m - rate * g.
struct MomentumRule {
  static constexpr int kSlots = 1, kScalars = 1;
  explicit MomentumRule(const ops::Attributes& a)
      : momentum(FloatOf(a, "momentum")), nesterov(a.Get<bool>("nesterov")) {}
  template <class D, class V>
  void operator()(D d, V& w, V g, V* slots, const V* scalars) const {
    const V mu = hn::Set(d, momentum);
    const V step = hn::Mul(scalars[0], g);
    slots[0] = hn::MulSub(mu, slots[0], step);
    w = hn::Add(w, nesterov ? hn::MulSub(mu, slots[0], step) : slots[0]);
  }
  float momentum;
  bool nesterov;
};

/// m += (g - m)(1 - beta_1); v += (g^2 - v)(1 - beta_2); w -= m * rate / (sqrt(v) + epsilon), with
/// the rate corrected for the bias by the caller.
struct AdamRule {
  static constexpr int kSlots = 2, kScalars = 1;
  explicit AdamRule(const ops::Attributes& a)
      : one_minus_beta_1(static_cast<float>(1 - a.Get<double>("beta_1"))),
        one_minus_beta_2(static_cast<float>(1 - a.Get<double>("beta_2"))),
        epsilon(FloatOf(a, "epsilon")) {}
  template <class D, class V>
  void operator()(D d, V& w, V g, V* slots, const V* scalars) const {
    V& m = slots[0];
    V& v = slots[1];
    m = hn::MulAdd(hn::Sub(g, m), hn::Set(d, one_minus_beta_1), m);
    v = hn::MulAdd(hn::MulSub(g, g, v), hn::Set(d, one_minus_beta_2), v);
    w = hn::NegMulAdd(hn::Mul(m, scalars[0]), InverseOfRootPlus(d, v, epsilon), w);
  }
  float one_minus_beta_1, one_minus_beta_2, epsilon;
};

}  // namespace lockstep::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
