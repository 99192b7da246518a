#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "random/philox.h"

namespace lockstep::random {

/// The state of a `tf.random.Generator` with Philox: int64[3] = counter low, counter high, key.
/// A value type; the caller keeps it in a variable. Source: TF python/ops/stateful_random_ops.py.
struct GeneratorState {
  std::array<int64_t, 3> words{};

  /// The 64-bit digits of `seed`, least significant first; negative seeds are sign-extended.
  static GeneratorState FromSeed(int64_t seed);
  /// The digits given, padded on the left with zeros. Errors: Error(InvalidArgument) above three.
  static GeneratorState FromSeed(std::span<const int64_t> digits);
  static GeneratorState FromKeyCounter(int64_t key, const std::array<int64_t, 2>& counter);

  int64_t key() const { return words[2]; }
  /// The stream of the next draw.
  Stream stream() const;
  /// The stream that replica `replica_id` draws from when the generator was created in the scope of
  /// a strategy; counter and advance are the same on all replicas.
  Stream ReplicaStream(uint32_t replica_id) const;

  /// Advances as a draw of `elements` elements of any distribution does: 256 blocks each.
  void Skip(uint64_t elements);
  /// The stream of a draw of `elements` elements; advances past it.
  Stream Draw(uint64_t elements);

  /// The first row of make_seeds(count) (its second row is zero); advances.
  std::vector<int64_t> MakeSeeds(uint64_t count);
  /// `count` independent generators [0, 0, key_i]; advances this one.
  std::vector<GeneratorState> Split(uint64_t count);

  bool operator==(const GeneratorState&) const = default;
};

/// Blocks that a stateful draw of `elements` elements reserves, modulo 2^64 as in TensorFlow.
inline uint64_t ReservedBlocks(uint64_t elements) { return elements * 256; }

/// random.split: `count` seeds of the stateless stream [seed0, seed1], as count × 2 integers.
std::vector<int64_t> SplitSeed(int64_t seed0, int64_t seed1, uint64_t count);
std::vector<int32_t> SplitSeed(int32_t seed0, int32_t seed1, uint64_t count);

/// random.fold_in: [one full-range integer of the stateless stream [seed0, seed1], data].
std::array<int64_t, 2> FoldIn(int64_t seed0, int64_t seed1, int64_t data);
std::array<int32_t, 2> FoldIn(int32_t seed0, int32_t seed1, int32_t data);

}  // namespace lockstep::random
