#pragma once

#include <array>
#include <cstdint>
#include <span>

/// Philox4x32-10 (Salmon et al. 2011) and TensorFlow's ways to name a stream of its words.
/// A stream is addressed, never consumed: any element of any distribution can be produced alone.

namespace lockstep::random {

/// Where a stream of 32-bit words starts: `counter` (lowest word first) numbers blocks of four
/// words.
struct Stream {
  std::array<uint32_t, 2> key{};
  std::array<uint32_t, 4> counter{};

  /// Moves the start by `blocks` (128-bit addition).
  void Skip(uint64_t blocks);
  /// The stream that starts `blocks` later.
  Stream After(uint64_t blocks) const;
  bool operator==(const Stream&) const = default;
};

/// The stream of a legacy stateful op or of a dataset with the seed pair (seed, seed2).
Stream PairStream(int64_t seed, int64_t seed2);

/// The stream of a stateless op with the seed [seed0, seed1]; int32 seeds are sign-extended.
Stream StatelessStream(int64_t seed0, int64_t seed1);

/// The four words at the start of `stream`.
std::array<uint32_t, 4> PhiloxBlock(const Stream& stream);

/// Writes the blocks first_block, first_block + 1, ... of `stream` into `words`, whose size is a
/// multiple of four. Same words with AVX2 and AVX-512.
void PhiloxBlocks(const Stream& stream, uint64_t first_block, std::span<uint32_t> words);

/// As PhiloxBlocks, each word already mapped to [0, 1): (127 << 23 | low 23 bits) as float,
/// minus 1.
void PhiloxUnitFloats(const Stream& stream, uint64_t first_block, std::span<float> values);

/// Reads a stream one uint32 at a time, as shuffles do.
class WordReader {
 public:
  explicit WordReader(const Stream& stream, uint64_t first_word = 0)
      : stream_(stream), position_(first_word) {}

  uint32_t Next();
  /// How many words lie before the next one; saves and restores a shuffle.
  uint64_t position() const { return position_; }

 private:
  Stream stream_;
  uint64_t position_;
  std::array<uint32_t, 64> words_{};
  uint64_t words_block_ = UINT64_MAX;  // the first block held in words_
};

}  // namespace lockstep::random
