#pragma once

#include <cstdint>

/// A filter's gradient from output gradients that are zero nearly everywhere, some output rows at a
/// time: of a channel all its pixels that are not zero one after another, so that the sums of the
/// filter's elements stay in registers.
namespace lockstep::kernels {

/// Some output rows of an image. A pixel's patch is what the filter meets there, of the elements
/// that are summed: vectors at `offsets` from the patch's place.
template <typename T>
struct SparseBand {
  const T* gradient = nullptr;     // [pixels][channels]
  const uint64_t* bits = nullptr;  // [channels][words]: the pixels that are not zero
  int64_t channels = 0, words = 0;
  const T* input = nullptr;
  const int64_t* places = nullptr;   // of the pixels' patches, from `input`
  const int64_t* offsets = nullptr;  // of the vectors, from a patch's place
  int64_t vectors = 0;
  bool runs_of_three = false;  // of each three vectors the second and third lie behind the first
  T* sums = nullptr;           // [channels][panel], the chains so far; the vectors side by side
  int64_t panel = 0;
  // Where what is wanted soon begins, and how much there is of it.
  const T* next_gradient = nullptr;
  const T* next_input = nullptr;
  int64_t next_gradients = 0, next_inputs = 0;
};

/// Carries the chains on by all pixels of the band, ascending.
void AddBand(const SparseBand<float>& band);
void AddBand(const SparseBand<double>& band);

/// The elements of a vector on this processor.
int64_t BandLanes(float);
int64_t BandLanes(double);

/// bits[channel][words] from pixels[pixel][words of a pixel], with zeros behind the last pixel.
void TransposeBits(const uint64_t* pixels, int64_t count, int64_t channels, uint64_t* bits);

}  // namespace lockstep::kernels
