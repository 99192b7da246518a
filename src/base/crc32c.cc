#include "base/crc32c.h"

#include <nmmintrin.h>

#include <array>
#include <cstring>

namespace lockstep::base {

namespace {

// The processor's instruction takes three cycles, and can begin anew in each: three parts of one of
// these sizes go side by side.
constexpr size_t kLongPart = 4096, kShortPart = 256;

uint64_t Word(const std::byte* at) {
  uint64_t word;
  std::memcpy(&word, at, sizeof word);
  return word;
}

// What a state becomes by `part` zero bytes: linear in its bits, so a table a byte is enough.
class ZeroShift {
 public:
  explicit ZeroShift(size_t part) {
    std::array<uint32_t, 32> bits;
    for (int bit = 0; bit < 32; ++bit) {
      uint64_t state = uint32_t{1} << bit;
      for (size_t i = 0; i < part; i += 8) state = _mm_crc32_u64(state, 0);
      bits[bit] = static_cast<uint32_t>(state);
    }
    for (int byte = 0; byte < 4; ++byte) {
      for (int value = 0; value < 256; ++value) {
        uint32_t sum = 0;
        for (int bit = 0; bit < 8; ++bit) sum ^= (value >> bit & 1) != 0 ? bits[8 * byte + bit] : 0;
        tables_[byte][value] = sum;
      }
    }
  }
  uint32_t operator()(uint32_t state) const {
    return tables_[0][state & 0xff] ^ tables_[1][state >> 8 & 0xff] ^
           tables_[2][state >> 16 & 0xff] ^ tables_[3][state >> 24];
  }

 private:
  std::array<std::array<uint32_t, 256>, 4> tables_;
};

// The state after three parts.
template <size_t kPart>
uint64_t ThreeParts(const std::byte* at, uint64_t first) {
  static const ZeroShift shift(kPart);
  uint64_t second = 0, third = 0;
  for (size_t i = 0; i < kPart; i += 8) {
    first = _mm_crc32_u64(first, Word(at + i));
    second = _mm_crc32_u64(second, Word(at + kPart + i));
    third = _mm_crc32_u64(third, Word(at + 2 * kPart + i));
  }
  const uint32_t two = shift(static_cast<uint32_t>(first)) ^ static_cast<uint32_t>(second);
  return shift(two) ^ static_cast<uint32_t>(third);
}

}  // namespace

uint32_t Crc32c(std::span<const std::byte> bytes, uint32_t before) {
  uint64_t state = ~before;
  for (; bytes.size() >= 3 * kLongPart; bytes = bytes.subspan(3 * kLongPart))
    state = ThreeParts<kLongPart>(bytes.data(), state);
  for (; bytes.size() >= 3 * kShortPart; bytes = bytes.subspan(3 * kShortPart))
    state = ThreeParts<kShortPart>(bytes.data(), state);
  for (; bytes.size() >= 8; bytes = bytes.subspan(8))
    state = _mm_crc32_u64(state, Word(bytes.data()));
  auto rest = static_cast<uint32_t>(state);
  for (const std::byte byte : bytes) rest = _mm_crc32_u8(rest, static_cast<uint8_t>(byte));
  return ~rest;
}

}  // namespace lockstep::base
