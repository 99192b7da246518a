// Updates along the gradient: descent, momentum, Lion.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/training_descent.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/cpu/training_update-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep::kernels::HWY_NAMESPACE {

// Rounded as Keras's own ops round it, product and sum apart: a user who compares sees no
// difference.

/// w -= rate * g
struct GradientDescentRule : SquareMoment {
  static constexpr int kSlots = 0, kScalars = 1;
  explicit GradientDescentRule(const ops::Attributes&) {}
  template <class D, class E>
  HWY_INLINE void operator()(D, E& e) const {
    e.weight = hn::Sub(e.weight, hn::Mul(e.scalars[0], e.gradient));
  }
};

/// m = momentum * m - rate * g; w += m, or with nesterov w += momentum * m - rate * g.
struct MomentumRule : SquareMoment {
  static constexpr int kSlots = 1, kScalars = 1;
  explicit MomentumRule(const ops::Attributes& a)
      : momentum(NumberOf(a, "momentum")), nesterov(a.Get<bool>("nesterov")) {}
  template <class D, class E>
  HWY_INLINE void operator()(D d, E& e) const {
    const auto mu = SetTo(d, momentum);
    const auto step = hn::Mul(e.scalars[0], e.gradient);
    e.slots[0] = hn::Sub(hn::Mul(mu, e.slots[0]), step);
    e.weight = hn::Add(e.weight, nesterov ? hn::Sub(hn::Mul(mu, e.slots[0]), step) : e.slots[0]);
  }
  double momentum;
  bool nesterov;
};

/// w -= rate * sign(beta_1 * m + (1 - beta_1) * g); m = beta_2 * m + (1 - beta_2) * g. The sign of
/// NaN is 1.
struct LionRule : SquareMoment {
  static constexpr int kSlots = 1, kScalars = 1;
  explicit LionRule(const ops::Attributes& a)
      : beta_1(NumberOf(a, "beta_1")), beta_2(NumberOf(a, "beta_2")) {}
  template <class D, class E>
  HWY_INLINE void operator()(D d, E& e) const {
    const auto zero = hn::Zero(d);
    const auto ahead = hn::MulAdd(SetTo(d, beta_1), e.slots[0],
                                  hn::Mul(hn::Sub(SetTo(d, 1), SetTo(d, beta_1)), e.gradient));
    const auto size = hn::IfThenElse(hn::Lt(ahead, zero), hn::Neg(e.scalars[0]), e.scalars[0]);
    const auto step = hn::IfThenZeroElse(hn::Eq(ahead, zero), size);
    e.weight = hn::Sub(e.weight, step);
    e.slots[0] = hn::MulAdd(SetTo(d, beta_2), e.slots[0],
                            hn::Mul(hn::Sub(SetTo(d, 1), SetTo(d, beta_2)), e.gradient));
  }
  double beta_1, beta_2;
};

LOCKSTEP_DEFINE_UPDATE(GradientDescent, GradientDescentRule)
LOCKSTEP_DEFINE_UPDATE(Momentum, MomentumRule)
LOCKSTEP_DEFINE_UPDATE(Lion, LionRule)

}  // namespace lockstep::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lockstep::kernels {
namespace {

HWY_EXPORT(GradientDescent);
HWY_EXPORT(Momentum);
HWY_EXPORT(Lion);

LOCKSTEP_REGISTER_UPDATE("ResourceApplyGradientDescent", GradientDescent);
LOCKSTEP_REGISTER_UPDATE("ResourceApplyMomentum", Momentum);
LOCKSTEP_REGISTER_UPDATE("ResourceApplyLion", Lion);

}  // namespace
}  // namespace lockstep::kernels
#endif
