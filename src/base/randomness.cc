#include "base/randomness.h"

#include <random>

namespace lockstep::base {

uint64_t Randomness::Below(uint64_t bound) {
  return static_cast<uint64_t>((static_cast<unsigned __int128>(Next()) * bound) >> 64);
}

int64_t Randomness::Between(int64_t low, int64_t high) {
  return low + static_cast<int64_t>(Below(static_cast<uint64_t>(high - low) + 1));
}

bool Randomness::Chance(double probability) {
  return static_cast<double>(Next() >> 11) * 0x1p-53 < probability;
}

uint64_t SeededRandomness::Next() {
  state_ += 0x9e3779b97f4a7c15u;
  uint64_t mixed = state_;
  mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
  mixed = (mixed ^ (mixed >> 27)) * 0x94d049bb133111ebu;
  return mixed ^ (mixed >> 31);
}

uint64_t SystemRandomness::Next() {
  std::random_device device;
  return (static_cast<uint64_t>(device()) << 32) | device();
}

}  // namespace lockstep::base
