#pragma once

#include <algorithm>
#include <cstdint>

namespace lockstep::kernels {

/// Rows cut into tiles of nearly equal height.
struct TileRows {
  TileRows(int64_t rows, int max_rows)
      : rows(rows),
        tiles((rows + max_rows - 1) / max_rows),
        height(rows / tiles),
        higher(rows % tiles) {}
  int64_t Begin(int64_t tile) const { return tile * height + std::min(tile, higher); }

  int64_t rows;
  int64_t tiles;
  int64_t height;
  int64_t higher;  // the first tiles, that have a row more
};

/// Copies B's depth steps and columns into panels of `panel` columns: element (k, n) goes to
/// packed[(n / panel) * depth * panel + k * panel + n % panel]. B(k, n) is at b[k * b_stride + n],
/// or with `transposed` at b[n * b_stride + k]. Columns past the last are left unwritten.
template <typename T>
void PackColumns(const T* b, int64_t b_stride, bool transposed, int64_t depth, int64_t columns,
                 int64_t panel, T* packed);

/// Copies the rows of a transposed A, A(m, k) at a[k * a_stride + m], so that a tile's rows lie
/// side by side: element (m, k) goes to packed[b * depth + k * height + m - b], where b is the
/// first row of its tile, and the tile has `height` rows, at most kMaxTileRows.
template <typename T>
void PackTransposedRows(const T* a, int64_t a_stride, int64_t depth, const TileRows& tiles,
                        T* packed);

extern template void PackColumns(const float*, int64_t, bool, int64_t, int64_t, int64_t, float*);
extern template void PackColumns(const double*, int64_t, bool, int64_t, int64_t, int64_t, double*);
template <>
void PackTransposedRows(const float*, int64_t, int64_t, const TileRows&, float*);
template <>
void PackTransposedRows(const double*, int64_t, int64_t, const TileRows&, double*);

}  // namespace lockstep::kernels
