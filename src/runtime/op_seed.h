#pragma once

#include <cstdint>
#include <optional>

#include "random/op_seeds.h"

namespace lockstep::runtime {

/// The seed pair of an eager op with this seed of its own, by the rules of `SetSeed`; without any
/// seed a random one. Datasets take theirs here too.
random::SeedPair NextOpSeed(std::optional<int64_t> seed);

}  // namespace lockstep::runtime
