#pragma once

#include <array>
#include <cstdint>

namespace lockstep::random {

/// CPython's `random.Random(seed)`: MT19937 seeded by its init_by_array with the 32-bit digits of
/// |seed|. TensorFlow's eager op seeds and Keras's default seeds come from such sequences.
/// A value type: copying it saves the sequence's place.
class PythonRandom {
 public:
  explicit PythonRandom(int64_t seed);

  /// `random.randint(low, high)`, both ends included. low <= high.
  int64_t RandInt(int64_t low, int64_t high);
  uint32_t NextWord();

  bool operator==(const PythonRandom&) const = default;

 private:
  void Refill();
  uint64_t RandomBits(int bits);

  std::array<uint32_t, 624> state_;
  uint32_t next_ = 624;
};

}  // namespace lockstep::random
