// Which elements of memory are zero; once per instruction set.
#if defined(LOCKSTEP_NONZERO_BITS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCKSTEP_NONZERO_BITS_INL_H_
#undef LOCKSTEP_NONZERO_BITS_INL_H_
#else
#define LOCKSTEP_NONZERO_BITS_INL_H_
#endif

#include <algorithm>
#include <bit>
#include <cstdint>

#include <hwy/highway.h>

#ifndef LOCKSTEP_UNROLL
#define LOCKSTEP_UNROLL _Pragma("GCC unroll 16")
#endif

HWY_BEFORE_NAMESPACE();
namespace lockstep::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The first `count` elements of a vector, behind them zeros; nothing behind them is read.
template <typename D, typename T = hn::TFromD<D>>
HWY_INLINE hn::Vec<D> LoadSome(D d, const T* from, int64_t count) {
  if constexpr (sizeof(T) >= 4) {
    return hn::MaskedLoad(hn::FirstN(d, static_cast<size_t>(count)), d, from);
  } else {  // AVX2 masks loads of four bytes and more
    HWY_ALIGN T some[HWY_MAX_BYTES / sizeof(T)] = {};
    std::copy_n(from, count, some);
    return hn::Load(d, some);
  }
}

// Bit i: whether from[i] is not zero, of `count` elements, at most a vector. A NaN is not zero.
template <typename T>
HWY_INLINE uint64_t NonzeroBits(const T* from, int64_t count) {
  const hn::ScalableTag<T> d;
  constexpr int64_t kLanes = HWY_MAX_BYTES / sizeof(T);
  const auto values = HWY_LIKELY(count >= kLanes) ? hn::LoadU(d, from) : LoadSome(d, from, count);
  uint64_t zeros = 0;
  hn::StoreMaskBits(d, hn::Eq(values, hn::Zero(d)), reinterpret_cast<uint8_t*>(&zeros));
  return zeros ^ (~uint64_t{0} >> (64 - kLanes));
}

// Writes the bits of `count` elements, 64 a word, and gives the number of all that are set.
template <typename T>
HWY_INLINE int64_t MapNonzero(const T* from, int64_t count, uint64_t* bits) {
  constexpr int64_t kLanes = HWY_MAX_BYTES / sizeof(T);
  int64_t nonzero = 0, block = 0;
  for (; block + 64 <= count; block += 64, ++bits) {
    uint64_t word = 0;
    LOCKSTEP_UNROLL
    for (int64_t i = 0; i < 64; i += kLanes) word |= NonzeroBits(from + block + i, kLanes) << i;
    nonzero += std::popcount(word);
    *bits = word;
  }
  if (block < count) {
    uint64_t word = 0;
    for (int64_t i = 0; block + i < count; i += kLanes)
      word |= NonzeroBits(from + block + i, count - block - i) << i;
    nonzero += std::popcount(word);
    *bits = word;
  }
  return nonzero;
}

}  // namespace lockstep::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // toggle
