#include "base/text_hash.h"

#include <array>
#include <bit>
#include <cstring>
#include <utility>

namespace lockstep::base {

namespace {

constexpr uint64_t kFirst = 0xc3a5c85c97cb3127, kSecond = 0xb492b66fbe98f273,
                   kThird = 0x9ae16a3b2f90404f;

uint64_t Number(const char* at) {
  uint64_t number;
  std::memcpy(&number, at, sizeof number);
  return number;
}
uint64_t HalfNumber(const char* at) {
  uint32_t number;
  std::memcpy(&number, at, sizeof number);
  return number;
}
uint64_t Byte(char byte) { return static_cast<uint8_t>(byte); }
uint64_t Fold(uint64_t value) { return value ^ (value >> 47); }

uint64_t Pair(uint64_t u, uint64_t v, uint64_t factor) {
  const uint64_t a = Fold((u ^ v) * factor);
  return Fold((v ^ a) * factor) * factor;
}

uint64_t UpTo16(std::string_view bytes) {
  const size_t size = bytes.size();
  const char* at = bytes.data();
  const uint64_t factor = kThird + size * 2;
  if (size >= 8) {
    const uint64_t a = Number(at) + kThird, b = Number(at + size - 8);
    return Pair(std::rotr(b, 37) * factor + a, (std::rotr(a, 25) + b) * factor, factor);
  }
  if (size >= 4) return Pair(size + (HalfNumber(at) << 3), HalfNumber(at + size - 4), factor);
  if (size == 0) return kThird;
  const uint64_t y = Byte(at[0]) + (Byte(at[size >> 1]) << 8);
  const uint64_t z = size + (Byte(at[size - 1]) << 2);
  return Fold(y * kThird ^ z * kFirst) * kThird;
}

uint64_t UpTo64(std::string_view bytes) {
  const size_t size = bytes.size();
  const char* at = bytes.data();
  const uint64_t factor = kThird + size * 2;
  const uint64_t b = Number(at + 8), c = Number(at + size - 8) * factor,
                 d = Number(at + size - 16) * kThird;
  if (size <= 32) {
    const uint64_t a = Number(at) * kSecond;
    return Pair(std::rotr(a + b, 43) + std::rotr(c, 30) + d, a + std::rotr(b + kThird, 18) + c,
                factor);
  }
  const uint64_t a = Number(at) * kThird;
  const uint64_t y = std::rotr(a + b, 43) + std::rotr(c, 30) + d;
  const uint64_t z = Pair(y, a + std::rotr(b + kThird, 18) + c, factor);
  const uint64_t e = Number(at + 16) * factor, f = Number(at + 24);
  const uint64_t g = (y + Number(at + size - 32)) * factor;
  const uint64_t h = (z + Number(at + size - 24)) * factor;
  return Pair(std::rotr(e + f, 43) + std::rotr(g, 30) + h, e + std::rotr(f + a, 18) + g, factor);
}

using Two = std::pair<uint64_t, uint64_t>;

Two Mix32(const char* at, uint64_t a, uint64_t b) {
  a += Number(at);
  b = std::rotr(b + a + Number(at + 24), 21);
  const uint64_t before = a;
  a += Number(at + 8) + Number(at + 16);
  return {a + Number(at + 24), b + std::rotr(a, 44) + before};
}

struct FarmState {
  uint64_t x, y, z;
  Two v, w;

  // One block of 64 bytes.
  void Round(const char* at, uint64_t factor, uint64_t weight) {
    x = std::rotr(x + y + v.first + Number(at + 8), 37) * factor;
    y = std::rotr(y + v.second + Number(at + 48), 42) * factor;
    x ^= w.second * weight;
    y += v.first * weight + Number(at + 40);
    z = std::rotr(z + w.first, 33) * factor;
    v = Mix32(at, v.second * factor, x + w.first);
    w = Mix32(at + 32, z + w.second, y + Number(at + 16));
    std::swap(z, x);
  }
};

void SipRounds(std::array<uint64_t, 4>& v, int count) {
  while (count-- > 0) {
    v[0] += v[1];
    v[2] += v[3];
    v[1] = std::rotl(v[1], 13) ^ v[0];
    v[3] = std::rotl(v[3], 16) ^ v[2];
    v[0] = std::rotl(v[0], 32);
    v[2] += v[1];
    v[0] += v[3];
    v[1] = std::rotl(v[1], 17) ^ v[2];
    v[3] = std::rotl(v[3], 21) ^ v[0];
    v[2] = std::rotl(v[2], 32);
  }
}

}  // namespace

uint64_t Fingerprint64(std::string_view bytes) {
  const size_t size = bytes.size();
  if (size <= 16) return UpTo16(bytes);
  if (size <= 64) return UpTo64(bytes);
  const char* at = bytes.data();
  const uint64_t y = 81 * kSecond + 113;
  FarmState state{81 * kThird + Number(at), y, Fold(y * kThird + 113) * kThird, {}, {}};
  const size_t blocks = (size - 1) / 64;
  for (size_t i = 0; i < blocks; ++i) state.Round(at + 64 * i, kSecond, 1);
  const uint64_t factor = kSecond + ((state.z & 0xff) << 1);
  state.w.first += (size - 1) & 63;
  state.v.first += state.w.first;
  state.w.first += state.v.first;
  state.Round(at + size - 64, factor, 9);
  return Pair(Pair(state.v.first, state.w.first, factor) + Fold(state.y) * kFirst + state.z,
              Pair(state.v.second, state.w.second, factor) + state.x, factor);
}

uint64_t SipHash(std::string_view bytes, uint64_t key0, uint64_t key1) {
  std::array<uint64_t, 4> v{key0 ^ 0x736f6d6570736575, key1 ^ 0x646f72616e646f6d,
                            key0 ^ 0x6c7967656e657261, key1 ^ 0x7465646279746573};
  const auto take = [&](uint64_t word) {
    v[3] ^= word;
    SipRounds(v, 2);
    v[0] ^= word;
  };
  const size_t whole = bytes.size() / 8 * 8;
  for (size_t i = 0; i < whole; i += 8) take(Number(bytes.data() + i));
  uint64_t last = static_cast<uint64_t>(bytes.size()) << 56;
  if (whole < bytes.size()) {
    uint64_t rest = 0;
    std::memcpy(&rest, bytes.data() + whole, bytes.size() - whole);
    last |= rest;
  }
  take(last);
  v[2] ^= 0xff;
  SipRounds(v, 4);
  return v[0] ^ v[1] ^ v[2] ^ v[3];
}

uint64_t MurmurHash64(std::string_view bytes) {
  constexpr uint64_t kFactor = 0xc6a4a7935bd1e995, kSeed = 0xdecafcaffe;
  uint64_t hash = kSeed ^ (bytes.size() * kFactor);
  const size_t whole = bytes.size() / 8 * 8;
  for (size_t i = 0; i < whole; i += 8) {
    const uint64_t word = Number(bytes.data() + i) * kFactor;
    hash = (hash ^ Fold(word) * kFactor) * kFactor;
  }
  if (whole < bytes.size()) {
    uint64_t rest = 0;
    std::memcpy(&rest, bytes.data() + whole, bytes.size() - whole);
    hash = (hash ^ rest) * kFactor;
  }
  return Fold(Fold(hash) * kFactor);
}

}  // namespace lockstep::base
