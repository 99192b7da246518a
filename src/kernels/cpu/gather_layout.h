#pragma once

#include <algorithm>

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

/// Columns of the rows that indices of axis 0 name. They lie anywhere in memory, too far from each
/// other for the processor's foresight, and are fetched ahead.
template <typename Index>
struct GatheredRuns {
  const GatherLayout& layout;
  const char* from;
  const Index* indices;
  int64_t element_bytes;

  /// Brings the columns [begin_column, end_column) of the rows [begin, end) nearer.
  void Fetch(int64_t begin, int64_t end, int64_t begin_column, int64_t end_column) const {
    constexpr int64_t kLine = 64;
    if (begin_column == end_column) return;
    for (int64_t i = begin; i < end; ++i) {
      const int64_t index = indices[i];
      if (index < 0 || index >= layout.limit) continue;
      const char* row = from + index * layout.inner * element_bytes;
      const int64_t last = end_column * element_bytes - 1;
      for (int64_t at = begin_column * element_bytes; at < last; at += kLine)
        __builtin_prefetch(row + at);
      __builtin_prefetch(row + last);  // a row begins anywhere in a line
    }
  }

  /// take(i, columns) for each of the rows. Errors: InvalidArgument for an index that is none.
  template <typename Take>
  void ForEach(int64_t begin, int64_t end, int64_t begin_column, int64_t end_column,
               const Take& take) const {
    constexpr int64_t kAhead = 4;
    Fetch(begin, std::min(end, begin + kAhead), begin_column, end_column);
    for (int64_t i = begin; i < end; ++i) {
      const int64_t index = indices[i];
      if (index < 0 || index >= layout.limit) ThrowIndex("GatherV2", i, index, layout.limit);
      Fetch(i + kAhead, std::min(end, i + kAhead + 1), begin_column, end_column);
      take(i, from + (index * layout.inner + begin_column) * element_bytes);
    }
  }
};

}  // namespace lockstep::kernels
