#include "kernels/cpu/convolution_taps.h"

#include <algorithm>

namespace lockstep::kernels {
namespace {

// Puts `position` into the class that has `taps`, which fall on `sources`.
void Insert(std::vector<TapClass>& classes, int64_t position, const std::vector<int64_t>& taps,
            const std::vector<int64_t>& sources) {
  auto found = std::find_if(classes.begin(), classes.end(),
                            [&](const TapClass& known) { return known.taps == taps; });
  const int64_t first = sources.empty() ? 0 : sources.front();
  if (found == classes.end()) {
    found = classes.insert(classes.end(), TapClass{taps, sources, {}, {}});
    for (int64_t& offset : found->offsets) offset -= first;
  }
  found->positions.push_back(position);
  found->sources.push_back(first);
}

}  // namespace

TapAxis TapAxis::Height(const ConvolutionShape& shape) {
  return {shape.input_height,  shape.output_height,   shape.filter_height,
          shape.stride_height, shape.dilation_height, shape.padding_top};
}

TapAxis TapAxis::Width(const ConvolutionShape& shape) {
  return {shape.input_width,  shape.output_width,   shape.filter_width,
          shape.stride_width, shape.dilation_width, shape.padding_left};
}

std::vector<TapClass> TapAxis::OutputClasses() const {
  std::vector<TapClass> classes;
  std::vector<int64_t> taps, sources;
  for (int64_t position = 0; position < output; ++position) {
    taps.clear();
    sources.clear();
    for (int64_t tap = 0; tap < filter; ++tap) {
      const int64_t source = position * stride - padding + tap * dilation;
      if (source < 0 || source >= input) continue;
      taps.push_back(tap);
      sources.push_back(source);
    }
    Insert(classes, position, taps, sources);
  }
  return classes;
}

std::vector<TapClass> TapAxis::InputClasses() const {
  std::vector<TapClass> classes;
  std::vector<int64_t> taps, sources;
  for (int64_t position = 0; position < input; ++position) {
    taps.clear();
    sources.clear();
    for (int64_t tap = 0; tap < filter; ++tap) {
      const int64_t distance = position + padding - tap * dilation;
      if (distance < 0 || distance % stride != 0 || distance / stride >= output) continue;
      taps.push_back(tap);
      sources.push_back(distance / stride);
    }
    Insert(classes, position, taps, sources);
  }
  return classes;
}

void TapAxis::Window(int64_t tap, int64_t& first, int64_t& last) const {
  // 0 <= position * stride - padding + tap * dilation < input
  const int64_t start = padding - tap * dilation;
  first = start <= 0 ? 0 : (start + stride - 1) / stride;
  last = start + input <= 0 ? 0 : (start + input - 1) / stride + 1;
  first = std::min(first, output);
  last = std::max(first, std::min(last, output));
}

}  // namespace lockstep::kernels
