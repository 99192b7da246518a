// The loop over elements that all rules of updates share. Included once a target.

#if defined(LOCKSTEP_TRAINING_UPDATE_INL_H) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCKSTEP_TRAINING_UPDATE_INL_H
#undef LOCKSTEP_TRAINING_UPDATE_INL_H
#else
#define LOCKSTEP_TRAINING_UPDATE_INL_H
#endif

#include <atomic>

#include "base/fetch.h"
#include "hwy/highway.h"
#include "kernels/cpu/training_kernel.h"
#include "kernels/cpu/training_roots-inl.h"
#include "kernels/cpu/zeros.h"

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

// Other cores read a mirror: its lines come back while other elements are worked on.
constexpr int64_t kFetchAhead = 768;  // elements

// The places of a block's vectors, run by run.
struct VectorCursor {
  HWY_INLINE VectorCursor(const UpdateBlock& block, int64_t lanes)
      : at(block.first),
        from(0),
        left(block.width / lanes),
        lanes(lanes),
        a_row(left),
        skip(block.stride - left * lanes),
        gradient_skip(block.gradient_stride - left * lanes) {}
  HWY_INLINE void Advance() {
    at += lanes;
    from += lanes;
    if (--left > 0) return;
    left = a_row;
    at += skip;
    from += gradient_skip;
  }

  int64_t at;    // in weight and slots
  int64_t from;  // in the gradient
  int64_t left;
  const int64_t lanes, a_row, skip, gradient_skip;
};

// The loops over elements for one call. With kMoment blocks are one run.
template <typename T, class Rule, bool kMoment, bool kDecay>
class ElementLoops {
  using D = hn::ScalableTag<T>;
  using V = hn::Vec<D>;
  static constexpr int kSlots = Rule::kSlots, kScalars = Rule::kScalars;
  static constexpr int kExtras = 2 + kSlots + kScalars;
  static constexpr bool kWrites = !Rule::kDirection || kDecay;

 public:
  HWY_INLINE ElementLoops(const Rule& rule, const KernelMemory& memory)
      : rule_(rule),
        weight_(memory.resource<T>(0)),
        mirror_(kWrites ? static_cast<T*>(memory.mirror.data) : nullptr) {
    for (int s = 0; s < kSlots; ++s) slots_[s] = memory.resource<T>(1 + s);
    moment_ = kMoment ? memory.in<T>(kExtras) : nullptr;
    direction_ = Rule::kDirection ? memory.out<T>(0) : nullptr;
    decay_ = hn::Set(d_, kDecay ? *memory.in<T>(kExtras + kMoment) : T{0});
    for (int s = 0; s < kScalars; ++s) scalars_[s] = hn::Set(d_, *memory.in<T>(2 + kSlots + s));
  }

  HWY_INLINE void Run(const UpdateBlock& block) {
    const Rule rule = rule_;  // a copy that no store can change: its constants stay in registers
    const T* gradient = static_cast<const T*>(block.gradient);
    const int64_t lanes = static_cast<int64_t>(hn::Lanes(d_));
    int64_t vectors = block.width / lanes * block.rows;
    VectorCursor cursor(block, lanes);
    if constexpr (HasRadicand<D, Rule, V>) {
      constexpr int kSide = HWY_TARGET == HWY_AVX2 ? 4 : 8;
      for (; vectors >= kSide; vectors -= kSide) SideBySide<kSide>(rule, gradient, cursor);
    }
    for (; vectors > 0; --vectors, cursor.Advance()) {
      Elements<V, Rule> e = Load([&](const T* p) HWY_ATTR { return hn::LoadU(d_, p); },
                                 gradient + cursor.from, cursor.at);
      Prepare(e);
      Apply(d_, rule, e);
      Store([&](V v, T* p) HWY_ATTR { hn::StoreU(v, d_, p); }, e, cursor.at);
    }
    const int64_t rest = block.width % lanes;
    if (rest == 0) return;
    const auto mask = hn::FirstN(d_, static_cast<size_t>(rest));
    for (int64_t row = 0; row < block.rows; ++row) {
      const int64_t at = block.width - rest;
      Elements<V, Rule> e =
          Load([&](const T* p) HWY_ATTR { return hn::MaskedLoad(mask, d_, p); },
               gradient + row * block.gradient_stride + at, block.first + row * block.stride + at);
      Prepare(e);
      Apply(d_, rule, e);
      Store([&](V v, T* p) HWY_ATTR { hn::BlendedStore(v, mask, d_, p); }, e,
            block.first + row * block.stride + at);
    }
  }

 private:
  template <typename LoadVector>
  HWY_INLINE Elements<V, Rule> Load(const LoadVector& load, const T* gradient, int64_t at) const {
    Elements<V, Rule> e;
    e.weight = load(weight_ + at);
    e.gradient = load(gradient);
    if (kMoment) e.moment = load(moment_ + at);
    for (int s = 0; s < kSlots; ++s) e.slots[s] = load(slots_[s] + at);
    for (int s = 0; s < kScalars; ++s) e.scalars[s] = scalars_[s];
    return e;
  }
  template <typename StoreVector>
  HWY_INLINE void Store(const StoreVector& store, const Elements<V, Rule>& e, int64_t at) const {
    if (kWrites) store(e.weight, weight_ + at);
    if (mirror_ != nullptr) store(e.weight, mirror_ + at);
    if (Rule::kDirection) store(e.direction, direction_ + at);
    for (int s = 0; s < kSlots; ++s) store(e.slots[s], slots_[s] + at);
  }
  HWY_INLINE void Prepare(Elements<V, Rule>& e) const {
    if (!kMoment) e.moment = Rule::Moment(d_, e.gradient);
    if (kDecay) e.weight = hn::NegMulAdd(e.weight, decay_, e.weight);
  }

  // Vectors whose roots and inverses are made at once.
  template <int kSide>
  HWY_INLINE void SideBySide(const Rule& rule, const T* gradient, VectorCursor& cursor) const {
    V inverses[kSide];
    int64_t places[kSide];
    Elements<V, Rule> e;
    for (int s = 0; s < kScalars; ++s) e.scalars[s] = scalars_[s];
#pragma GCC unroll 8
    for (int u = 0; u < kSide; ++u, cursor.Advance()) {
      const int64_t at = places[u] = cursor.at;
      if (mirror_ != nullptr) base::FetchToWrite(mirror_ + at + kFetchAhead);
      e.gradient = hn::LoadU(d_, gradient + cursor.from);
      if (kMoment) e.moment = hn::LoadU(d_, moment_ + at);
      if (!kMoment) e.moment = Rule::Moment(d_, e.gradient);
      for (int s = 0; s < kSlots; ++s) e.slots[s] = hn::LoadU(d_, slots_[s] + at);
      inverses[u] = rule.Radicand(d_, e);
      for (int s = 0; s < kSlots; ++s) hn::StoreU(e.slots[s], d_, slots_[s] + at);
    }
    InversesOfRootPlus<kSide>(d_, inverses, rule.epsilon);
#pragma GCC unroll 8
    for (int u = 0; u < kSide; ++u) {
      const int64_t at = places[u];
      e.weight = hn::LoadU(d_, weight_ + at);
      if (kDecay) e.weight = hn::NegMulAdd(e.weight, decay_, e.weight);
      for (int s = 0; s < kSlots; ++s) e.slots[s] = hn::LoadU(d_, slots_[s] + at);
      rule.Finish(d_, e, inverses[u]);
      hn::StoreU(e.weight, d_, weight_ + at);
      if (mirror_ != nullptr) hn::StoreU(e.weight, d_, mirror_ + at);
    }
  }

  const D d_;
  const Rule rule_;
  T* const weight_;
  T* const mirror_;
  T* slots_[kSlots + 1];
  const T* moment_;
  T* direction_;
  V decay_;
  V scalars_[kScalars];
};

template <typename T, class Rule, bool kMoment, bool kDecay>
void UpdateElements(const Rule& rule, const KernelMemory& memory, UpdateBlocks& blocks) {
  ElementLoops<T, Rule, kMoment, kDecay> loops(rule, memory);
  UpdateBlock block;
  while (blocks.Next(block)) {
    loops.Run(block);
    // Other threads say the same of other rows.
    if (memory.mirror.data != nullptr &&
        !AllFinite(memory.resource<T>(0) + block.first, block.stride, block.rows, block.width))
      std::atomic_ref<bool>(*memory.mirror.finite).store(false, std::memory_order_relaxed);
  }
}

template <typename T, class Rule>
void UpdateWithExtras(const UpdateCall& call, const KernelMemory& memory, UpdateBlocks& blocks) {
  const Rule rule(call.attributes);
  const bool moment = (call.extras & ops::kUpdateMoment) != 0;
  const bool decay = (call.extras & ops::kUpdateDecay) != 0;
  if (moment && decay) {
    UpdateElements<T, Rule, true, true>(rule, memory, blocks);
  } else if (moment) {
    UpdateElements<T, Rule, true, false>(rule, memory, blocks);
  } else if (decay) {
    UpdateElements<T, Rule, false, true>(rule, memory, blocks);
  } else {
    UpdateElements<T, Rule, false, false>(rule, memory, blocks);
  }
}

/// Applies `Rule` to the elements of all blocks.
template <class Rule>
void Update(const UpdateCall& call, const KernelMemory& memory, UpdateBlocks& blocks) {
  if (call.dtype == DType::kFloat32) {
    UpdateWithExtras<float, Rule>(call, memory, blocks);
  } else {
    UpdateWithExtras<double, Rule>(call, memory, blocks);
  }
}

// Gives the update by `Rule` a name that HWY_EXPORT can make a table for.
#define LOCKSTEP_DEFINE_UPDATE(Function, Rule)                                              \
  void Function(const UpdateCall& call, const KernelMemory& memory, UpdateBlocks& blocks) { \
    Update<Rule>(call, memory, blocks);                                                     \
  }

}  // namespace lockstep::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif
