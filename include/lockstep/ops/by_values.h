#pragma once

#include <vector>

#include "lockstep/ops/array.h"

/// Shapes, places and ranges that are values of the program, for traced functions: tensors where
/// the functions of array.h and structure.h take numbers. `known` says what is known of them, with
/// -1 for what is not; the result's sizes are known as far as that goes. Values are vectors of
/// int64.
namespace lockstep {

/// As Reshape. Errors: InvalidArgument when the numbers of elements differ, when it runs.
Tensor ReshapeBy(const Tensor& input, const Tensor& shape, const std::vector<int64_t>& known);
/// As BroadcastTo. Errors: InvalidArgument for a shape that does not fit, when it runs.
Tensor BroadcastBy(const Tensor& input, const Tensor& shape, const std::vector<int64_t>& known);
/// As Tile.
Tensor TileBy(const Tensor& input, const Tensor& multiples, const std::vector<int64_t>& known);
/// As Pad with a constant. Shapes: paddings [2 r], before and after for each axis.
Tensor PadBy(const Tensor& input, const Tensor& paddings, double constant,
             const std::vector<int64_t>& known);
/// As Slice; `known` holds the sizes. Errors: InvalidArgument for a slice beyond the ends, when it
/// runs.
Tensor SliceBy(const Tensor& input, const Tensor& begin, const Tensor& size,
               const std::vector<int64_t>& known);

struct StridedSliceByOptions {
  std::vector<int64_t> known_begin = {};  // 0 where it is a value
  std::vector<int64_t> known_end = {};
  std::vector<int64_t> strides = {};
  int64_t open = 0;  // bit i: begin or end of entry i is a value
  StridedSliceMasks masks = {};
};
/// As StridedSlice, with strides that are known. Errors: InvalidArgument for an index outside of
/// its axis, when it runs.
Tensor StridedSliceBy(const Tensor& input, const Tensor& begin, const Tensor& end,
                      const StridedSliceByOptions& options);

/// As Range, of scalars of one dtype (int32, int64, float32, float64).
Tensor RangeBy(const Tensor& start, const Tensor& limit, const Tensor& delta);

}  // namespace lockstep
