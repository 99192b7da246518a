#pragma once

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
};

/// Where all ranks share memory, and where some do not.
inline constexpr NetworkCost kOneHostCost{2000, 300, 0.1, 0.1};
inline constexpr NetworkCost kBetweenHostsCost{45000, 3000, 1, 0.1};

/// Sums of more bytes leave the caches whichever way they are made, and reading them again costs
/// what adding up half of them saves.
inline constexpr double kCachedBytes = 16 << 20;

}  // namespace lockstep::collectives
