#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/layer_norm_rows.cc"
#include "kernels/cpu/layer_norm_rows.h"

#include <cmath>

#include "hwy/foreach_target.h"

#include "kernels/cpu/sixteen-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep::kernels::HWY_NAMESPACE {

// The elements c to c + 16 of a row minus its mean; 0 past its end.
template <typename T>
HWY_INLINE Sixteen<T> Deviation(const T* x, int64_t left, T mean) {
  return Sixteen<T>::Load(x, left, mean) - Sixteen<T>::Set(mean);
}

template <typename T>
void Forward(const LayerNormArguments<T>& a, int64_t begin, int64_t end) {
  const int64_t columns = a.columns;
  for (int64_t row = begin; row < end; ++row) {
    const T* x = a.x + row * columns;
    Sixteen<T> sum = Sixteen<T>::Set(0);
    for (int64_t c = 0; c < columns; c += 16) sum = sum + Sixteen<T>::Load(x + c, columns - c, 0);
    const T mean = sum.Sum() / static_cast<T>(columns);
    Sixteen<T> squares = Sixteen<T>::Set(0);
    for (int64_t c = 0; c < columns; c += 16) {
      const Sixteen<T> deviation = Deviation(x + c, columns - c, mean);
      squares = squares + deviation * deviation;
    }
    const T inverse = 1 / std::sqrt(squares.Sum() / static_cast<T>(columns) + a.epsilon);
    const Sixteen<T> factor = Sixteen<T>::Set(inverse);
    for (int64_t c = 0; c < columns; c += 16) {
      const int64_t left = columns - c;
      MultiplyAdd(Deviation(x + c, left, mean) * factor, Sixteen<T>::Load(a.scale + c, left, 0),
                  Sixteen<T>::Load(a.offset + c, left, 0))
          .Store(a.result + row * columns + c, left);
    }
    a.mean[row] = mean;
    a.inverse[row] = inverse;
  }
}

template <typename T>
void Backward(const LayerNormArguments<T>& a, int64_t begin, int64_t end) {
  const int64_t columns = a.columns;
  const T count = static_cast<T>(columns);
  for (int64_t row = begin; row < end; ++row) {
    const T* x = a.x + row * columns;
    const T* g = a.gradient + row * columns;
    const T mean = a.mean[row];
    const Sixteen<T> inverse = Sixteen<T>::Set(a.inverse[row]);
    Sixteen<T> sum = Sixteen<T>::Set(0), product = Sixteen<T>::Set(0);
    for (int64_t c = 0; c < columns; c += 16) {
      const int64_t left = columns - c;
      const Sixteen<T> scaled =
          Sixteen<T>::Load(g + c, left, 0) * Sixteen<T>::Load(a.scale + c, left, 0);
      sum = sum + scaled;
      product = product + scaled * (Deviation(x + c, left, mean) * inverse);
    }
    const Sixteen<T> sum_mean = Sixteen<T>::Set(sum.Sum() / count);
    const Sixteen<T> product_mean = Sixteen<T>::Set(product.Sum() / count);
    for (int64_t c = 0; c < columns; c += 16) {
      const int64_t left = columns - c;
      const Sixteen<T> scaled =
          Sixteen<T>::Load(g + c, left, 0) * Sixteen<T>::Load(a.scale + c, left, 0);
      const Sixteen<T> normal = Deviation(x + c, left, mean) * inverse;
      (inverse * (scaled - sum_mean - normal * product_mean))
          .Store(a.result + row * columns + c, left);
    }
  }
}

void ForwardFloat(const LayerNormArguments<float>& a, int64_t begin, int64_t end) {
  Forward(a, begin, end);
}
void ForwardDouble(const LayerNormArguments<double>& a, int64_t begin, int64_t end) {
  Forward(a, begin, end);
}
void BackwardFloat(const LayerNormArguments<float>& a, int64_t begin, int64_t end) {
  Backward(a, begin, end);
}
void BackwardDouble(const LayerNormArguments<double>& a, int64_t begin, int64_t end) {
  Backward(a, begin, end);
}

}  // namespace lockstep::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lockstep::kernels {

HWY_EXPORT(ForwardFloat);
HWY_EXPORT(ForwardDouble);
HWY_EXPORT(BackwardFloat);
HWY_EXPORT(BackwardDouble);

template <>
void LayerNormRows(const LayerNormArguments<float>& arguments, int64_t begin, int64_t end) {
  HWY_DYNAMIC_DISPATCH(ForwardFloat)(arguments, begin, end);
}
template <>
void LayerNormRows(const LayerNormArguments<double>& arguments, int64_t begin, int64_t end) {
  HWY_DYNAMIC_DISPATCH(ForwardDouble)(arguments, begin, end);
}
template <>
void LayerNormGradRows(const LayerNormArguments<float>& arguments, int64_t begin, int64_t end) {
  HWY_DYNAMIC_DISPATCH(BackwardFloat)(arguments, begin, end);
}
template <>
void LayerNormGradRows(const LayerNormArguments<double>& arguments, int64_t begin, int64_t end) {
  HWY_DYNAMIC_DISPATCH(BackwardDouble)(arguments, begin, end);
}

}  // namespace lockstep::kernels
#endif
