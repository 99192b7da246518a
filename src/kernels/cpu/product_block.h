#pragma once

#include <algorithm>
#include <cstdint>

#include "kernels/cpu/product_pack.h"
#include "kernels/cpu/product_tile.h"
#include "kernels/cpu/scratch.h"

namespace lockstep::kernels {

/// The columns of B for one block of the product, panel by panel: packed, or where they are.
template <typename T>
struct ColumnSource {
  const T* first = nullptr;
  int64_t panel_step = 0;  // from a panel to the next
  int64_t step = 0;        // from a depth step to the next
};

/// The rows of A for one block: element (i, k) of the block at first[i * row_step + k * step], or,
/// packed, a tile that begins at row i at first[i * depth], its rows side by side.
template <typename T>
struct RowSource {
  const T* first = nullptr;
  int64_t row_step = 0;
  int64_t step = 0;
  bool packed = false;

  void Point(Tile<T>& tile, int64_t row, int64_t depth) const {
    const T* at = first + row * (packed ? depth : row_step);
    const int64_t next = packed ? 1 : row_step;
    for (int i = 0; i < tile.rows; ++i) tile.a[i] = at + i * next;
    tile.a_step = packed ? tile.rows : step;
  }
};

/// Packs the rows of a transposed A, A(m, k) at a[k * a_stride + m], tile by tile.
template <typename T>
RowSource<T> PackTransposedTiles(const T* a, int64_t a_stride, int64_t depth,
                                 const TileRows& tiles) {
  T* packed = ThreadScratch<T>(ScratchUse::kPackedRows, tiles.rows * depth);
  PackTransposedRows(a, a_stride, depth, tiles, packed);
  return {packed, 1, 0, true};
}

}  // namespace lockstep::kernels
