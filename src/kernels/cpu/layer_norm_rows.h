#pragma once

#include <cstdint>

/// Layer normalisation, vector by vector; sums take 16 virtual lanes as in softmax_rows.h, so that
/// a vector's bits depend on its values alone. T: float, double.
namespace lockstep::kernels {

template <typename T>
struct LayerNormArguments {
  const T* x = nullptr;         ///< [rows, columns]
  const T* scale = nullptr;     ///< [columns]
  const T* offset = nullptr;    ///< forward: [columns]
  const T* gradient = nullptr;  ///< backward: y's, [rows, columns]
  T* mean = nullptr;            ///< [rows]; written forward, read backward
  T* inverse = nullptr;         ///< [rows]: 1 / sqrt(variance + epsilon)
  T* result = nullptr;          ///< forward y, backward x's gradient; [rows, columns]
  int64_t columns = 0;
  T epsilon = 0;
};

/// y = fma((x - mean) inverse, scale, offset) for the rows [begin, end).
template <typename T>
void LayerNormRows(const LayerNormArguments<T>& arguments, int64_t begin, int64_t end);

/// inverse (a - mean(a) - n mean(a n)), a = gradient * scale, n = (x - mean) inverse.
template <typename T>
void LayerNormGradRows(const LayerNormArguments<T>& arguments, int64_t begin, int64_t end);

}  // namespace lockstep::kernels
