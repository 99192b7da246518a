#pragma once

#include <cstdint>
#include <optional>

#include "random/mersenne_twister.h"
#include "random/philox.h"

/// TensorFlow's rules that turn a global seed and an op's seed into the pair of a stream.
/// Source: TF python/framework/random_seed.py, python/eager/context.py.

namespace lockstep::random {

/// The two seeds of a legacy stateful op or of a dataset; (0, 0) asks for a nondeterministic one.
struct SeedPair {
  int64_t seed = 0;
  int64_t seed2 = 0;

  bool nondeterministic() const { return seed == 0 && seed2 == 0; }
  Stream stream() const { return PairStream(seed, seed2); }
  bool operator==(const SeedPair&) const = default;
};

/// The op seed 0, 1, 2, ... of the ops that one graph or function traces without a seed of their
/// own, while there is a global one.
class FunctionSeeds {
 public:
  /// `global_seed` is the one at trace time.
  explicit FunctionSeeds(std::optional<int64_t> global_seed) : global_seed_(global_seed) {}
  /// The pair of the next traced op.
  SeedPair Next(std::optional<int64_t> op_seed);
  /// A new global seed for the ops that are traced from now on; their numbers go on.
  void set_global_seed(std::optional<int64_t> global_seed) { global_seed_ = global_seed; }
  std::optional<int64_t> global_seed() const { return global_seed_; }

 private:
  std::optional<int64_t> global_seed_;
  int64_t next_op_ = 0;
};

/// The global seed and the sequence of eager op seeds that follows it. A value type that the
/// process's context owns; `tf.random.set_seed(s)` is `seeds = GlobalSeeds(s)`, and the caller
/// drops the positions of its eager streams with it.
class GlobalSeeds {
 public:
  GlobalSeeds() : sequence_(0) {}
  explicit GlobalSeeds(int64_t global_seed) : global_seed_(global_seed), sequence_(global_seed) {}

  std::optional<int64_t> global_seed() const { return global_seed_; }
  /// The pair of an eager op; an op without a seed takes the next of the sequence.
  SeedPair NextEager(std::optional<int64_t> op_seed);
  /// The counter of a function graph that is traced now.
  FunctionSeeds ForFunction() const { return FunctionSeeds(global_seed_); }

 private:
  std::optional<int64_t> global_seed_;
  PythonRandom sequence_;
};

/// The place of a stateful op's kernel in its stream. Each distinct kernel owns one: a node of a
/// function, or an eager op with its attributes and device.
class OpStream {
 public:
  explicit OpStream(const SeedPair& pair) : next_(pair.stream()) {}
  /// The stream of a call with `elements` output elements; skips 256 blocks for each of them.
  Stream Draw(uint64_t elements);

 private:
  Stream next_;
};

}  // namespace lockstep::random
