#pragma once

#include "kernels/kernel.h"

namespace lockstep::kernels {

/// The leaves of a sum over `rows` rows: `leaves` itself, scaled where each of its rows is several
/// of these, or one leaf when it is empty.
inline LeafTable LeavesOf(const LeafTable& leaves, int64_t rows) {
  if (leaves.empty() || leaves.back() == 0) return {0, rows};
  LeafTable scaled = leaves;
  for (int64_t& offset : scaled) offset *= rows / leaves.back();
  return scaled;
}

}  // namespace lockstep::kernels
