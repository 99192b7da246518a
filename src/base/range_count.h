#pragma once

#include <cstdint>

namespace lockstep::base {

/// How many numbers lie in [start, stop) at distance `step`, which is not 0; for a negative step in
/// (stop, start]. Right for all bounds: the distance of two may not fit into an int64.
constexpr uint64_t RangeCount(int64_t start, int64_t stop, int64_t step) {
  if (step > 0 ? start >= stop : start <= stop) return 0;
  const uint64_t low = static_cast<uint64_t>(step > 0 ? start : stop);
  const uint64_t high = static_cast<uint64_t>(step > 0 ? stop : start);
  const uint64_t stride = step > 0 ? static_cast<uint64_t>(step) : ~static_cast<uint64_t>(step) + 1;
  return (high - low - 1) / stride + 1;
}

}  // namespace lockstep::base
