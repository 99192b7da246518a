#pragma once

#include <cstddef>

namespace lockstep::collectives {

/// What messages are taken to cost where an algorithm is chosen, in nanoseconds: the way, the
/// sender's work, each byte, and a byte that is read or written to add up or to copy. Round
/// numbers, the same on every rank, so that all choose alike; docs/collectives.md has what was
/// measured.
struct NetworkCost {
  double hop;
  double message;
  double byte;
  double touched_byte;
  /// From so many bytes on two ranks measure whether each had better add up all of a sum or half.
  size_t measured_bytes;
};

/// Where all ranks share memory, and where some do not.
inline constexpr NetworkCost kOneHostCost{2000, 300, 0.1, 0.1, 32 << 10};
inline constexpr NetworkCost kBetweenHostsCost{45000, 3000, 1, 0.1, ~size_t{0}};

}  // namespace lockstep::collectives
