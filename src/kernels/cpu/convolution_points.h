#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels/cpu/convolution_taps.h"
#include "kernels/cpu/product_tile.h"
#include "kernels/cpu/scratch.h"

namespace lockstep::kernels {

/// A convolution's result seen as a product: a row is one point (pixel) of the result, the depth
/// runs over taps and the source's channels, B is the filter packed in panels. Points of equal taps
/// share a tile wherever they lie, so that edges cost no more than their taps.
template <typename T>
struct PointProduct {
  // The source: what the taps read; its channels [source_channel, + depth) are used.
  const T* source = nullptr;
  int64_t source_height = 0, source_width = 0, source_channels = 0;
  int64_t source_channel = 0;
  int64_t depth = 0;
  // The result: its channels [result_channel, + columns) are written.
  T* result = nullptr;
  int64_t result_height = 0, result_width = 0, result_channels = 0;
  int64_t result_channel = 0;
  int64_t columns = 0;
  // The filter in panels of [filter_height * filter_width * depth][panel].
  const T* packed = nullptr;
  int64_t panel = 0, panel_step = 0, filter_width = 0;
  const T* bias = nullptr;
  bool relu = false;
  // Each result channel apart: it reads `depth` source channels, itself + multiples of `columns`,
  // and the filter is [filter_height * filter_width * depth][columns].
  bool apart = false;

  /// Computes the points of the rows [begin, end) of images * result_height.
  void Run(const std::vector<TapClass>& rows, const std::vector<TapClass>& columns, int64_t begin,
           int64_t end) const;

 private:
  struct Points;
  std::vector<TileSegment> Segments(const TapClass& rows, const TapClass& columns) const;
  void RunClass(const TapClass& rows, const TapClass& columns, int64_t begin, int64_t end) const;
  void RunPoints(const Points& points, const std::vector<TileSegment>& segments) const;
};

extern template struct PointProduct<float>;
extern template struct PointProduct<double>;

/// Appends a run to `segments`, or makes the last one longer where it goes on in both A and B.
inline void AppendSegment(std::vector<TileSegment>& segments, TileSegment next, int64_t a_step,
                          int64_t b_step) {
  if (!segments.empty()) {
    TileSegment& last = segments.back();
    if (last.a_offset + last.length * a_step == next.a_offset &&
        last.b_offset + last.length * b_step == next.b_offset) {
      last.length += next.length;
      return;
    }
  }
  segments.push_back(next);
}

}  // namespace lockstep::kernels
