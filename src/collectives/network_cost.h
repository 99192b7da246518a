#pragma once

namespace lockstep::collectives {

/// What a message is taken to cost where an algorithm is chosen: the way, the sender's work, each
/// byte. docs/collectives.md says where the figures come from.
inline constexpr double kHopNanoseconds = 2000;
inline constexpr double kMessageNanoseconds = 300;
inline constexpr double kByteNanoseconds = 0.1;

}  // namespace lockstep::collectives
