#pragma once

#include <vector>

#include "ops/op.h"

namespace lockstep::ops {

/// A regular part of an axis: `size` elements from `begin` on, `step` apart (negative: backwards).
struct AxisWindow {
  int64_t begin = 0;
  int64_t step = 1;
  int64_t size = 0;
};

/// The part of an array that a slice takes.
struct SliceWindow {
  std::vector<AxisWindow> axes;  // one for each axis of the array
  Shape result;                  // with axes dropped and added; the elements keep their order
  /// Axis 0 is taken whole and is axis 0 of the result.
  bool keeps_rows = false;
};

/// The window of the op "Slice" (begin, size) or "StridedSlice" (begin, end, strides and masks) in
/// an array of `shape`, which may be unknown in parts. What entry i of a strided slice takes is not
/// known either where bit i of the attribute "open" says so. Throws InvalidArgument.
SliceWindow FindSliceWindow(std::string_view where, const Attributes& attributes,
                            const Shape& shape);

}  // namespace lockstep::ops
