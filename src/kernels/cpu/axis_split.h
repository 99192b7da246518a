#pragma once

#include <cstdint>
#include <cstring>

#include "lockstep/tensor/shape.h"

namespace lockstep::kernels {

/// A shape seen from one of its axes: the product of the sizes before it, its size, the product of
/// the sizes behind it.
struct AxisSplit {
  int64_t outer = 1;
  int64_t size = 1;
  int64_t inner = 1;

  AxisSplit(const Shape& shape, int axis)
      : outer(shape.product(0, axis)),
        size(axis < shape.rank() ? shape[axis] : 1),
        inner(axis < shape.rank() ? shape.product(axis + 1, shape.rank()) : 1) {}
};

/// Copies `bytes`; short runs without a call.
inline void CopyRun(char* to, const char* from, size_t bytes) {
  if (bytes == 4) {
    std::memcpy(to, from, 4);
  } else if (bytes == 8) {
    std::memcpy(to, from, 8);
  } else if (bytes > 0) {
    std::memcpy(to, from, bytes);
  }
}

}  // namespace lockstep::kernels
