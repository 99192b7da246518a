#include "kernels/cpu/widen.h"

#include <immintrin.h>

#include <bit>

#include "base/check.h"
#include "kernels/cpu/elementwise.h"

namespace lockstep::kernels {

namespace {

LOCKSTEP_VECTOR_LOOPS void WidenBFloat16(const uint16_t* from, float* to, int64_t count) {
  uint32_t* words = reinterpret_cast<uint32_t*>(to);
  for (int64_t i = 0; i < count; ++i) words[i] = static_cast<uint32_t>(from[i]) << 16;
}

LOCKSTEP_VECTOR_LOOPS void NarrowBFloat16(const float* from, uint16_t* to, int64_t count) {
  for (int64_t i = 0; i < count; ++i) {
    const uint32_t word = std::bit_cast<uint32_t>(from[i]);
    const uint32_t rounded = (word + 0x7fffu + ((word >> 16) & 1u)) >> 16;
    const uint32_t quiet = (word >> 16) | 0x40u;
    to[i] = static_cast<uint16_t>((word & 0x7fffffffu) > 0x7f800000u ? quiet : rounded);
  }
}

void WidenFloat16(const uint16_t* from, float* to, int64_t count) {
  int64_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const __m128i halves = _mm_loadu_si128(reinterpret_cast<const __m128i*>(from + i));
    _mm256_storeu_ps(to + i, _mm256_cvtph_ps(halves));
  }
  for (; i < count; ++i) to[i] = _cvtsh_ss(from[i]);
}

void NarrowFloat16(const float* from, uint16_t* to, int64_t count) {
  int64_t i = 0;
  for (; i + 8 <= count; i += 8) {
    const __m128i halves = _mm256_cvtps_ph(_mm256_loadu_ps(from + i), _MM_FROUND_TO_NEAREST_INT);
    _mm_storeu_si128(reinterpret_cast<__m128i*>(to + i), halves);
  }
  for (; i < count; ++i) to[i] = _cvtss_sh(from[i], _MM_FROUND_TO_NEAREST_INT);
}

}  // namespace

void Widen(DType dtype, const void* from, float* to, int64_t count) {
  const auto* halves = static_cast<const uint16_t*>(from);
  LOCKSTEP_CHECK(IsHalf(dtype));
  dtype == DType::kBFloat16 ? WidenBFloat16(halves, to, count) : WidenFloat16(halves, to, count);
}

void Narrow(DType dtype, const float* from, void* to, int64_t count) {
  auto* halves = static_cast<uint16_t*>(to);
  LOCKSTEP_CHECK(IsHalf(dtype));
  dtype == DType::kBFloat16 ? NarrowBFloat16(from, halves, count)
                            : NarrowFloat16(from, halves, count);
}

}  // namespace lockstep::kernels
