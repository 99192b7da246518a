// The loop over elements that all rules of updates share. Included once a target.

#if defined(LOCKSTEP_TRAINING_UPDATE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCKSTEP_TRAINING_UPDATE_INL_H
#undef LOCKSTEP_TRAINING_UPDATE_INL_H
#else
#define LOCKSTEP_TRAINING_UPDATE_INL_H
#endif

#include "hwy/highway.h"
#include "kernels/cpu/training_kernel.h"
#include "kernels/cpu/training_roots-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// What a rule sees of one vector of elements. A rule has kSlots, kScalars, kDirection (whether it
/// fills an output in place of the weight), a constructor from the op's attributes, `Moment(d, g)`,
/// which is what it makes of the gradient when no moment is given, and `operator()(d, elements)`,
/// which changes weight or direction, and slots.
template <class V, class Rule>
struct Elements {
  V weight;
  V gradient;
  V moment;
  V slots[Rule::kSlots + 1];
  V scalars[Rule::kScalars];
  V direction;
};

/// The rules whose moment is the gradient's square.
struct SquareMoment {
  static constexpr bool kDirection = false;
  template <class D, class V>
  static HWY_INLINE V Moment(D, V g) {
    return hn::Mul(g, g);
  }
};

inline double NumberOf(const ops::Attributes& attributes, const char* name) {
  return attributes.Get<double>(name);
}

template <class D>
HWY_INLINE hn::Vec<D> SetTo(D d, double value) {
  return hn::Set(d, static_cast<hn::TFromD<D>>(value));
}

/// A rule of the form: slots, then weight by 1 / (sqrt(radicand) + epsilon). It has `Radicand(d,
/// elements)`, which changes the slots, and `Finish(d, elements, inverse)`, which changes the
/// weight.
template <class D, class Rule, class V>
concept HasRadicand = requires(const Rule& rule, D d, Elements<V, Rule>& e) {
  rule.Radicand(d, e);
};

template <class D, class Rule, class V>
HWY_INLINE void Apply(D d, const Rule& rule, Elements<V, Rule>& e) {
  if constexpr (HasRadicand<D, Rule, V>) {
    const V radicand = rule.Radicand(d, e);
    rule.Finish(d, e, InverseOfRootPlus(d, radicand, rule.epsilon));
  } else {
    rule(d, e);
  }
}

template <typename T, class Rule, bool kMoment, bool kDecay>
void UpdateElements(const Rule& given, const KernelMemory& memory, int64_t first, int64_t last) {
  const Rule rule = given;  // a copy that no store can change: its constants stay in registers
  const hn::ScalableTag<T> d;
  using V = hn::Vec<decltype(d)>;
  constexpr int kSlots = Rule::kSlots, kScalars = Rule::kScalars;
  const int64_t lanes = static_cast<int64_t>(hn::Lanes(d));
  T* weight = memory.resource<T>(0);
  T* slots[kSlots + 1];
  for (int s = 0; s < kSlots; ++s) slots[s] = memory.resource<T>(1 + s);
  const T* gradient = memory.in<T>(1 + kSlots);
  constexpr int kExtras = 2 + kSlots + kScalars;
  const T* moment = kMoment ? memory.in<T>(kExtras) : nullptr;
  constexpr bool kWrites = !Rule::kDirection || kDecay;
  T* direction = Rule::kDirection ? memory.out<T>(0) : nullptr;
  const V decay = hn::Set(d, kDecay ? *memory.in<T>(kExtras + kMoment) : T{0});
  Elements<V, Rule> e;
  for (int s = 0; s < kScalars; ++s) e.scalars[s] = hn::Set(d, *memory.in<T>(2 + kSlots + s));
  const auto prepare = [&](Elements<V, Rule>& x) HWY_ATTR {
    if (!kMoment) x.moment = Rule::Moment(d, x.gradient);
    if (kDecay) x.weight = hn::NegMulAdd(x.weight, decay, x.weight);
  };
  const auto apply = [&](Elements<V, Rule>& x) HWY_ATTR {
    prepare(x);
    Apply(d, rule, x);
  };
  int64_t i = first;
  if constexpr (HasRadicand<hn::ScalableTag<T>, Rule, V>) {
    constexpr int kBlock = HWY_TARGET == HWY_AVX2 ? 4 : 8;
    for (; i + kBlock * lanes <= last; i += kBlock * lanes) {
      V inverses[kBlock];
#pragma GCC unroll 8
      for (int u = 0; u < kBlock; ++u) {
        const int64_t at = i + u * lanes;
        e.gradient = hn::LoadU(d, gradient + at);
        if (kMoment) e.moment = hn::LoadU(d, moment + at);
        if (!kMoment) e.moment = Rule::Moment(d, e.gradient);
        for (int s = 0; s < kSlots; ++s) e.slots[s] = hn::LoadU(d, slots[s] + at);
        inverses[u] = rule.Radicand(d, e);
        for (int s = 0; s < kSlots; ++s) hn::StoreU(e.slots[s], d, slots[s] + at);
      }
      InversesOfRootPlus<kBlock>(d, inverses, rule.epsilon);
#pragma GCC unroll 8
      for (int u = 0; u < kBlock; ++u) {
        const int64_t at = i + u * lanes;
        e.weight = hn::LoadU(d, weight + at);
        if (kDecay) e.weight = hn::NegMulAdd(e.weight, decay, e.weight);
        for (int s = 0; s < kSlots; ++s) e.slots[s] = hn::LoadU(d, slots[s] + at);
        rule.Finish(d, e, inverses[u]);
        hn::StoreU(e.weight, d, weight + at);
      }
    }
  }
  for (; i + lanes <= last; i += lanes) {
    e.weight = hn::LoadU(d, weight + i);
    e.gradient = hn::LoadU(d, gradient + i);
    if (kMoment) e.moment = hn::LoadU(d, moment + i);
    for (int s = 0; s < kSlots; ++s) e.slots[s] = hn::LoadU(d, slots[s] + i);
    apply(e);
    if (kWrites) hn::StoreU(e.weight, d, weight + i);
    if (Rule::kDirection) hn::StoreU(e.direction, d, direction + i);
    for (int s = 0; s < kSlots; ++s) hn::StoreU(e.slots[s], d, slots[s] + i);
  }
  if (i == last) return;
  const auto mask = hn::FirstN(d, static_cast<size_t>(last - i));
  e.weight = hn::MaskedLoad(mask, d, weight + i);
  e.gradient = hn::MaskedLoad(mask, d, gradient + i);
  if (kMoment) e.moment = hn::MaskedLoad(mask, d, moment + i);
  for (int s = 0; s < kSlots; ++s) e.slots[s] = hn::MaskedLoad(mask, d, slots[s] + i);
  apply(e);
  if (kWrites) hn::BlendedStore(e.weight, mask, d, weight + i);
  if (Rule::kDirection) hn::BlendedStore(e.direction, mask, d, direction + i);
  for (int s = 0; s < kSlots; ++s) hn::BlendedStore(e.slots[s], mask, d, slots[s] + i);
}

template <typename T, class Rule>
void UpdateWithExtras(const UpdateCall& call, const KernelMemory& memory, int64_t first,
                      int64_t last) {
  const Rule rule(call.attributes);
  const bool moment = (call.extras & ops::kUpdateMoment) != 0;
  const bool decay = (call.extras & ops::kUpdateDecay) != 0;
  if (moment && decay) {
    UpdateElements<T, Rule, true, true>(rule, memory, first, last);
  } else if (moment) {
    UpdateElements<T, Rule, true, false>(rule, memory, first, last);
  } else if (decay) {
    UpdateElements<T, Rule, false, true>(rule, memory, first, last);
  } else {
    UpdateElements<T, Rule, false, false>(rule, memory, first, last);
  }
}

/// Applies `Rule` to the elements [first, last).
template <class Rule>
void Update(const UpdateCall& call, const KernelMemory& memory, int64_t first, int64_t last) {
  if (call.dtype == DType::kFloat32) {
    UpdateWithExtras<float, Rule>(call, memory, first, last);
  } else {
    UpdateWithExtras<double, Rule>(call, memory, first, last);
  }
}

// Gives the update by `Rule` a name that HWY_EXPORT can make a table for.
#define LOCKSTEP_DEFINE_UPDATE(Function, Rule)                                                     \
  void Function(const UpdateCall& call, const KernelMemory& memory, int64_t first, int64_t last) { \
    Update<Rule>(call, memory, first, last);                                                       \
  }

}  // namespace lockstep::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
