#include "random/op_seeds.h"

#include "random/generator.h"

namespace lockstep::random {
namespace {

constexpr int64_t kDefaultGraphSeed = 87654321;
constexpr int64_t kModulus = 2147483647;  // 2^31 - 1

// Python's %, whose result has the sign of the modulus.
int64_t Reduce(int64_t seed) {
  const int64_t rest = seed % kModulus;
  return rest < 0 ? rest + kModulus : rest;
}

SeedPair Pair(int64_t global_seed, int64_t op_seed) {
  const SeedPair pair{Reduce(global_seed), Reduce(op_seed)};
  return pair.nondeterministic() ? SeedPair{0, kModulus} : pair;
}

}  // namespace

SeedPair FunctionSeeds::Next(std::optional<int64_t> op_seed) {
  if (!op_seed) return global_seed_ ? Pair(*global_seed_, next_op_++) : SeedPair{};
  return Pair(global_seed_.value_or(kDefaultGraphSeed), *op_seed);
}

SeedPair GlobalSeeds::NextEager(std::optional<int64_t> op_seed) {
  if (!global_seed_) return op_seed ? Pair(kDefaultGraphSeed, *op_seed) : SeedPair{};
  if (op_seed) return Pair(*global_seed_, *op_seed);
  return Pair(*global_seed_, sequence_.RandInt(0, kModulus));
}

Stream OpStream::Draw(uint64_t elements) {
  const Stream drawn = next_;
  next_.Skip(ReservedBlocks(elements));
  return drawn;
}

}  // namespace lockstep::random
