#pragma once

#include <cstdint>

namespace lockstep::data {

/// The finalizer of splitmix64: a bijection of 64 bits in which every input bit reaches every
/// output bit. Source: Steele, Lea and Flood 2014 (constants: Stafford's mix 13).
inline uint64_t MixBits(uint64_t value) {
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9u;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebu;
  return value ^ (value >> 31);
}

/// A stream of random words that is a function of (seed, stream, item) and of the place in it, so
/// that any item of generated data can be made without those before it. For the embedded data only:
/// what a program calls random takes TensorFlow's Philox streams (room `random`).
class CounterHash {
 public:
  CounterHash(uint64_t seed, uint64_t stream, uint64_t item)
      : state_(MixBits(MixBits(MixBits(seed + kGamma) + stream * kGamma) + item * kGamma)) {}

  uint64_t Next() { return MixBits(state_ += kGamma); }

  /// A whole number in [0, bound), bound < 2^32. Bias below bound / 2^32.
  uint32_t Below(uint32_t bound) { return static_cast<uint32_t>(((Next() >> 32) * bound) >> 32); }

  /// A multiple of 2^-24 in [0, 1).
  float Unit() { return static_cast<float>(Next() >> 40) * 0x1p-24f; }

  /// Uniform in [low, high).
  float Between(float low, float high) { return low + (high - low) * Unit(); }

  /// Symmetric about 0 and triangular in (-1, 1): small values are likelier than large ones.
  float Triangular() {
    const uint64_t word = Next();
    return (static_cast<float>(word >> 40) - static_cast<float>((word >> 8) & 0xffffff)) * 0x1p-24f;
  }

  bool Chance(float probability) { return Unit() < probability; }

 private:
  static constexpr uint64_t kGamma = 0x9e3779b97f4a7c15u;  // 2^64 / golden ratio
  uint64_t state_;
};

}  // namespace lockstep::data
