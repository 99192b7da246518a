#pragma once

#include <cstdint>
#include <limits>

#include "base/environment.h"

namespace lockstep::sim {

/// The seeds that a simulation test runs: [first, last). LOCKSTEP_SIM_SEED=n replays one of them,
/// with its trace printed; LOCKSTEP_SIM_SEEDS=n runs the first n instead of `usual` many, or, with
/// LOCKSTEP_SIM_FROM=m, n from seed m on.
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
  constexpr int64_t kMany = kMost / 2;
  const auto many = base::EnvironmentNumber("LOCKSTEP_SIM_SEEDS", 1, kMany);
  const auto from = base::EnvironmentNumber("LOCKSTEP_SIM_FROM", 0, kMany);
  const uint64_t first = from ? static_cast<uint64_t>(*from) : 0;
  return {.first = first, .last = first + (many ? static_cast<uint64_t>(*many) : usual)};
}

}  // namespace lockstep::sim
