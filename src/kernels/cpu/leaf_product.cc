#include <algorithm>

#include "kernels/cpu/leaf_fold.h"
#include "kernels/cpu/product.h"
#include "kernels/cpu/product_block.h"

namespace lockstep::kernels {
namespace {

// So many examples, and any number in short leaves, are folded in registers. With longer
// leaves a fold through memory costs little, and the depth can be blocked.
constexpr int64_t kFewExamples = 2048;
constexpr int64_t kLongLeaf = 128;
constexpr int64_t kRowsThatPayPackedColumns = 64;
constexpr int64_t kExamplesThatPayPackingRows = 128;
// A leaf's sum in memory is to stay in the second level of the cache, with its neighbours.
constexpr int64_t kLeafProductElements = int64_t{1} << 16;
constexpr int64_t kLeastRowsOfLeafProduct = 128;

template <typename T>
ProductArguments<T> ProductOfLeaf(const LeafProductArguments<T>& p, const FoldStep& leaf) {
  ProductArguments<T> product;
  product.rows = p.rows;
  product.columns = p.columns;
  product.depth = leaf.length;
  product.a = p.a + leaf.first * p.a_stride;
  product.a_stride = p.a_stride;
  product.a_transposed = true;
  product.b = p.g + leaf.first * p.g_stride;
  product.b_stride = p.g_stride;
  product.c = p.c;
  product.c_stride = p.c_stride;
  return product;
}

// Leaf after leaf through memory.
template <typename T>
void FoldRowsInMemory(const LeafProductArguments<T>& p, const FoldPlan& plan, int64_t begin,
                      int64_t end) {
  const int64_t size = (end - begin) * p.columns;
  T* top = ThreadScratch<T>(ScratchUse::kLeafSums, plan.depth() * size);
  for (const FoldStep& leaf : plan) {
    ProductArguments<T> product = ProductOfLeaf(p, leaf);
    product.a += begin;
    product.c = top;
    product.c_stride = p.columns;
    Product(product, 0, end - begin);
    for (int64_t adds = leaf.adds; adds > 0; --adds, top -= size) AddInto(top - size, top, size);
    top += size;
  }
  for (int64_t m = begin; m < end; ++m) {
    std::copy_n(top - size + (m - begin) * p.columns, p.columns, p.c + m * p.c_stride);
  }
}

// All leaves of a tile in registers.
template <typename T>
void FoldRowsInRegisters(const LeafProductArguments<T>& p, const FoldPlan& plan, int64_t begin,
                         int64_t end) {
  const TileFunctions<T>& functions = ChosenTileFunctions<T>();
  const int64_t examples = p.offsets.back();
  const int64_t panel = functions.Panel(p.columns);
  const TileRows tiles(end - begin, functions.MaxRows(panel));
  const bool pack_rows = examples >= kExamplesThatPayPackingRows && p.columns >= 4 * panel;
  const RowSource<T> rows = pack_rows
                                ? PackTransposedTiles(p.a + begin, p.a_stride, examples, tiles)
                                : RowSource<T>{p.a + begin, 1, p.a_stride, false};
  const bool pack_columns = end - begin >= kRowsThatPayPackedColumns && p.g_stride > panel;
  LeafTile<T> tile;
  tile.steps = plan.begin();
  tile.num_steps = plan.size();
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
  const FoldPlan plan(p.offsets);
  if (plan.size() == 1) return Product(ProductOfLeaf(p, *plan.begin()), begin, end);
  if (plan.FitsRegisters() &&
      (p.offsets.back() <= kFewExamples || p.offsets.back() <= plan.size() * kLongLeaf)) {
    return FoldRowsInRegisters(p, plan, begin, end);
  }
  const int64_t block = std::max(kLeastRowsOfLeafProduct, kLeafProductElements / p.columns);
  for (int64_t m = begin; m < end; m += block) {
    FoldRowsInMemory(p, plan, m, std::min(end, m + block));
  }
}

template void LeafProduct(const LeafProductArguments<float>&, int64_t, int64_t);
template void LeafProduct(const LeafProductArguments<double>&, int64_t, int64_t);

}  // namespace lockstep::kernels
