#include "random/keras_seeds.h"

namespace lockstep::random {
namespace {

int64_t FloorMod(int64_t value, int64_t modulus) {
  const int64_t rest = value % modulus;
  return rest < 0 ? rest + modulus : rest;
}

}  // namespace

KerasSeed DrawSeed(int64_t seed) { return {seed, 0}; }

Stream KerasStream(const KerasSeed& seed) {
  constexpr int64_t kModulus = 2147483646;  // 2^31 - 2
  return StatelessStream(FloorMod(seed[0], kModulus), FloorMod(seed[1], kModulus));
}

KerasSeed SeedGeneratorState::Draw() {
  const KerasSeed drawn = state;
  state[1] += 1;
  return drawn;
}

KerasSeed GlobalSeedGeneratorState::Draw() {
  const KerasSeed drawn = state;
  for (int64_t& half : state) half = FloorMod((half + 1) * 5387, 933199);
  return drawn;
}

}  // namespace lockstep::random
