#include "kernels/cpu/math/huge_angle.h"

#include <bit>
#include <cmath>

namespace lockstep::kernels {
namespace {

__extension__ using Wide = unsigned __int128;

// The binary digits of 2/π after the point, 64 to a word.
constexpr uint64_t kTwoOverPi[] = {
    0xa2f9836e4e441529, 0xfc2757d1f534ddc0, 0xdb6295993c439041, 0xfe5163abdebbc561,
    0xb7246e3a424dd2e0, 0x06492eea09d1921c, 0xfe1deb1cb129a73e, 0xe88235f52ebb4484,
    0xe99c7026b45f7e41, 0x3991d639835339f4, 0x9c845f8bbdf9283b, 0x1ff897ffde05980f,
    0xef2f118b5a0a6d1f, 0x6d367ecf27cb09b7, 0x4f463f669e5fea2d, 0x7527bac7ebe5f17b,
    0x3d0739f78a5292ea, 0x6bfb5fb11f8d5d08, 0x56033046fc7b6bab, 0xf0cfbc209af4361d};

// 64 digits from number `first` on.
uint64_t Digits(int first) {
  const int word = first / 64;
  const int shift = first % 64;
  if (shift == 0) return kTwoOverPi[word];
  return kTwoOverPi[word] << shift | kTwoOverPi[word + 1] >> (64 - shift);
}

// A fixed-point number of 192 bits, words from low to high.
struct Fixed {
  uint64_t word[3];

  bool bit(int i) const { return (word[i / 64] >> i % 64 & 1) != 0; }
  void Negate() {
    uint64_t carry = 1;
    for (uint64_t& w : word) {
      w = ~w + carry;
      carry = carry != 0 && w == 0 ? 1 : 0;
    }
  }
  void ShiftLeft(int bits) {
    for (; bits >= 64; bits -= 64) {
      word[2] = word[1];
      word[1] = word[0];
      word[0] = 0;
    }
    if (bits == 0) return;
    word[2] = word[2] << bits | word[1] >> (64 - bits);
    word[1] = word[1] << bits | word[0] >> (64 - bits);
    word[0] <<= bits;
  }
};

// mantissa · 2^exponent · 2/π modulo 4, in units of 2^-190.
Fixed QuarterTurns(uint64_t mantissa, int exponent) {
  // Digits above weight 2^(2 - exponent) only add whole turns.
  const int first = exponent > 2 ? exponent - 2 : 0;
  uint64_t product[4] = {};
  uint64_t carry = 0;
  for (int i = 0; i < 3; ++i) {
    const Wide part = static_cast<Wide>(mantissa) * Digits(first + 64 * (2 - i)) + carry;
    product[i] = static_cast<uint64_t>(part);
    carry = static_cast<uint64_t>(part >> 64);
  }
  product[3] = carry;
  const int shift = exponent < 2 ? 2 - exponent : 0;
  Fixed turns;
  for (int i = 0; i < 3; ++i) {
    turns.word[i] = shift == 0 ? product[i] : product[i] >> shift | product[i + 1] << (64 - shift);
  }
  return turns;
}

double TopBits(uint64_t word, int bits) { return static_cast<double>(word >> (64 - bits)); }

}  // namespace

HugeAngle ReduceHugeAngle(double angle) {
  const uint64_t bits = std::bit_cast<uint64_t>(angle);
  const int exponent = static_cast<int>(bits >> 52 & 0x7ff) - 1075;
  Fixed turns = QuarterTurns((bits & 0xfffffffffffff) | uint64_t{1} << 52, exponent);
  uint64_t quadrants = turns.word[2] >> 62;
  bool negative = (bits >> 63) != 0;
  const bool above_half = turns.bit(189);
  turns.ShiftLeft(2);  // what is left is the fraction of a quarter turn, 2^-192 each
  if (above_half) {
    ++quadrants;
    turns.Negate();
  }
  if (negative) quadrants = uint64_t{0} - quadrants;
  negative = negative != above_half;
  int zeros = 0;
  while (zeros < 128 && !turns.bit(191 - zeros)) ++zeros;
  turns.ShiftLeft(zeros);
  // fraction = (high + low) · 2^-zeros, 53 and 53 bits.
  const double scale =
      (negative ? -1.0 : 1.0) * std::bit_cast<double>(static_cast<uint64_t>(1023 - zeros) << 52);
  const double high = TopBits(turns.word[2], 53) * 0x1p-53 * scale;
  turns.ShiftLeft(53);
  const double low = TopBits(turns.word[2], 53) * 0x1p-106 * scale;
  constexpr double kHalfPi[] = {0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};
  const double rest = high * kHalfPi[0];
  const double lost = std::fma(high, kHalfPi[0], -rest) + (high * kHalfPi[1] + low * kHalfPi[0]);
  return {rest, lost, quadrants & 3};
}

}  // namespace lockstep::kernels
