#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/attention_rows.cc"
#include "kernels/cpu/attention_rows.h"

#include <algorithm>
#include <limits>

#include "hwy/foreach_target.h"

#include "kernels/cpu/math/exponential-inl.h"
#include "kernels/cpu/math/logarithm-inl.h"
#include "kernels/cpu/sixteen-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep::kernels::HWY_NAMESPACE {

template <typename T>
HWY_INLINE Sixteen<T> Powers(const Sixteen<T>& x) {
  return Map(x, [](auto v) HWY_ATTR { return Exp(hn::ScalableTag<T>(), v); });
}

template <typename T>
HWY_INLINE T ToPowers(T* scores, int64_t seen, int64_t columns, T scale, T* log_sum) {
  constexpr T kLowest = -std::numeric_limits<T>::infinity();
  const Sixteen<T> factor = Sixteen<T>::Set(scale);
  Sixteen<T> max = Sixteen<T>::Set(kLowest);
  for (int64_t c = 0; c < seen; c += 16) {
    const Sixteen<T> scaled = Sixteen<T>::Load(scores + c, seen - c, 0) * factor;
    scaled.Store(scores + c, seen - c);
    // Past the last score there are zeros, which are not to count.
    max = Maximum(max, seen - c >= 16 ? scaled : Sixteen<T>::Load(scores + c, seen - c, kLowest));
  }
  const T largest = max.Max();
  const Sixteen<T> shift = Sixteen<T>::Set(largest);
  Sixteen<T> sum = Sixteen<T>::Set(0);
  for (int64_t c = 0; c < seen; c += 16) {
    const Sixteen<T> power = Powers(Sixteen<T>::Load(scores + c, seen - c, largest) - shift);
    sum = sum + power.First(seen - c);
    power.Store(scores + c, seen - c);
  }
  std::fill(scores + seen, scores + columns, T{0});
  const hn::ScalableTag<T> d;
  const T total = sum.Sum();
  *log_sum = largest + hn::GetLane(Log(d, hn::Set(d, total)));
  return 1 / total;
}

template <typename T>
HWY_INLINE void ToShares(T* scores, int64_t seen, int64_t columns, T scale, T log_sum) {
  const Sixteen<T> factor = Sixteen<T>::Set(scale), shift = Sixteen<T>::Set(log_sum);
  for (int64_t c = 0; c < seen; c += 16) {
    const Sixteen<T> scaled = Sixteen<T>::Load(scores + c, seen - c, 0) * factor;
    Powers(scaled - shift).Store(scores + c, seen - c);
  }
  std::fill(scores + seen, scores + columns, T{0});
}

template <typename T>
HWY_INLINE void ToGradient(const T* shares, T* gradients, int64_t columns, T scale, T delta) {
  const Sixteen<T> factor = Sixteen<T>::Set(scale), shift = Sixteen<T>::Set(delta);
  for (int64_t c = 0; c < columns; c += 16) {
    const Sixteen<T> centred = Sixteen<T>::Load(gradients + c, columns - c, 0) - shift;
    (factor * (Sixteen<T>::Load(shares + c, columns - c, 0) * centred))
        .Store(gradients + c, columns - c);
  }
}

template <typename T>
HWY_INLINE void ScaleAll(T* x, int64_t columns, T factor) {
  const Sixteen<T> factors = Sixteen<T>::Set(factor);
  for (int64_t c = 0; c < columns; c += 16) {
    (Sixteen<T>::Load(x + c, columns - c, 0) * factors).Store(x + c, columns - c);
  }
}

template <typename T>
HWY_INLINE T Dot(const T* a, const T* b, int64_t columns) {
  Sixteen<T> sum = Sixteen<T>::Set(0);
  for (int64_t c = 0; c < columns; c += 16) {
    sum = MultiplyAdd(Sixteen<T>::Load(a + c, columns - c, 0),
                      Sixteen<T>::Load(b + c, columns - c, 0), sum);
  }
  return sum.Sum();
}

#define LOCKSTEP_DEFINE(T, Name)                                                            \
  T ToPowers##Name(T* scores, int64_t seen, int64_t columns, T scale, T* log_sum) {         \
    return ToPowers(scores, seen, columns, scale, log_sum);                                 \
  }                                                                                         \
  void ToShares##Name(T* scores, int64_t seen, int64_t columns, T scale, T log_sum) {       \
    ToShares(scores, seen, columns, scale, log_sum);                                        \
  }                                                                                         \
  void ToGradient##Name(const T* shares, T* gradients, int64_t columns, T scale, T delta) { \
    ToGradient(shares, gradients, columns, scale, delta);                                   \
  }                                                                                         \
  void ScaleAll##Name(T* x, int64_t columns, T factor) { ScaleAll(x, columns, factor); }    \
  T Dot##Name(const T* a, const T* b, int64_t columns) { return Dot(a, b, columns); }
LOCKSTEP_DEFINE(float, Float)
LOCKSTEP_DEFINE(double, Double)
#undef LOCKSTEP_DEFINE

}  // namespace lockstep::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lockstep::kernels {

#define LOCKSTEP_EXPORT(T, Name)                                                          \
  HWY_EXPORT(ToPowers##Name);                                                             \
  HWY_EXPORT(ToShares##Name);                                                             \
  HWY_EXPORT(ToGradient##Name);                                                           \
  HWY_EXPORT(ScaleAll##Name);                                                             \
  HWY_EXPORT(Dot##Name);                                                                  \
  template <>                                                                             \
  T ScoresToPowers(T* scores, int64_t seen, int64_t columns, T scale, T* log_sum) {       \
    return HWY_DYNAMIC_DISPATCH(ToPowers##Name)(scores, seen, columns, scale, log_sum);   \
  }                                                                                       \
  template <>                                                                             \
  void ScoresToShares(T* scores, int64_t seen, int64_t columns, T scale, T log_sum) {     \
    HWY_DYNAMIC_DISPATCH(ToShares##Name)(scores, seen, columns, scale, log_sum);          \
  }                                                                                       \
  template <>                                                                             \
  void SharesGradient(const T* shares, T* gradients, int64_t columns, T scale, T delta) { \
    HWY_DYNAMIC_DISPATCH(ToGradient##Name)(shares, gradients, columns, scale, delta);     \
  }                                                                                       \
  template <>                                                                             \
  void ScaleRow(T* x, int64_t columns, T factor) {                                        \
    HWY_DYNAMIC_DISPATCH(ScaleAll##Name)(x, columns, factor);                             \
  }                                                                                       \
  template <>                                                                             \
  T DotOfRows(const T* a, const T* b, int64_t columns) {                                  \
    return HWY_DYNAMIC_DISPATCH(Dot##Name)(a, b, columns);                                \
  }
LOCKSTEP_EXPORT(float, Float)
LOCKSTEP_EXPORT(double, Double)
#undef LOCKSTEP_EXPORT

}  // namespace lockstep::kernels
#endif
