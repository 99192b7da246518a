#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "lockstep/tensor/dtype.h"

namespace lockstep::collectives {

/// Some rows of a matrix: each at most once, in ascending order.
struct SparseRows {
  std::vector<int64_t> indices;
  std::vector<std::byte> values;  // row by row

  /// The rows [begin, end) of the matrix.
  SparseRows Between(int64_t begin, int64_t end) const;
  bool operator==(const SparseRows&) const = default;
};

/// Brings rows into ascending order; those that occur more than once are added in the order in
/// which they occur: ((first + second) + third) ...
SparseRows Sorted(DType dtype, size_t row_elements, std::span<const int64_t> indices,
                  const std::byte* values);
/// left + right where both have a row; else the row of the one that has it.
SparseRows Merge(DType dtype, size_t row_elements, const SparseRows& left, const SparseRows& right);

/// The bytes on the wire: the number of rows (8 bytes, then zeros up to 16), the indices, from the
/// next multiple of 16 on the values.
size_t EncodedBytes(const SparseRows& rows);
void EncodeRows(const SparseRows& rows, std::byte* to);
/// Nothing for bytes that are not rows in ascending order in [begin, end).
std::optional<SparseRows> DecodeRows(std::span<const std::byte> bytes, size_t row_bytes,
                                     int64_t begin, int64_t end);

}  // namespace lockstep::collectives
