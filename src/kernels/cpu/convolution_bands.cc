#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/convolution_bands.cc"
#include "kernels/cpu/convolution_bands.h"

#include <algorithm>
#include <bit>
#include <utility>

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/cpu/register_sums-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The sums of a channel that are made at once; a few registers are left.
constexpr int kMostVectors = HWY_TARGET <= HWY_AVX3 ? 18 : 12;

// What comes next, into the second level of the cache, in a share for each channel.
template <typename T>
struct Fetch {
  HWY_INLINE Fetch(const T* from, int64_t count, int64_t channels)
      : from(from), end(from + count), share((count + channels - 1) / channels) {}
  HWY_INLINE void Share() {
    constexpr int64_t kLine = 64 / sizeof(T);
    const T* const last = std::min(from + share, end);
    for (; from < last; from += kLine) __builtin_prefetch(from, 0, 2);
  }

  const T* from;
  const T* const end;
  const int64_t share;
};

// kUnits times kUnit vectors side by side, from vector `first` on.
template <typename T, int kUnits, int kUnit>
void AddVectors(const SparseBand<T>& band, int64_t first) {
  using S = Sums<T, 1, kUnits * kUnit, false>;
  const hn::ScalableTag<T> d;
  const int64_t channels = band.channels;
  int64_t offsets[kUnits];
  for (int u = 0; u < kUnits; ++u) offsets[u] = band.offsets[first + u * kUnit];
  Fetch<T> gradients(band.next_gradient, first == 0 ? band.next_gradients : 0, channels);
  Fetch<T> inputs(band.next_input, first == 0 ? band.next_inputs : 0, channels);
  for (int64_t channel = 0; channel < channels; ++channel) {
    gradients.Share();
    inputs.Share();
    S sums(kUnits * kUnit * S::kLanes);
    T* const to = band.sums + channel * band.panel + first * S::kLanes;
    sums.LoadFrom(&to);
    for (int64_t word = 0; word < band.words; ++word) {
      for (uint64_t left = band.bits[channel * band.words + word]; left != 0; left &= left - 1) {
        const int64_t pixel = word * 64 + std::countr_zero(left);
        const auto factor = hn::Set(d, band.gradient[pixel * channels + channel]);
        const T* patch = band.input + band.places[pixel];
        LOCKSTEP_UNROLL
        for (int u = 0; u < kUnits; ++u) {
          const T* from = patch + offsets[u];
          LOCKSTEP_UNROLL
          for (int j = 0; j < kUnit; ++j) {
            auto& sum = sums.sum[0][u * kUnit + j];
            sum = hn::MulAdd(factor, hn::LoadU(d, from + j * S::kLanes), sum);
          }
        }
      }
    }
    sums.StoreTo(&to);
  }
}

template <int kUnit, typename T, size_t... kUnits>
void AddUnits(const SparseBand<T>& band, std::index_sequence<kUnits...>) {
  static constexpr void (*kFunctions[])(const SparseBand<T>&,
                                        int64_t) = {AddVectors<T, kUnits + 1, kUnit>...};
  const int64_t units = band.vectors / kUnit, most = sizeof...(kUnits);
  const int64_t parts = (units + most - 1) / most;
  for (int64_t part = 0; part < parts; ++part) {
    const int64_t first = units * part / parts;
    kFunctions[units * (part + 1) / parts - first - 1](band, first * kUnit);
  }
}

// With filters three pixels wide all runs are multiples of three vectors, which need one address.
template <typename T>
void AddAnyBand(const SparseBand<T>& band) {
  if (band.runs_of_three) {
    AddUnits<3>(band, std::make_index_sequence<kMostVectors / 3>());
  } else {
    AddUnits<1>(band, std::make_index_sequence<kMostVectors>());
  }
}

void AddBandOfFloats(const SparseBand<float>& band) { AddAnyBand(band); }
void AddBandOfDoubles(const SparseBand<double>& band) { AddAnyBand(band); }
int64_t VectorBytes() { return HWY_MAX_BYTES; }

}  // namespace lockstep::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lockstep::kernels {

HWY_EXPORT(AddBandOfFloats);
HWY_EXPORT(AddBandOfDoubles);
HWY_EXPORT(VectorBytes);

namespace {

// Bit p of a[c] becomes bit c of a[p]: blocks of half the size change places, ever smaller.
void TransposeSquare(uint64_t* a) {
  uint64_t mask = 0xffffffff;
  for (int half = 32; half != 0; half /= 2, mask ^= mask << half) {
    for (int i = 0; i < 64; i = ((i | half) + 1) & ~half) {
      const uint64_t change = ((a[i] >> half) ^ a[i | half]) & mask;
      a[i] ^= change << half;
      a[i | half] ^= change;
    }
  }
}

}  // namespace

void AddBand(const SparseBand<float>& band) { HWY_DYNAMIC_DISPATCH(AddBandOfFloats)(band); }
void AddBand(const SparseBand<double>& band) { HWY_DYNAMIC_DISPATCH(AddBandOfDoubles)(band); }

int64_t BandLanes(float) { return HWY_DYNAMIC_DISPATCH(VectorBytes)() / sizeof(float); }
int64_t BandLanes(double) { return HWY_DYNAMIC_DISPATCH(VectorBytes)() / sizeof(double); }

void TransposeBits(const uint64_t* pixels, int64_t count, int64_t channels, uint64_t* bits) {
  const int64_t words = (count + 63) / 64, pixel_words = (channels + 63) / 64;
  for (int64_t word = 0; word < words; ++word) {
    const int64_t some = std::min<int64_t>(64, count - word * 64);
    for (int64_t c = 0; c < channels; c += 64) {
      uint64_t square[64] = {};
      for (int64_t p = 0; p < some; ++p) square[p] = pixels[(word * 64 + p) * pixel_words + c / 64];
      TransposeSquare(square);
      const int64_t end = std::min<int64_t>(64, channels - c);
      for (int64_t i = 0; i < end; ++i) bits[(c + i) * words + word] = square[i];
    }
  }
}

}  // namespace lockstep::kernels
#endif
