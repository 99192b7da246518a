#include "kernels/cpu/broadcast_walk.h"

namespace lockstep::kernels {

namespace {

// The size of `shape` along axis `axis` of an output of rank `rank`.
int64_t SizeAt(const Shape& shape, int axis, int rank) {
  const int own = axis - (rank - shape.rank());
  return own < 0 ? 1 : shape[own];
}

// Elements from one place of that axis to the next; 0 where the input is broadcast.
int64_t StepAt(const Shape& shape, int axis, int rank) {
  if (SizeAt(shape, axis, rank) == 1) return 0;
  return shape.product(axis - (rank - shape.rank()) + 1, shape.rank());
}

}  // namespace

BroadcastWalk::BroadcastWalk(const Shape& output, std::span<const Shape> inputs)
    : num_inputs_(static_cast<int>(inputs.size())) {
  const int rank = output.rank();
  int row_axis = 0;
  while (row_axis < rank && output[row_axis] == 1) ++row_axis;
  if (row_axis < rank) {
    rows_ = output[row_axis];
    elements_per_row_ = output.product(row_axis + 1, rank);
    for (int i = 0; i < num_inputs_; ++i) {
      if (SizeAt(inputs[i], row_axis, rank) == rows_) aligned_ |= 1u << i;
    }
  } else {
    for (int i = 0; i < num_inputs_; ++i) aligned_ |= 1u << i;
  }
  int joined = -1;
  for (int axis = row_axis; axis < rank; ++axis) {
    if (output[axis] == 1) continue;
    bool joins = joined >= 0;
    for (int i = 0; i < num_inputs_ && joins; ++i) {
      const int64_t step = StepAt(inputs[i], axis, rank);
      joins = steps_[i][joined] == step * output[axis];
    }
    if (!joins) sizes_[++joined] = 1;
    sizes_[joined] *= output[axis];
    if (joined == 0 && axis > row_axis) outer_per_row_ *= output[axis];
    for (int i = 0; i < num_inputs_; ++i) steps_[i][joined] = StepAt(inputs[i], axis, rank);
  }
  if (joined < 0) sizes_[0] = 1;
  rank_ = joined < 0 ? 1 : joined + 1;
}

}  // namespace lockstep::kernels
