#pragma once

#include <array>

#include "lockstep/ops/convolution.h"

namespace lockstep {

struct PoolingOptions {
  std::array<int64_t, 2> strides = {1, 1};  ///< height, width
  Padding padding = Padding::kValid;
  std::array<int64_t, 4> explicit_paddings = {0, 0, 0, 0};  ///< top, bottom, left, right
};

/// The largest element of every window; NaN if there is one.
/// Shapes: input [n, h, w, c], window {height, width}, result [n, oh, ow, c]. Dtypes: float32,
/// float64, bfloat16, float16; whole numbers as float64, so that those of int64 beyond 2^53 are
/// rounded. The gradient goes to the first largest element, row by row.
/// Errors: InvalidArgument for another rank or dtype, or a window that does not fit.
/// Source: TF MaxPool.
Tensor MaxPool(const Tensor& input, std::array<int64_t, 2> window,
               const PoolingOptions& options = {});

/// The mean of every window's elements that lie inside the input, added row by row.
/// Shapes, errors: as MaxPool. Dtypes: its floating ones. Source: TF AvgPool.
Tensor AvgPool(const Tensor& input, std::array<int64_t, 2> window,
               const PoolingOptions& options = {});

}  // namespace lockstep
