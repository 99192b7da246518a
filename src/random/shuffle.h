#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "random/op_seeds.h"
#include "random/philox.h"

/// TensorFlow's two shuffles, in the words that they take from a stream (semantics of tf.data's
/// shuffle and of tf.random.shuffle). Source: TF core/kernels/data/shuffle_dataset_op.cc,
/// core/kernels/random_shuffle_op.cc.

namespace lockstep::random {

/// The permutation p of tf.random.shuffle over `size` rows: row i of the result is row p[i].
std::vector<int64_t> ShufflePermutation(const Stream& stream, uint64_t size);

/// The choice that a dataset's shuffle buffer makes: a circular array of `capacity` slots that
/// holds the window [start, end) of places. The caller keeps the elements in slots of its own; this
/// says which slot to fill and which to emit.
class ShuffleWindow {
 public:
  /// capacity >= 1.
  ShuffleWindow(const SeedPair& pair, uint64_t capacity, uint64_t words_used = 0);

  bool full() const { return size() == capacity_; }
  bool empty() const { return start_ == end_; }
  uint64_t size() const { return end_ - start_; }
  /// The slot for the next input element. Not full.
  uint64_t Push() { return end_++ % capacity_; }
  /// Draws one word. The caller emits slot `emit`, then swaps the slots `emit` and `refill`.
  struct Choice {
    uint64_t emit;
    uint64_t refill;
  };
  Choice Pop();
  /// Words drawn so far: with the order of the input, the whole state of the shuffle.
  uint64_t words_used() const { return words_.position(); }

 private:
  WordReader words_;
  uint64_t capacity_;
  uint64_t start_ = 0;
  uint64_t end_ = 0;
};

/// The order in which a shuffle with a buffer of `capacity` emits the inputs 0, ..., size − 1.
std::vector<int64_t> ShuffleOrder(const SeedPair& pair, uint64_t size, uint64_t capacity);

/// The pairs of a dataset's iterators: with reshuffling, each iterator (each pass of a repeat)
/// takes two words of the stream of the op's pair; without, all use the op's pair.
class ReshuffleSeeds {
 public:
  ReshuffleSeeds(const SeedPair& pair, bool reshuffle_each_iteration)
      : pair_(pair), reshuffle_(reshuffle_each_iteration) {}
  /// The pair of iterator number `iteration`, counted from 0.
  SeedPair At(uint64_t iteration) const;

 private:
  SeedPair pair_;
  bool reshuffle_;
};

}  // namespace lockstep::random
