// Updates that divide by what gathers of squared gradients: RMSprop, Adagrad, Adadelta, Ftrl.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/training_adaptive.cc"
#include "hwy/foreach_target.h"
#include "hwy/highway.h"
#include "kernels/cpu/math/power-inl.h"
#include "kernels/cpu/training_update-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep::kernels::HWY_NAMESPACE {

/// v = rho * v + (1 - rho) * g^2; step = rate * g / sqrt(v + epsilon), centered: of v - a^2 +
/// epsilon with a = rho * a + (1 - rho) * g. w -= step, or with momentum m = momentum * m + step,
/// w -= m. Slots: v, m, a, as far as there are.
template <bool kMomentum, bool kCentered>
struct RmspropRule : SquareMoment {
  static constexpr int kSlots = 1 + kMomentum + kCentered, kScalars = 1;
  explicit RmspropRule(const ops::Attributes& a)
      : rho(NumberOf(a, "rho")),
        momentum(NumberOf(a, "momentum")),
        epsilon(NumberOf(a, "epsilon")) {}
  template <class D, class E>
  HWY_INLINE void operator()(D d, E& e) const {
    const auto keep = SetTo(d, rho);
    const auto take = SetTo(d, 1 - rho);
    e.slots[0] = hn::MulAdd(keep, e.slots[0], hn::Mul(take, e.moment));
    auto divisor = e.slots[0];
    if constexpr (kCentered) {
      auto& average = e.slots[1 + kMomentum];
      average = hn::MulAdd(keep, average, hn::Mul(take, e.gradient));
      divisor = hn::NegMulAdd(average, average, divisor);
    }
    divisor = hn::Sqrt(hn::Add(divisor, SetTo(d, epsilon)));
    auto step = hn::Div(hn::Mul(e.scalars[0], e.gradient), divisor);
    if constexpr (kMomentum) {
      e.slots[1] = hn::MulAdd(SetTo(d, momentum), e.slots[1], step);
      step = e.slots[1];
    }
    e.weight = hn::Sub(e.weight, step);
  }
  double rho, momentum, epsilon;
};

/// a += g^2; w -= rate * g / sqrt(a + epsilon)
struct AdagradRule : SquareMoment {
  static constexpr int kSlots = 1, kScalars = 1;
  explicit AdagradRule(const ops::Attributes& a) : epsilon(NumberOf(a, "epsilon")) {}
  template <class D, class E>
  HWY_INLINE void operator()(D d, E& e) const {
    e.slots[0] = hn::Add(e.slots[0], e.moment);
    const auto divisor = hn::Sqrt(hn::Add(e.slots[0], SetTo(d, epsilon)));
    e.weight = hn::Sub(e.weight, hn::Div(hn::Mul(e.scalars[0], e.gradient), divisor));
  }
  double epsilon;
};

/// a = rho * a + (1 - rho) * g^2; change = -sqrt(c + epsilon) / sqrt(a + epsilon) * g;
/// c = rho * c + (1 - rho) * change^2; w += rate * change
struct AdadeltaRule : SquareMoment {
  static constexpr int kSlots = 2, kScalars = 1;
  explicit AdadeltaRule(const ops::Attributes& a)
      : rho(NumberOf(a, "rho")), epsilon(NumberOf(a, "epsilon")) {}
  template <class D, class E>
  HWY_INLINE void operator()(D d, E& e) const {
    const auto keep = SetTo(d, rho);
    const auto take = SetTo(d, 1 - rho);
    const auto plus = SetTo(d, epsilon);
    e.slots[0] = hn::MulAdd(keep, e.slots[0], hn::Mul(take, e.moment));
    const auto factor =
        hn::Div(hn::Sqrt(hn::Add(e.slots[1], plus)), hn::Sqrt(hn::Add(e.slots[0], plus)));
    const auto squares = hn::Mul(hn::Mul(factor, factor), e.moment);
    e.slots[1] = hn::MulAdd(keep, e.slots[1], hn::Mul(take, squares));
    e.weight = hn::NegMulAdd(e.scalars[0], hn::Mul(factor, e.gradient), e.weight);
  }
  double rho, epsilon;
};

/// With p(x) = x^-power: n' = n + g^2; z += g + 2 * shrinkage * w - (p(n') - p(n)) / rate * w;
/// w = (clip(z, -l1, l1) - z) / (p(n') / rate + 2 * (l2 + beta / (2 * rate))); n = n'
struct FtrlRule : SquareMoment {
  static constexpr int kSlots = 2, kScalars = 1;
  explicit FtrlRule(const ops::Attributes& a)
      : power(NumberOf(a, "learning_rate_power")),
        l1(NumberOf(a, "l1")),
        l2(NumberOf(a, "l2")),
        shrinkage(NumberOf(a, "l2_shrinkage")),
        beta(NumberOf(a, "beta")) {}
  template <class D, class V>
  HWY_INLINE V Root(D d, V x) const {
    return power == -0.5 ? hn::Sqrt(x) : Pow(d, x, SetTo(d, -power));
  }
  template <class D, class E>
  HWY_INLINE void operator()(D d, E& e) const {
    const auto rate = e.scalars[0];
    const auto gradient = hn::MulAdd(SetTo(d, 2 * shrinkage), e.weight, e.gradient);
    const auto sum = hn::Add(e.slots[0], e.moment);
    const auto root = Root(d, sum);
    const auto slope = hn::Div(hn::Sub(root, Root(d, e.slots[0])), rate);
    auto& linear = e.slots[1];
    linear = hn::Add(linear, hn::NegMulAdd(slope, e.weight, gradient));
    const auto l2_sum = hn::Add(SetTo(d, 2 * l2), hn::Div(SetTo(d, beta), rate));
    const auto quadratic = hn::Add(hn::Div(root, rate), l2_sum);
    // Written so that NaN stays.
    const auto low = hn::IfThenElse(hn::Lt(linear, SetTo(d, -l1)), SetTo(d, -l1), linear);
    const auto clipped = hn::IfThenElse(hn::Gt(low, SetTo(d, l1)), SetTo(d, l1), low);
    e.weight = hn::Div(hn::Sub(clipped, linear), quadratic);
    e.slots[0] = sum;
  }
  double power, l1, l2, shrinkage, beta;
};

using PlainRmspropRule = RmspropRule<false, false>;
using MomentumRmspropRule = RmspropRule<true, false>;
using CenteredRmspropRule = RmspropRule<false, true>;
using CenteredMomentumRmspropRule = RmspropRule<true, true>;
LOCKSTEP_DEFINE_UPDATE(Rmsprop, PlainRmspropRule)
LOCKSTEP_DEFINE_UPDATE(RmspropMomentum, MomentumRmspropRule)
LOCKSTEP_DEFINE_UPDATE(CenteredRmsprop, CenteredRmspropRule)
LOCKSTEP_DEFINE_UPDATE(CenteredRmspropMomentum, CenteredMomentumRmspropRule)
LOCKSTEP_DEFINE_UPDATE(Adagrad, AdagradRule)
LOCKSTEP_DEFINE_UPDATE(Adadelta, AdadeltaRule)
LOCKSTEP_DEFINE_UPDATE(Ftrl, FtrlRule)

}  // namespace lockstep::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lockstep::kernels {
namespace {

HWY_EXPORT(Rmsprop);
HWY_EXPORT(RmspropMomentum);
HWY_EXPORT(CenteredRmsprop);
HWY_EXPORT(CenteredRmspropMomentum);
HWY_EXPORT(Adagrad);
HWY_EXPORT(Adadelta);
HWY_EXPORT(Ftrl);

LOCKSTEP_REGISTER_UPDATE("ResourceApplyRMSProp", Rmsprop);
LOCKSTEP_REGISTER_UPDATE("ResourceApplyRMSPropMomentum", RmspropMomentum);
LOCKSTEP_REGISTER_UPDATE("ResourceApplyCenteredRMSProp", CenteredRmsprop);
LOCKSTEP_REGISTER_UPDATE("ResourceApplyCenteredRMSPropMomentum", CenteredRmspropMomentum);
LOCKSTEP_REGISTER_UPDATE("ResourceApplyAdagrad", Adagrad);
LOCKSTEP_REGISTER_UPDATE("ResourceApplyAdadelta", Adadelta);
LOCKSTEP_REGISTER_UPDATE("ResourceApplyFtrl", Ftrl);

}  // namespace
}  // namespace lockstep::kernels
#endif
