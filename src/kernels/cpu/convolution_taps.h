#pragma once

#include <cstdint>
#include <vector>

#include "kernels/cpu/convolution.h"

namespace lockstep::kernels {

/// Positions along one axis of a convolution's result that have the same taps inside the other
/// image.
struct TapClass {
  std::vector<int64_t> taps;       // ascending
  std::vector<int64_t> offsets;    // of each tap's source from the first tap's
  std::vector<int64_t> positions;  // ascending
  std::vector<int64_t> sources;    // of each position: where its first tap falls; 0 without taps
};

/// One axis of a convolution.
struct TapAxis {
  int64_t input;
  int64_t output;
  int64_t filter;
  int64_t stride;
  int64_t dilation;
  int64_t padding;

  static TapAxis Height(const ConvolutionShape& shape);
  static TapAxis Width(const ConvolutionShape& shape);

  /// The classes of output positions; a tap's source is an input position.
  std::vector<TapClass> OutputClasses() const;
  /// The classes of input positions; a tap's source is an output position.
  std::vector<TapClass> InputClasses() const;
  /// The output positions [first, last) for which `tap` falls into the input.
  void Window(int64_t tap, int64_t& first, int64_t& last) const;
};

}  // namespace lockstep::kernels
