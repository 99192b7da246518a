#pragma once

#include <bit>
#include <cstdint>

namespace lockstep::random {

/// 23 low bits of a word as a float32 in [0, 1).
inline float UnitFloat(uint32_t word) {
  return std::bit_cast<float>(127u << 23 | (word & 0x7fffffu)) - 1.0f;
}

/// 20 low bits of `high` and all of `low` as a float64 in [0, 1).
inline double UnitDouble(uint32_t high, uint32_t low) {
  return std::bit_cast<double>(uint64_t{1023} << 52 | uint64_t{high & 0xfffffu} << 32 | low) - 1.0;
}

}  // namespace lockstep::random
