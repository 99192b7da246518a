#include "collectives/sparse_rows.h"

#include <algorithm>
#include <cstring>
#include <numeric>

#include "collectives/element_sum.h"

namespace lockstep::collectives {
namespace {

constexpr size_t kHead = 16;

size_t Aligned(size_t bytes) { return (bytes + 15) / 16 * 16; }

}  // namespace

SparseRows SparseRows::Between(int64_t begin, int64_t end) const {
  const auto first = std::lower_bound(indices.begin(), indices.end(), begin);
  const auto last = std::lower_bound(first, indices.end(), end);
  const auto row_bytes = indices.empty() ? 0 : static_cast<long>(values.size() / indices.size());
  return {{first, last},
          {values.begin() + (first - indices.begin()) * row_bytes,
           values.begin() + (last - indices.begin()) * row_bytes}};
}

SparseRows Sorted(DType dtype, size_t row_elements, std::span<const int64_t> indices,
                  const std::byte* values) {
  const size_t row_bytes = row_elements * DTypeSize(dtype);
  std::vector<size_t> order(indices.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::stable_sort(order.begin(), order.end(),
                   [&](size_t a, size_t b) { return indices[a] < indices[b]; });
  SparseRows rows;
  rows.values.reserve(indices.size() * row_bytes);
  for (const size_t from : order) {
    const std::byte* row = values + from * row_bytes;
    if (!rows.indices.empty() && rows.indices.back() == indices[from]) {
      std::byte* sum = rows.values.data() + rows.values.size() - row_bytes;
      AddElements(dtype, sum, row, sum, row_elements);
      continue;
    }
    rows.indices.push_back(indices[from]);
    rows.values.insert(rows.values.end(), row, row + row_bytes);
  }
  return rows;
}

SparseRows Merge(DType dtype, size_t row_elements, const SparseRows& left,
                 const SparseRows& right) {
  const size_t row_bytes = row_elements * DTypeSize(dtype);
  SparseRows sum;
  sum.indices.reserve(left.indices.size() + right.indices.size());
  sum.values.reserve(left.values.size() + right.values.size());
  const auto append = [&](const SparseRows& from, size_t row) {
    sum.indices.push_back(from.indices[row]);
    const std::byte* values = from.values.data() + row * row_bytes;
    sum.values.insert(sum.values.end(), values, values + row_bytes);
  };
  size_t l = 0, r = 0;
  while (l < left.indices.size() || r < right.indices.size()) {
    const bool has_left = l < left.indices.size(), has_right = r < right.indices.size();
    if (has_left && has_right && left.indices[l] == right.indices[r]) {
      append(left, l++);
      std::byte* row = sum.values.data() + sum.values.size() - row_bytes;
      AddElements(dtype, row, right.values.data() + r++ * row_bytes, row, row_elements);
    } else if (has_left && (!has_right || left.indices[l] < right.indices[r])) {
      append(left, l++);
    } else {
      append(right, r++);
    }
  }
  return sum;
}

size_t EncodedBytes(const SparseRows& rows) {
  return Aligned(kHead + rows.indices.size() * sizeof(int64_t)) + rows.values.size();
}

void EncodeRows(const SparseRows& rows, std::byte* to) {
  const uint64_t count = rows.indices.size();
  const size_t index_bytes = count * sizeof(int64_t);
  std::memset(to, 0, Aligned(kHead + index_bytes));
  std::memcpy(to, &count, sizeof count);
  if (count == 0) return;
  std::memcpy(to + kHead, rows.indices.data(), index_bytes);
  if (!rows.values.empty())
    std::memcpy(to + Aligned(kHead + index_bytes), rows.values.data(), rows.values.size());
}

std::optional<SparseRows> DecodeRows(std::span<const std::byte> bytes, size_t row_bytes,
                                     int64_t begin, int64_t end) {
  uint64_t count = 0;
  if (bytes.size() < kHead) return std::nullopt;
  std::memcpy(&count, bytes.data(), sizeof count);
  if (count > (bytes.size() - kHead) / sizeof(int64_t)) return std::nullopt;
  const size_t values = Aligned(kHead + count * sizeof(int64_t));
  if (row_bytes > 0 && count > bytes.size() / row_bytes) return std::nullopt;
  if (bytes.size() != values + count * row_bytes) return std::nullopt;
  SparseRows rows;
  rows.indices.resize(count);
  if (count > 0) std::memcpy(rows.indices.data(), bytes.data() + kHead, count * sizeof(int64_t));
  for (size_t i = 0; i < count; ++i) {
    const int64_t least = i == 0 ? begin : rows.indices[i - 1] + 1;
    if (rows.indices[i] < least || rows.indices[i] >= end) return std::nullopt;
  }
  rows.values.assign(bytes.begin() + static_cast<long>(values), bytes.end());
  return rows;
}

}  // namespace lockstep::collectives
