#include "kernels/cpu/product.h"

#include <algorithm>

#include "kernels/cpu/product_block.h"

namespace lockstep::kernels {
namespace {

// A panel of B of this depth, and a block of A, stay in the second level of the cache.
constexpr int64_t kDepthBlock = 1024;
constexpr int64_t kBlockBytes = int64_t{1} << 18;
constexpr int64_t kPackedBytes = int64_t{1} << 22;
// Packing reads and writes B once: it pays when so many rows use it.
constexpr int64_t kRowsThatPayPacking = 48;
constexpr int64_t kDepthThatPaysPackingRows = 128;

// One block of a product: rows [row, row_end), columns [column, column_end), and a part of the
// depth.
struct Block {
  int64_t row, row_end;
  int64_t column, column_end;
  int64_t k, depth;
};

template <typename T>
ColumnSource<T> Columns(const ProductArguments<T>& p, const Block& block, int64_t range_rows,
                        int64_t panel) {
  const int64_t columns = block.column_end - block.column;
  const bool pack = p.b_transposed || (range_rows >= kRowsThatPayPacking && p.b_stride > panel);
  if (!pack) return {p.b + block.k * p.b_stride + block.column, panel, p.b_stride};
  const int64_t panels = (columns + panel - 1) / panel;
  T* packed = ThreadScratch<T>(ScratchUse::kPackedColumns, panels * panel * block.depth);
  const T* first = p.b_transposed ? p.b + block.column * p.b_stride + block.k
                                  : p.b + block.k * p.b_stride + block.column;
  PackColumns(first, p.b_stride, p.b_transposed, block.depth, columns, panel, packed);
  return {packed, panel * block.depth, panel};
}

template <typename T>
RowSource<T> Rows(const ProductArguments<T>& p, const Block& block, const TileRows& tiles,
                  int64_t panel) {
  if (!p.a_transposed) return {p.a + block.row * p.a_stride + block.k, p.a_stride, 1, false};
  const T* first = p.a + block.k * p.a_stride + block.row;
  if (block.depth >= kDepthThatPaysPackingRows && block.column_end - block.column >= 4 * panel) {
    return PackTransposedTiles(first, p.a_stride, block.depth, tiles);
  }
  return {first, 1, p.a_stride, false};
}

template <typename T>
void ComputeBlock(const ProductArguments<T>& p, const Block& block, const ColumnSource<T>& columns,
                  const TileFunctions<T>& functions, int64_t panel) {
  const TileRows tiles(block.row_end - block.row, functions.MaxRows(panel));
  const RowSource<T> rows = Rows(p, block, tiles, panel);
  const TileSegment segment = {0, 0, block.depth};
  const bool last = block.k + block.depth == p.depth;
  Tile<T> tile;
  tile.segments = &segment;
  tile.num_segments = 1;
  tile.accumulate = block.k > 0;
  tile.relu = last && p.relu;
  tile.b = columns.first;
  tile.b_step = columns.step;
  for (int64_t n = block.column; n < block.column_end; n += panel, tile.b += columns.panel_step) {
    tile.columns = static_cast<int>(std::min(panel, block.column_end - n));
    tile.bias = last && p.bias != nullptr ? p.bias + n : nullptr;
    for (int64_t t = 0; t < tiles.tiles; ++t) {
      const int64_t row = tiles.Begin(t);
      tile.rows = static_cast<int>(tiles.Begin(t + 1) - row);
      rows.Point(tile, row, block.depth);
      T* c = p.c + (block.row + row) * p.c_stride + n;
      for (int i = 0; i < tile.rows; ++i) tile.c[i] = c + i * p.c_stride;
      functions.product(tile);
    }
  }
}

// The length of `count`'s blocks, of nearly equal size, at most `block` (and at least one).
int64_t EqualBlock(int64_t count, int64_t block) {
  const int64_t blocks = std::max<int64_t>(1, (count + block - 1) / block);
  return std::max<int64_t>(1, (count + blocks - 1) / blocks);
}

}  // namespace

template <typename T>
void Product(const ProductArguments<T>& p, int64_t begin, int64_t end) {
  if (begin >= end || p.columns == 0) return;
  const TileFunctions<T>& functions = ChosenTileFunctions<T>();
  const int64_t panel = functions.Panel(p.columns);
  const int64_t depth_block = EqualBlock(p.depth, kDepthBlock);
  const int64_t bytes = static_cast<int64_t>(sizeof(T)) * depth_block;
  const int64_t row_block = std::max<int64_t>(1, kBlockBytes / bytes / functions.MaxRows(panel)) *
                            functions.MaxRows(panel);
  const int64_t column_block = std::max<int64_t>(1, kPackedBytes / bytes / panel) * panel;
  int64_t k = 0;
  do {  // a depth of 0 has one block, of zeros
    Block block = {};
    block.k = k;
    block.depth = std::min(depth_block, p.depth - k);
    for (int64_t n = 0; n < p.columns; n += column_block) {
      block.column = n;
      block.column_end = std::min(p.columns, n + column_block);
      const ColumnSource<T> columns = Columns(p, block, end - begin, panel);
      for (int64_t m = begin; m < end; m += row_block) {
        block.row = m;
        block.row_end = std::min(end, m + row_block);
        ComputeBlock(p, block, columns, functions, panel);
      }
    }
    k += depth_block;
  } while (k < p.depth);
}

template void Product(const ProductArguments<float>&, int64_t, int64_t);
template void Product(const ProductArguments<double>&, int64_t, int64_t);

}  // namespace lockstep::kernels
