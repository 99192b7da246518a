#include "random/mersenne_twister.h"

#include <algorithm>
#include <bit>

#include "base/check.h"

namespace lockstep::random {
namespace {

constexpr uint32_t kSize = 624;
constexpr uint32_t kMiddle = 397;

void FillFromWord(std::array<uint32_t, kSize>& state, uint32_t seed) {
  state[0] = seed;
  for (uint32_t i = 1; i < kSize; ++i) {
    state[i] = 1812433253u * (state[i - 1] ^ state[i - 1] >> 30) + i;
  }
}

// Steps an index of init_by_array: position 0 always mirrors the last one.
void Advance(std::array<uint32_t, kSize>& state, uint32_t& i) {
  if (++i == kSize) {
    state[0] = state[kSize - 1];
    i = 1;
  }
}

}  // namespace

PythonRandom::PythonRandom(int64_t seed) {
  const uint64_t magnitude =
      seed < 0 ? uint64_t{0} - static_cast<uint64_t>(seed) : static_cast<uint64_t>(seed);
  const uint32_t digits[2] = {static_cast<uint32_t>(magnitude),
                              static_cast<uint32_t>(magnitude >> 32)};
  const uint32_t count = digits[1] == 0 ? 1 : 2;
  FillFromWord(state_, 19650218u);
  uint32_t i = 1;
  for (uint32_t step = 0; step < kSize; ++step) {
    const uint32_t j = step % count;
    state_[i] = (state_[i] ^ (state_[i - 1] ^ state_[i - 1] >> 30) * 1664525u) + digits[j] + j;
    Advance(state_, i);
  }
  for (uint32_t step = 0; step < kSize - 1; ++step) {
    state_[i] = (state_[i] ^ (state_[i - 1] ^ state_[i - 1] >> 30) * 1566083941u) - i;
    Advance(state_, i);
  }
  state_[0] = 0x80000000u;
}

void PythonRandom::Refill() {
  for (uint32_t i = 0; i < kSize; ++i) {
    const uint32_t y = (state_[i] & 0x80000000u) | (state_[(i + 1) % kSize] & 0x7fffffffu);
    state_[i] = state_[(i + kMiddle) % kSize] ^ y >> 1 ^ ((y & 1) != 0 ? 0x9908b0dfu : 0);
  }
  next_ = 0;
}

uint32_t PythonRandom::NextWord() {
  if (next_ == kSize) Refill();
  uint32_t y = state_[next_++];
  y ^= y >> 11;
  y ^= y << 7 & 0x9d2c5680u;
  y ^= y << 15 & 0xefc60000u;
  return y ^ y >> 18;
}

uint64_t PythonRandom::RandomBits(int bits) {
  if (bits <= 32) return NextWord() >> (32 - bits);
  const uint64_t low = NextWord();
  return low | uint64_t{NextWord() >> (64 - bits)} << 32;
}

int64_t PythonRandom::RandInt(int64_t low, int64_t high) {
  LOCKSTEP_CHECK_LE(low, high);
  const uint64_t last = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  LOCKSTEP_CHECK(last != UINT64_MAX);
  const int bits = std::bit_width(last + 1);
  uint64_t offset = RandomBits(bits);
  while (offset > last) offset = RandomBits(bits);
  return static_cast<int64_t>(static_cast<uint64_t>(low) + offset);
}

}  // namespace lockstep::random
