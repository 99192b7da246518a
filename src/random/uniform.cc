#include "random/uniform.h"

#include <algorithm>
#include <array>
#include <bit>

#include "base/check.h"
#include "random/fill_blocks.h"
#include "random/unit_interval.h"

namespace lockstep::random {
namespace {

uint64_t TwoWords(const uint32_t* words) { return uint64_t{words[1]} << 32 | words[0]; }

void UnitFloats(const Stream& stream, uint64_t first, std::span<float> out) {
  const auto copy_part = [&](size_t lead, size_t count) {
    std::array<float, 4> block;
    PhiloxUnitFloats(stream, first / 4, block);
    std::copy_n(block.data() + lead, count, out.data());
    out = out.subspan(count);
    first += count;
  };
  if (first % 4 != 0 && !out.empty()) {
    copy_part(first % 4, std::min<size_t>(4 - first % 4, out.size()));
  }
  const size_t whole = out.size() / 4 * 4;
  PhiloxUnitFloats(stream, first / 4, out.first(whole));
  out = out.subspan(whole);
  first += whole;
  if (!out.empty()) copy_part(0, out.size());
}

template <typename T>
void ScaleUniforms(std::span<T> out, T low, T high) {
  if (low == 0 && high == 1) return;
  const T width = high - low;
  for (T& value : out) value = value * width + low;
}

// Sets `kBits` random bits as the mantissa of a 16-bit float in [1, 2) and subtracts one; the
// difference is exact, so float32 can compute it.
template <int kMantissaBits, int kBias>
uint16_t UnitHalfBits(uint32_t word) {
  const uint32_t mantissa = word & ((1u << kMantissaBits) - 1);
  if (mantissa == 0) return 0;
  const int shift = kMantissaBits + 1 - std::bit_width(mantissa);
  const uint32_t fraction = (mantissa << shift) & ((1u << kMantissaBits) - 1);
  return static_cast<uint16_t>(static_cast<uint32_t>(kBias - shift) << kMantissaBits | fraction);
}

}  // namespace

void FillUniform(const Stream& stream, uint64_t first, std::span<float> out, float low,
                 float high) {
  UnitFloats(stream, first, out);
  ScaleUniforms(out, low, high);
}

void FillUniform(const Stream& stream, uint64_t first, std::span<double> out, double low,
                 double high) {
  FillByBlock<2>(stream, first, out, [](const uint32_t* words, double* elements) {
    elements[0] = UnitDouble(words[0], words[1]);
    elements[1] = UnitDouble(words[2], words[3]);
  });
  ScaleUniforms(out, low, high);
}

void FillUniformFloat16(const Stream& stream, uint64_t first, std::span<uint16_t> out) {
  FillByBlock<4>(stream, first, out, [](const uint32_t* words, uint16_t* elements) {
    for (int i = 0; i < 4; ++i) elements[i] = UnitHalfBits<10, 15>(words[i]);
  });
}

void FillUniformBfloat16(const Stream& stream, uint64_t first, std::span<uint16_t> out) {
  FillByBlock<4>(stream, first, out, [](const uint32_t* words, uint16_t* elements) {
    for (int i = 0; i < 4; ++i) elements[i] = UnitHalfBits<7, 127>(words[i]);
  });
}

void FillUniformInteger(const Stream& stream, uint64_t first, std::span<int32_t> out, int32_t low,
                        int32_t high) {
  LOCKSTEP_CHECK(low < high);
  const uint32_t range = static_cast<uint32_t>(high) - static_cast<uint32_t>(low);
  FillByBlock<4>(stream, first, out, [=](const uint32_t* words, int32_t* elements) {
    for (int i = 0; i < 4; ++i) {
      elements[i] = static_cast<int32_t>(static_cast<uint32_t>(low) + words[i] % range);
    }
  });
}

void FillUniformInteger(const Stream& stream, uint64_t first, std::span<int64_t> out, int64_t low,
                        int64_t high) {
  LOCKSTEP_CHECK(low < high);
  const uint64_t range = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  FillByBlock<2>(stream, first, out, [=](const uint32_t* words, int64_t* elements) {
    for (int i = 0; i < 2; ++i) {
      elements[i] =
          static_cast<int64_t>(static_cast<uint64_t>(low) + TwoWords(words + 2 * i) % range);
    }
  });
}

void FillFullRange(const Stream& stream, uint64_t first, std::span<uint32_t> out) {
  FillByBlock<4>(stream, first, out, [](const uint32_t* words, uint32_t* elements) {
    std::copy_n(words, 4, elements);
  });
}

void FillFullRange(const Stream& stream, uint64_t first, std::span<int32_t> out) {
  FillFullRange(stream, first, {reinterpret_cast<uint32_t*>(out.data()), out.size()});
}

void FillFullRange(const Stream& stream, uint64_t first, std::span<uint64_t> out) {
  FillByBlock<2>(stream, first, out, [](const uint32_t* words, uint64_t* elements) {
    elements[0] = TwoWords(words);
    elements[1] = TwoWords(words + 2);
  });
}

void FillFullRange(const Stream& stream, uint64_t first, std::span<int64_t> out) {
  FillFullRange(stream, first, {reinterpret_cast<uint64_t*>(out.data()), out.size()});
}

int64_t FullRangeInt64(const Stream& stream) {
  int64_t value;
  FillFullRange(stream, 0, {&value, 1});
  return value;
}

}  // namespace lockstep::random
