#pragma once

namespace lockstep::collectives {

/// What a message is taken to cost where an algorithm is chosen: the way, the sender's work, each
/// byte; and a byte that is read or written to add up or to copy. docs/collectives.md says where
/// the figures come from.
inline constexpr double kHopNanoseconds = 2000;
inline constexpr double kMessageNanoseconds = 300;
inline constexpr double kByteNanoseconds = 0.1;
inline constexpr double kTouchedByteNanoseconds = 0.1;
/// Sums of more bytes leave the caches whichever way they are made, and reading them again costs
/// what adding up half of them saves.
inline constexpr double kCachedBytes = 16 << 20;

}  // namespace lockstep::collectives
