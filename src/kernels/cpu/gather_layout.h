#pragma once

#include "ops/attributes.h"

namespace lockstep::kernels {

/// The shapes of a gather, joined: params [batch, outer, limit, inner], indices [batch, count],
/// result [batch, outer, count, inner].
struct GatherLayout {
  int64_t batch = 1;
  int64_t outer_of_batch = 1;
  int64_t limit = 1;
  int64_t inner = 1;
  int64_t count = 1;
  bool batched = false;

  GatherLayout(const Shape& params, const Shape& indices, const ops::Attributes& attributes) {
    const int axis = static_cast<int>(attributes.Get<int64_t>("axis"));
    const int batch_dims = static_cast<int>(attributes.Get<int64_t>("batch_dims"));
    batch = params.product(0, batch_dims);
    outer_of_batch = params.product(batch_dims, axis);
    limit = params[axis];
    inner = params.product(axis + 1, params.rank());
    count = indices.product(batch_dims, indices.rank());
    batched = batch_dims > 0;
  }
  int64_t outer() const { return batch * outer_of_batch; }
  bool by_index() const { return outer() == 1 && !batched; }
  /// Where the indices of an outer row begin.
  int64_t IndicesOf(int64_t row) const { return row / outer_of_batch * count; }
  /// Which of two inputs are read in a row's part only.
  uint32_t aligned(uint32_t data, uint32_t indices) const {
    if (by_index()) return indices;
    return data | (batched && outer_of_batch == 1 ? indices : 0);
  }
};

/// InvalidArgument: indices[place] = index is not in [0, limit).
[[noreturn]] void ThrowIndex(const char* where, int64_t place, int64_t index, int64_t limit);

}  // namespace lockstep::kernels
