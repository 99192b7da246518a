#pragma once

#include <cstdint>
#include <limits>

#include "base/environment.h"

namespace lockstep::sim {

/// The seeds that a simulation test runs: [first, last). LOCKSTEP_SIM_SEED=n replays one of them,
/// with its trace printed; LOCKSTEP_SIM_SEEDS=n runs the first n instead of `usual` many.
struct Seeds {
  uint64_t first = 0, last = 0;
  bool is_replay = false;
};

inline Seeds SeedsToRun(uint64_t usual) {
  constexpr int64_t kMost = std::numeric_limits<int64_t>::max() - 1;
  if (const auto one = base::EnvironmentNumber("LOCKSTEP_SIM_SEED", 0, kMost)) {
    const auto seed = static_cast<uint64_t>(*one);
    return {.first = seed, .last = seed + 1, .is_replay = true};
  }
  const auto many = base::EnvironmentNumber("LOCKSTEP_SIM_SEEDS", 1, kMost);
  return {.last = many ? static_cast<uint64_t>(*many) : usual};
}

}  // namespace lockstep::sim
