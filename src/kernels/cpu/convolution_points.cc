#include "kernels/cpu/convolution_points.h"

#include "kernels/cpu/product_block.h"

namespace lockstep::kernels {

// Points that are computed panel by panel, so that a panel of the filter is read from the nearest
// cache.
template <typename T>
struct PointProduct<T>::Points {
  static constexpr int kMost = 96;
  const T* source[kMost];
  T* result[kMost];
  int count = 0;
};

template <typename T>
std::vector<TileSegment> PointProduct<T>::Segments(const TapClass& rows,
                                                   const TapClass& columns) const {
  std::vector<TileSegment> segments;
  for (size_t h = 0; h < rows.taps.size(); ++h) {
    for (size_t w = 0; w < columns.taps.size(); ++w) {
      const int64_t tap = rows.taps[h] * filter_width + columns.taps[w];
      const int64_t offset =
          (rows.offsets[h] * source_width + columns.offsets[w]) * source_channels;
      if (apart) {
        for (int64_t q = 0; q < depth; ++q) {
          segments.push_back({offset + q * this->columns, (tap * depth + q) * this->columns, 1});
        }
        continue;
      }
      AppendSegment(segments, {offset, tap * depth * panel, depth}, 1, panel);
    }
  }
  return segments;
}

template <typename T>
void PointProduct<T>::RunPoints(const Points& points,
                                const std::vector<TileSegment>& segments) const {
  const TileFunctions<T>& functions = ChosenTileFunctions<T>();
  const TileRows tiles(points.count, functions.MaxRows(panel));
  Tile<T> tile;
  tile.segments = segments.data();
  tile.num_segments = static_cast<int64_t>(segments.size());
  tile.relu = relu;
  tile.b = packed;
  tile.b_step = panel;
  for (int64_t n = 0; n < columns; n += panel, tile.b += apart ? panel : panel_step) {
    tile.columns = static_cast<int>(std::min(panel, columns - n));
    tile.bias = bias == nullptr ? nullptr : bias + n;
    for (int64_t t = 0; t < tiles.tiles; ++t) {
      const int64_t first = tiles.Begin(t);
      tile.rows = static_cast<int>(tiles.Begin(t + 1) - first);
      for (int i = 0; i < tile.rows; ++i) {
        tile.a[i] = points.source[first + i] + (apart ? n : 0);
        tile.c[i] = points.result[first + i] + n;
      }
      apart ? functions.product_apart(tile) : functions.product(tile);
    }
  }
}

template <typename T>
void PointProduct<T>::RunClass(const TapClass& rows, const TapClass& columns, int64_t begin,
                               int64_t end) const {
  const std::vector<TileSegment> segments = Segments(rows, columns);
  Points points;
  for (int64_t image = begin / result_height; image * result_height < end; ++image) {
    for (size_t h = 0; h < rows.positions.size(); ++h) {
      const int64_t row = image * result_height + rows.positions[h];
      if (row < begin || row >= end) continue;
      const T* source_row =
          source + (image * source_height + rows.sources[h]) * source_width * source_channels +
          source_channel;
      T* result_row = result + row * result_width * result_channels + result_channel;
      for (size_t w = 0; w < columns.positions.size(); ++w) {
        points.source[points.count] = source_row + columns.sources[w] * source_channels;
        points.result[points.count] = result_row + columns.positions[w] * result_channels;
        if (++points.count < Points::kMost) continue;
        RunPoints(points, segments);
        points.count = 0;
      }
    }
  }
  if (points.count > 0) RunPoints(points, segments);
}

template <typename T>
void PointProduct<T>::Run(const std::vector<TapClass>& row_classes,
                          const std::vector<TapClass>& column_classes, int64_t begin,
                          int64_t end) const {
  for (const TapClass& rows : row_classes) {
    for (const TapClass& columns : column_classes) RunClass(rows, columns, begin, end);
  }
}

template struct PointProduct<float>;
template struct PointProduct<double>;

}  // namespace lockstep::kernels
