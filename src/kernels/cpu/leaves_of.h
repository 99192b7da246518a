#pragma once

#include <algorithm>
#include <string>

#include "kernels/kernel.h"
#include "tensor/sizes.h"

namespace lockstep::kernels {

/// InvalidArgument unless the leaves begin at 0, rise and end at `rows` at most: a kernel reads the
/// rows that they name.
inline void RequireLeaves(const LeafTable& leaves, int64_t rows) {
  if (leaves.empty()) return;
  const bool fits =
      leaves.front() == 0 && std::is_sorted(leaves.begin(), leaves.end()) && leaves.back() <= rows;
  if (fits) return;
  throw Error(Code::kInvalidArgument,
              "[kernels] leaves must rise from 0 to the number of rows; got " +
                  tensor::ListText(leaves) + " for " + std::to_string(rows) + " rows");
}

/// The leaves of a sum over `rows` rows: `leaves` itself, scaled where each of its rows is several
/// of these, or one leaf when it is empty.
inline LeafTable LeavesOf(const LeafTable& leaves, int64_t rows) {
  if (leaves.empty() || leaves.back() == 0) return {0, rows};
  RequireLeaves(leaves, leaves.back());
  LeafTable scaled = leaves;
  for (int64_t& offset : scaled) offset *= rows / leaves.back();
  return scaled;
}

}  // namespace lockstep::kernels
