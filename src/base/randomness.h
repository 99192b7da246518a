#pragma once

#include <cstdint>

/// Draws for time-outs, jitter, tie-breaks and simulated faults. What a program computes never
/// depends on them: tensors draw from Philox streams in room random.

namespace lockstep::base {

class Randomness {
 public:
  virtual ~Randomness() = default;
  virtual uint64_t Next() = 0;

  /// Uniform in [0, bound); 0 for bound 0.
  uint64_t Below(uint64_t bound);
  /// Uniform in [low, high].
  int64_t Between(int64_t low, int64_t high);
  /// True with `probability`.
  bool Chance(double probability);
};

/// SplitMix64 of Steele, Lea and Flood: equal seeds give equal draws.
class SeededRandomness final : public Randomness {
 public:
  explicit SeededRandomness(uint64_t seed) : state_(seed) {}
  uint64_t Next() override;

 private:
  uint64_t state_;
};

/// The operating system's entropy.
class SystemRandomness final : public Randomness {
 public:
  uint64_t Next() override;
};

}  // namespace lockstep::base
