// Sixteen virtual lanes: the same arithmetic whatever the width of the vectors; once per
// instruction set.
#if defined(LOCKSTEP_SIXTEEN_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCKSTEP_SIXTEEN_INL_H_
#undef LOCKSTEP_SIXTEEN_INL_H_
#else
#define LOCKSTEP_SIXTEEN_INL_H_
#endif

#include <cstdint>

#include "hwy/highway.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <typename T>
struct Sixteen {
  using D = hn::ScalableTag<T>;
  using V = hn::Vec<D>;
  static constexpr int64_t kLanes = HWY_MAX_BYTES / sizeof(T);
  static constexpr int kParts = 16 / kLanes;

  V part[kParts];

  static HWY_INLINE Sixteen Set(T value) {
    Sixteen all;
    for (V& p : all.part) p = hn::Set(D(), value);
    return all;
  }
  // The first `count` of the elements at `from`; the lanes past them hold `padding`.
  static HWY_INLINE Sixteen Load(const T* from, int64_t count, T padding) {
    Sixteen all;
    if (HWY_LIKELY(count >= 16)) {
      for (int i = 0; i < kParts; ++i) all.part[i] = hn::LoadU(D(), from + i * kLanes);
      return all;
    }
    for (int i = 0; i < kParts; ++i) {
      const auto mask = MaskOf(count, i);
      all.part[i] =
          hn::IfThenElse(mask, hn::MaskedLoad(mask, D(), from + i * kLanes), hn::Set(D(), padding));
    }
    return all;
  }
  HWY_INLINE void Store(T* to, int64_t count) const {
    if (HWY_LIKELY(count >= 16)) {
      for (int i = 0; i < kParts; ++i) hn::StoreU(part[i], D(), to + i * kLanes);
      return;
    }
    for (int i = 0; i < kParts; ++i)
      hn::BlendedStore(part[i], MaskOf(count, i), D(), to + i * kLanes);
  }

  // The first `count` lanes; 0 in the others.
  HWY_INLINE Sixteen First(int64_t count) const {
    if (HWY_LIKELY(count >= 16)) return *this;
    Sixteen kept;
    for (int i = 0; i < kParts; ++i) kept.part[i] = hn::IfThenElseZero(MaskOf(count, i), part[i]);
    return kept;
  }

  // Lanes 8 apart, then 4, 2 and 1.
  HWY_INLINE T Sum() const {
    return Fold([](auto a, auto b) HWY_ATTR { return hn::Add(a, b); });
  }
  HWY_INLINE T Max() const {
    return Fold([](auto a, auto b) HWY_ATTR { return hn::Max(a, b); });
  }

 private:
  static HWY_INLINE hn::Mask<D> MaskOf(int64_t count, int i) {
    const int64_t left = count - i * kLanes;
    return hn::FirstN(D(), static_cast<size_t>(left < 0 ? 0 : left > kLanes ? kLanes : left));
  }
  template <typename Function>
  HWY_INLINE T Fold(const Function& function) const {
    V parts[kParts];
    for (int i = 0; i < kParts; ++i) parts[i] = part[i];
    for (int half = kParts / 2; half > 0; half /= 2) {
      for (int i = 0; i < half; ++i) parts[i] = function(parts[i], parts[i + half]);
    }
    return FoldVector(D(), parts[0], function);
  }
  template <class Tag, class Vector, typename Function>
  static HWY_INLINE T FoldVector(Tag d, Vector v, const Function& function) {
    if constexpr (sizeof(T) * hn::MaxLanes(Tag()) > 16) {
      const hn::Half<Tag> half;
      return FoldVector(half, function(hn::LowerHalf(half, v), hn::UpperHalf(half, v)), function);
    } else {
      if constexpr (sizeof(T) == 4) {
        v = function(v, hn::Shuffle1032(v));
        return hn::GetLane(function(v, hn::Shuffle2301(v)));
      } else {
        return hn::GetLane(function(v, hn::Shuffle01(v)));
      }
    }
  }
};

// function(vector) on all lanes.
template <typename T, typename Function>
HWY_INLINE Sixteen<T> Map(const Sixteen<T>& a, const Function& function) {
  Sixteen<T> result;
  for (int i = 0; i < Sixteen<T>::kParts; ++i) result.part[i] = function(a.part[i]);
  return result;
}

// function(vector, vector) on all lanes.
template <typename T, typename Function>
HWY_INLINE Sixteen<T> Map(const Sixteen<T>& a, const Sixteen<T>& b, const Function& function) {
  Sixteen<T> result;
  for (int i = 0; i < Sixteen<T>::kParts; ++i) result.part[i] = function(a.part[i], b.part[i]);
  return result;
}

template <typename T>
HWY_INLINE Sixteen<T> operator+(const Sixteen<T>& a, const Sixteen<T>& b) {
  return Map(a, b, [](auto x, auto y) HWY_ATTR { return hn::Add(x, y); });
}
template <typename T>
HWY_INLINE Sixteen<T> operator-(const Sixteen<T>& a, const Sixteen<T>& b) {
  return Map(a, b, [](auto x, auto y) HWY_ATTR { return hn::Sub(x, y); });
}
template <typename T>
HWY_INLINE Sixteen<T> operator*(const Sixteen<T>& a, const Sixteen<T>& b) {
  return Map(a, b, [](auto x, auto y) HWY_ATTR { return hn::Mul(x, y); });
}
// a * b + c, rounded once.
template <typename T>
HWY_INLINE Sixteen<T> MultiplyAdd(const Sixteen<T>& a, const Sixteen<T>& b, const Sixteen<T>& c) {
  Sixteen<T> result;
  for (int i = 0; i < Sixteen<T>::kParts; ++i) {
    result.part[i] = hn::MulAdd(a.part[i], b.part[i], c.part[i]);
  }
  return result;
}
template <typename T>
HWY_INLINE Sixteen<T> Maximum(const Sixteen<T>& a, const Sixteen<T>& b) {
  return Map(a, b, [](auto x, auto y) HWY_ATTR { return hn::Max(x, y); });
}

}  // namespace lockstep::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // LOCKSTEP_SIXTEEN_INL_H_
