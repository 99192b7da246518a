#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/softmax_rows.cc"
#include "kernels/cpu/softmax_rows.h"

#include <limits>

#include "hwy/foreach_target.h"

#include "kernels/cpu/math/exponential-inl.h"
#include "kernels/cpu/math/logarithm-inl.h"
#include "kernels/cpu/sixteen-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep::kernels::HWY_NAMESPACE {

template <typename T>
HWY_INLINE T MaxOfRow(const T* x, int64_t columns) {
  constexpr T kLowest = -std::numeric_limits<T>::infinity();
  Sixteen<T> max = Sixteen<T>::Set(kLowest);
  for (int64_t c = 0; c < columns; c += 16) {
    max = Maximum(max, Sixteen<T>::Load(x + c, columns - c, kLowest));
  }
  return max.Max();
}

// y = exp(x - max); returns the sum. A tail's lanes compute exp(0), since exp(-inf) would
// underflow, which costs as much as a hundred instructions.
template <typename T>
HWY_INLINE T ExponentialsOfRow(const T* x, int64_t columns, T max, T* y) {
  const Sixteen<T> shift = Sixteen<T>::Set(max);
  Sixteen<T> sum = Sixteen<T>::Set(0);
  for (int64_t c = 0; c < columns; c += 16) {
    const Sixteen<T> shifted = Sixteen<T>::Load(x + c, columns - c, max) - shift;
    const Sixteen<T> power =
        Map(shifted, [](auto v) HWY_ATTR { return Exp(hn::ScalableTag<T>(), v); });
    sum = sum + power.First(columns - c);
    power.Store(y + c, columns - c);
  }
  return sum.Sum();
}

template <typename T>
HWY_INLINE T LogOf(T value) {
  const hn::ScalableTag<T> d;
  return hn::GetLane(Log(d, hn::Set(d, value)));
}

template <typename T>
HWY_INLINE void Scale(T* y, int64_t columns, T factor) {
  const Sixteen<T> factors = Sixteen<T>::Set(factor);
  for (int64_t c = 0; c < columns; c += 16) {
    (Sixteen<T>::Load(y + c, columns - c, 0) * factors).Store(y + c, columns - c);
  }
}

template <typename T>
void Softmax(const T* x, int64_t rows, int64_t columns, bool log, T* y) {
  for (int64_t r = 0; r < rows; ++r, x += columns, y += columns) {
    const T max = MaxOfRow(x, columns);
    const T sum = ExponentialsOfRow(x, columns, max, y);
    if (!log) {
      Scale(y, columns, 1 / sum);
      continue;
    }
    const Sixteen<T> shift = Sixteen<T>::Set(max), log_sum = Sixteen<T>::Set(LogOf(sum));
    for (int64_t c = 0; c < columns; c += 16) {
      const Sixteen<T> shifted = Sixteen<T>::Load(x + c, columns - c, 0) - shift;
      (shifted - log_sum).Store(y + c, columns - c);
    }
  }
}

template <typename T>
void CrossEntropy(const T* x, const T* labels, int64_t rows, int64_t columns, T* loss,
                  T* gradient) {
  for (int64_t r = 0; r < rows; ++r, x += columns, labels += columns, gradient += columns) {
    const T max = MaxOfRow(x, columns);
    const T sum = ExponentialsOfRow(x, columns, max, gradient);
    const Sixteen<T> shift = Sixteen<T>::Set(max), log_sum = Sixteen<T>::Set(LogOf(sum));
    const Sixteen<T> inverse = Sixteen<T>::Set(1 / sum);
    Sixteen<T> total = Sixteen<T>::Set(0);
    for (int64_t c = 0; c < columns; c += 16) {
      const Sixteen<T> label = Sixteen<T>::Load(labels + c, columns - c, 0);
      const Sixteen<T> shifted = Sixteen<T>::Load(x + c, columns - c, max) - shift;
      total = total + label * (log_sum - shifted);
      const Sixteen<T> softmax = Sixteen<T>::Load(gradient + c, columns - c, 0) * inverse;
      (softmax - label).Store(gradient + c, columns - c);
    }
    loss[r] = total.Sum();
  }
}

// Sixteen rows at a time: their logarithms and quotients are computed side by side.
template <typename T, typename Label>
void SparseCrossEntropy(const T* x, const Label* labels, int64_t rows, int64_t columns, T* loss,
                        T* gradient) {
  const hn::ScalableTag<T> d;
  for (int64_t first = 0; first < rows; first += 16) {
    const int64_t count = rows - first < 16 ? rows - first : 16;
    const T* block = x + first * columns;
    T* slopes = gradient + first * columns;
    T max[16], sum[16];
    for (int64_t r = 0; r < count; ++r) {
      max[r] = MaxOfRow(block + r * columns, columns);
      sum[r] = ExponentialsOfRow(block + r * columns, columns, max[r], slopes + r * columns);
    }
    T inverse[16], log_sum[16];
    const Sixteen<T> sums = Sixteen<T>::Load(sum, count, 1);
    Map(sums, [d](auto v) HWY_ATTR { return Log(d, v); }).Store(log_sum, 16);
    Map(sums, [d](auto v) HWY_ATTR { return hn::Div(hn::Set(d, 1), v); }).Store(inverse, 16);
    for (int64_t r = 0; r < count; ++r) {
      const int64_t label = labels[first + r];
      Scale(slopes + r * columns, columns, inverse[r]);
      slopes[r * columns + label] -= 1;
      loss[first + r] = log_sum[r] - (block[r * columns + label] - max[r]);
    }
  }
}

#define LOCKSTEP_DEFINE(T, Name)                                                               \
  void Softmax##Name(const T* x, int64_t rows, int64_t columns, bool log, T* y) {              \
    Softmax(x, rows, columns, log, y);                                                         \
  }                                                                                            \
  void CrossEntropy##Name(const T* x, const T* labels, int64_t rows, int64_t columns, T* loss, \
                          T* gradient) {                                                       \
    CrossEntropy(x, labels, rows, columns, loss, gradient);                                    \
  }                                                                                            \
  void SparseCrossEntropy32##Name(const T* x, const int32_t* labels, int64_t rows,             \
                                  int64_t columns, T* loss, T* gradient) {                     \
    SparseCrossEntropy(x, labels, rows, columns, loss, gradient);                              \
  }                                                                                            \
  void SparseCrossEntropy64##Name(const T* x, const int64_t* labels, int64_t rows,             \
                                  int64_t columns, T* loss, T* gradient) {                     \
    SparseCrossEntropy(x, labels, rows, columns, loss, gradient);                              \
  }
LOCKSTEP_DEFINE(float, Float)
LOCKSTEP_DEFINE(double, Double)
#undef LOCKSTEP_DEFINE

}  // namespace lockstep::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lockstep::kernels {

#define LOCKSTEP_EXPORT(T, Name)                                                                \
  HWY_EXPORT(Softmax##Name);                                                                    \
  HWY_EXPORT(CrossEntropy##Name);                                                               \
  HWY_EXPORT(SparseCrossEntropy32##Name);                                                       \
  HWY_EXPORT(SparseCrossEntropy64##Name);                                                       \
  template <>                                                                                   \
  void SoftmaxRows(const T* x, int64_t rows, int64_t columns, bool log, T* y) {                 \
    HWY_DYNAMIC_DISPATCH(Softmax##Name)(x, rows, columns, log, y);                              \
  }                                                                                             \
  template <>                                                                                   \
  void CrossEntropyRows(const T* x, const T* labels, int64_t rows, int64_t columns, T* loss,    \
                        T* gradient) {                                                          \
    HWY_DYNAMIC_DISPATCH(CrossEntropy##Name)(x, labels, rows, columns, loss, gradient);         \
  }                                                                                             \
  template <>                                                                                   \
  void SparseCrossEntropyRows(const T* x, const int32_t* labels, int64_t rows, int64_t columns, \
                              T* loss, T* gradient) {                                           \
    HWY_DYNAMIC_DISPATCH(SparseCrossEntropy32##Name)(x, labels, rows, columns, loss, gradient); \
  }                                                                                             \
  template <>                                                                                   \
  void SparseCrossEntropyRows(const T* x, const int64_t* labels, int64_t rows, int64_t columns, \
                              T* loss, T* gradient) {                                           \
    HWY_DYNAMIC_DISPATCH(SparseCrossEntropy64##Name)(x, labels, rows, columns, loss, gradient); \
  }
LOCKSTEP_EXPORT(float, Float)
LOCKSTEP_EXPORT(double, Double)
#undef LOCKSTEP_EXPORT

}  // namespace lockstep::kernels
#endif
