#pragma once

#include <array>
#include <cstdint>

#include "random/mersenne_twister.h"
#include "random/philox.h"

/// Keras's seeds: all its random ops are stateless ops on a pair. Source: keras/src/random.

namespace lockstep::random {

/// The seed [first, second] of a stateless op.
using KerasSeed = std::array<int64_t, 2>;

/// draw_seed of an integer: [seed, 0], as an initializer with a seed uses it at every call.
KerasSeed DrawSeed(int64_t seed);
/// The stream of a drawn seed: each half modulo 2^31 − 2, then the stateless rule.
Stream KerasStream(const KerasSeed& seed);

/// The state of a `SeedGenerator`; the caller keeps it in a variable.
struct SeedGeneratorState {
  KerasSeed state{};

  explicit SeedGeneratorState(int64_t seed) : state{seed, 0} {}
  /// The state before the draw; then state += [0, 1].
  KerasSeed Draw();
  bool operator==(const SeedGeneratorState&) const = default;
};

/// The global `SeedGenerator`, which draw_seed(None) uses.
struct GlobalSeedGeneratorState {
  KerasSeed state{};

  explicit GlobalSeedGeneratorState(int64_t seed) : state{seed, 0} {}
  /// The state before the draw; then (state + 1) · 5387 mod 933199, element by element.
  KerasSeed Draw();
  bool operator==(const GlobalSeedGeneratorState&) const = default;
};

/// The sequence of default seeds of layers and initializers after set_random_seed(seed):
/// Python's random.randint(1, 10^9), drawn in the order of construction.
class DefaultSeeds {
 public:
  explicit DefaultSeeds(int64_t seed) : random_(seed) {}
  int64_t Next() { return random_.RandInt(1, 1000000000); }

 private:
  PythonRandom random_;
};

}  // namespace lockstep::random
