#pragma once

#include "lockstep/tensor/shape.h"

namespace lockstep::kernels {

/// How many rows a kernel that works on vectors along the last `inner` axes is divided into: the
/// size of axis 0, or where that is small, the number of the vectors.
inline int64_t LeadingRows(const Shape& shape, int inner = 1) {
  const int outer = shape.rank() - inner;
  if (outer <= 0) return 1;
  constexpr int64_t kEnough = 8;
  return shape[0] >= kEnough ? shape[0] : shape.product(0, outer);
}

}  // namespace lockstep::kernels
