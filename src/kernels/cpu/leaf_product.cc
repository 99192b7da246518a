#include <algorithm>
#include <cstring>

#include "kernels/cpu/leaf_fold.h"
#include "kernels/cpu/product.h"
#include "kernels/cpu/product_block.h"

namespace lockstep::kernels {
namespace {

// Leaves shorter than this are folded in registers; with longer ones a fold through memory costs
// little, and the depth can be blocked.
constexpr int64_t kLongLeaf = 256;
constexpr int64_t kRowsThatPayPacking = 64;
constexpr int64_t kExamplesThatPayPackingRows = 128;
// A leaf's sum in memory is to stay in the second level of the cache, with its neighbours.
constexpr int64_t kLeafSumElements = int64_t{1} << 16;
constexpr int64_t kLeastRowsOfLeafSum = 128;

template <typename T>
ProductArguments<T> ProductOfLeaf(const LeafProductArguments<T>& p, size_t leaf) {
  ProductArguments<T> product;
  product.rows = p.rows;
  product.columns = p.columns;
  product.depth = p.offsets[leaf + 1] - p.offsets[leaf];
  product.a = p.a + p.offsets[leaf] * p.a_stride;
  product.a_stride = p.a_stride;
  product.a_transposed = true;
  product.b = p.g + p.offsets[leaf] * p.g_stride;
  product.b_stride = p.g_stride;
  product.c = p.c;
  product.c_stride = p.c_stride;
  return product;
}

// Leaf after leaf through memory.
template <typename T>
void FoldRowsInMemory(const LeafProductArguments<T>& p, int64_t begin, int64_t end) {
  const size_t num_leaves = p.offsets.size() - 1;
  const int64_t size = (end - begin) * p.columns;
  const int64_t buffers = LeafFold<T>::BuffersNeeded(static_cast<int64_t>(num_leaves));
  LeafFold<T> fold(ThreadScratch<T>(ScratchUse::kLeafSums, buffers * size), size);
  for (size_t leaf = 0; leaf < num_leaves; ++leaf) {
    ProductArguments<T> product = ProductOfLeaf(p, leaf);
    if (product.depth > 0) {
      product.a += begin;
      product.c = fold.Next();
      product.c_stride = p.columns;
      Product(product, 0, end - begin);
    }
    fold.Push(product.depth > 0);
  }
  const T* sum = fold.Finish();
  for (int64_t m = begin; m < end; ++m) {
    T* c = p.c + m * p.c_stride;
    if (sum == nullptr) {
      std::fill(c, c + p.columns, T{0});
    } else {
      std::copy_n(sum + (m - begin) * p.columns, p.columns, c);
    }
  }
}

// All leaves of a tile in registers.
template <typename T>
void FoldRowsInRegisters(const LeafProductArguments<T>& p, int64_t begin, int64_t end) {
  const TileFunctions<T>& functions = ChosenTileFunctions<T>();
  const int64_t examples = p.offsets.back();
  const int64_t panel = functions.Panel(p.columns);
  const TileRows tiles(end - begin, functions.MaxRows(panel));
  const bool pack_rows = examples >= kExamplesThatPayPackingRows && p.columns >= 4 * panel;
  const RowSource<T> rows = pack_rows
                                ? PackTransposedTiles(p.a + begin, p.a_stride, examples, tiles)
                                : RowSource<T>{p.a + begin, 1, p.a_stride, false};
  const bool pack_columns = end - begin >= kRowsThatPayPacking && p.g_stride > panel;
  LeafTile<T> tile;
  tile.offsets = p.offsets.data();
  tile.num_leaves = static_cast<int64_t>(p.offsets.size()) - 1;
  for (int64_t n = 0; n < p.columns; n += panel) {
    tile.columns = static_cast<int>(std::min(panel, p.columns - n));
    tile.b = p.g + n;
    tile.b_step = p.g_stride;
    if (pack_columns) {
      T* packed = ThreadScratch<T>(ScratchUse::kPackedColumns, examples * panel);
      PackColumns(tile.b, p.g_stride, false, examples, tile.columns, panel, packed);
      tile.b = packed;
      tile.b_step = panel;
    }
    for (int64_t t = 0; t < tiles.tiles; ++t) {
      const int64_t row = tiles.Begin(t);
      tile.rows = static_cast<int>(tiles.Begin(t + 1) - row);
      rows.Point(tile, row, examples);
      for (int i = 0; i < tile.rows; ++i) tile.c[i] = p.c + (begin + row + i) * p.c_stride + n;
      functions.leaf_product(tile);
    }
  }
}

}  // namespace

template <typename T>
void LeafProduct(const LeafProductArguments<T>& p, int64_t begin, int64_t end) {
  if (begin >= end || p.columns == 0) return;
  const int64_t num_leaves = static_cast<int64_t>(p.offsets.size()) - 1;
  if (num_leaves == 1) return Product(ProductOfLeaf(p, 0), begin, end);
  if (num_leaves <= kMaxTileLeaves && p.offsets.back() < num_leaves * kLongLeaf) {
    return FoldRowsInRegisters(p, begin, end);
  }
  const int64_t block = std::max(kLeastRowsOfLeafSum, kLeafSumElements / p.columns);
  for (int64_t m = begin; m < end; m += block) FoldRowsInMemory(p, m, std::min(end, m + block));
}

template void LeafProduct(const LeafProductArguments<float>&, int64_t, int64_t);
template void LeafProduct(const LeafProductArguments<double>&, int64_t, int64_t);

}  // namespace lockstep::kernels
