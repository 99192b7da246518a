#pragma once

#include <cstdint>

#include "kernels/cpu/convolution.h"

/// Depthwise convolutions: every channel is a group of its own.
namespace lockstep::kernels {

inline bool IsDepthwise(const ConvolutionShape& shape) {
  return shape.groups > 1 && shape.groups == shape.input_channels;
}

/// to[p][c * multiplier + q] = from[p][c]: each channel beside its copies.
template <typename T>
void RepeatChannels(const T* from, int64_t pixels, int64_t channels, int64_t multiplier, T* to) {
  for (int64_t i = 0; i < pixels * channels; ++i) {
    for (int64_t q = 0; q < multiplier; ++q) *to++ = from[i];
  }
}

/// to[p][q][c] = from[p][c * multiplier + q]: the channels' q-th outputs side by side.
template <typename T>
void PlanesOfOutputs(const T* from, int64_t pixels, int64_t channels, int64_t multiplier, T* to) {
  for (int64_t p = 0; p < pixels; ++p, from += channels * multiplier) {
    for (int64_t q = 0; q < multiplier; ++q) {
      for (int64_t c = 0; c < channels; ++c) *to++ = from[c * multiplier + q];
    }
  }
}

template <typename T>
void DepthwiseForward(const ConvolutionArguments<T>& arguments, int64_t begin, int64_t end);
template <typename T>
void DepthwiseDataGradient(const ConvolutionArguments<T>& arguments, int64_t begin, int64_t end);

extern template void DepthwiseForward(const ConvolutionArguments<float>&, int64_t, int64_t);
extern template void DepthwiseForward(const ConvolutionArguments<double>&, int64_t, int64_t);
extern template void DepthwiseDataGradient(const ConvolutionArguments<float>&, int64_t, int64_t);
extern template void DepthwiseDataGradient(const ConvolutionArguments<double>&, int64_t, int64_t);

}  // namespace lockstep::kernels
