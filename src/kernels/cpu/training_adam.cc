// Adam and its relatives: updates by running means of gradient and square.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/training_adam.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/cpu/training_roots-inl.h"
#include "kernels/cpu/training_update-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep::kernels::HWY_NAMESPACE {

/// The means that all rules here begin with: m += (g - m)(1 - beta_1), v += (g^2 - v)(1 - beta_2).
struct RunningMeans : SquareMoment {
  explicit RunningMeans(const ops::Attributes& a)
      : beta_1(NumberOf(a, "beta_1")),
        beta_2(NumberOf(a, "beta_2")),
        epsilon(NumberOf(a, "epsilon")) {}
  template <class D, class E>
  HWY_INLINE void Advance(D d, E& e) const {
    e.slots[0] = hn::MulAdd(hn::Sub(e.gradient, e.slots[0]), SetTo(d, 1 - beta_1), e.slots[0]);
    e.slots[1] = hn::MulAdd(hn::Sub(e.moment, e.slots[1]), SetTo(d, 1 - beta_2), e.slots[1]);
  }
  double beta_1, beta_2, epsilon;
};

/// w -= m * rate / (sqrt(v) + epsilon), with the rate corrected for the bias by the caller.
struct AdamRule : RunningMeans {
  static constexpr int kSlots = 2, kScalars = 1;
  using RunningMeans::RunningMeans;
  template <class D, class E>
  HWY_INLINE auto Radicand(D d, E& e) const {
    Advance(d, e);
    return e.slots[1];
  }
  template <class D, class E, class V>
  HWY_INLINE void Finish(D, E& e, V inverse) const {
    e.weight = hn::NegMulAdd(hn::Mul(e.slots[0], e.scalars[0]), inverse, e.weight);
  }
};

/// The same with the largest v so far.
struct AmsgradRule : RunningMeans {
  static constexpr int kSlots = 3, kScalars = 1;
  using RunningMeans::RunningMeans;
  template <class D, class E>
  HWY_INLINE void operator()(D d, E& e) const {
    Advance(d, e);
    // A NaN in either stays, whatever the processor's maximum does.
    const auto keep = hn::Or(hn::Ge(e.slots[2], e.slots[1]), hn::IsNaN(e.slots[2]));
    e.slots[2] = hn::IfThenElse(keep, e.slots[2], e.slots[1]);
    e.weight = hn::NegMulAdd(hn::Mul(e.slots[0], e.scalars[0]),
                             InverseOfRootPlus(d, e.slots[2], epsilon), e.weight);
  }
};

/// direction = m * c_m / (sqrt(v * c_v) + epsilon), with the caller's corrections c of the bias.
struct LambRule : RunningMeans {
  static constexpr bool kDirection = true;
  static constexpr int kSlots = 2, kScalars = 2;
  using RunningMeans::RunningMeans;
  template <class D, class E>
  HWY_INLINE void operator()(D d, E& e) const {
    Advance(d, e);
    const auto v = hn::Mul(e.slots[1], e.scalars[1]);
    e.direction = hn::Mul(hn::Mul(e.slots[0], e.scalars[0]), InverseOfRootPlus(d, v, epsilon));
  }
};

/// w -= (m * c_m + g * c_g) / (sqrt(v * c_v) + epsilon) with the caller's factors c, which hold
/// rate, momentum schedule and bias correction. The betas are rounded before they are subtracted
/// from one, as the correction has them.
struct NadamRule : RunningMeans {
  static constexpr int kSlots = 2, kScalars = 3;
  using RunningMeans::RunningMeans;
  template <class D, class E>
  HWY_INLINE void operator()(D d, E& e) const {
    const auto take_1 = hn::Sub(SetTo(d, 1), SetTo(d, beta_1));
    const auto take_2 = hn::Sub(SetTo(d, 1), SetTo(d, beta_2));
    e.slots[0] = hn::MulAdd(hn::Sub(e.gradient, e.slots[0]), take_1, e.slots[0]);
    e.slots[1] = hn::MulAdd(hn::Sub(e.moment, e.slots[1]), take_2, e.slots[1]);
    const auto step = hn::MulAdd(e.slots[0], e.scalars[0], hn::Mul(e.gradient, e.scalars[1]));
    const auto v = hn::Mul(e.slots[1], e.scalars[2]);
    e.weight = hn::NegMulAdd(step, InverseOfRootPlus(d, v, epsilon), e.weight);
  }
};

/// m as Adam; u = max(beta_2 * u, |g|); w -= m * rate / (u + epsilon), with a corrected rate.
struct AdaMaxRule {
  static constexpr bool kDirection = false;
  static constexpr int kSlots = 2, kScalars = 1;
  explicit AdaMaxRule(const ops::Attributes& a)
      : beta_1(NumberOf(a, "beta_1")),
        beta_2(NumberOf(a, "beta_2")),
        epsilon(NumberOf(a, "epsilon")) {}
  template <class D, class V>
  static HWY_INLINE V Moment(D, V g) {
    return hn::Abs(g);
  }
  template <class D, class E>
  HWY_INLINE void operator()(D d, E& e) const {
    e.slots[0] = hn::MulAdd(hn::Sub(e.gradient, e.slots[0]), SetTo(d, 1 - beta_1), e.slots[0]);
    const auto old = hn::Mul(e.slots[1], SetTo(d, beta_2));
    const auto keep = hn::Or(hn::Ge(old, e.moment), hn::IsNaN(old));
    e.slots[1] = hn::IfThenElse(keep, old, e.moment);
    e.weight = hn::Sub(e.weight, hn::Div(hn::Mul(e.slots[0], e.scalars[0]),
                                         hn::Add(e.slots[1], SetTo(d, epsilon))));
  }
  double beta_1, beta_2, epsilon;
};

LOCKSTEP_DEFINE_UPDATE(Adam, AdamRule)
LOCKSTEP_DEFINE_UPDATE(AdamWithAmsgrad, AmsgradRule)
LOCKSTEP_DEFINE_UPDATE(Nadam, NadamRule)
LOCKSTEP_DEFINE_UPDATE(AdaMax, AdaMaxRule)
LOCKSTEP_DEFINE_UPDATE(LambDirection, LambRule)

}  // namespace lockstep::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lockstep::kernels {
namespace {

HWY_EXPORT(Adam);
HWY_EXPORT(AdamWithAmsgrad);
HWY_EXPORT(Nadam);
HWY_EXPORT(AdaMax);
HWY_EXPORT(LambDirection);

LOCKSTEP_REGISTER_UPDATE("ResourceApplyAdam", Adam);
LOCKSTEP_REGISTER_UPDATE("ResourceApplyAdamWithAmsgrad", AdamWithAmsgrad);
LOCKSTEP_REGISTER_UPDATE("ResourceApplyNadam", Nadam);
LOCKSTEP_REGISTER_UPDATE("ResourceApplyAdaMax", AdaMax);
LOCKSTEP_REGISTER_UPDATE("ResourceApplyLambDirection", LambDirection);

}  // namespace
}  // namespace lockstep::kernels
#endif
