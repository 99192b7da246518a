#pragma once

#include <cstdint>
#include <optional>

#include "random/op_seeds.h"

namespace lockstep::runtime {

/// The seed pair of an eager op with this seed of its own, by the rules of `SetSeed`; without any
/// seed a random one. Datasets take theirs here too; one that the function of a dataset makes has
/// the seeds of that function, equal for each element.
random::SeedPair NextOpSeed(std::optional<int64_t> seed);
/// The pair that the next op gets here, eagerly, in a graph or in a trace; none without any seed.
/// Source: tf.compat.v1.get_seed.
std::optional<random::SeedPair> NextSeedPair(std::optional<int64_t> seed);

}  // namespace lockstep::runtime
