#include "kernels/cpu/product.h"

#include <algorithm>

#include "kernels/cpu/product_block.h"

namespace lockstep::kernels {
namespace {

// A panel of B of this depth stays in the second level of the cache, and so does a block of A.
constexpr int64_t kDepthBlock = 1024;
constexpr int64_t kRowBytes = int64_t{1} << 20;
constexpr int64_t kLeastRowBlock = 48;
// Columns are packed just before they are used; for several blocks of rows, or where they are
// transposed and cost more, many at once.
constexpr int64_t kColumnBytes = int64_t{1} << 18;
constexpr int64_t kManyColumnsBytes = int64_t{1} << 23;
// Packing reads and writes B once: it pays when so many rows use it.
constexpr int64_t kRowsThatPayPacking = 48;
constexpr int64_t kDepthThatPaysPackingRows = 128;
constexpr int64_t kPanelsThatPayPackingRows = 4;

// Blocks of nearly equal size, at most `most` (and at least one), that `count` is cut into.
int64_t EqualBlock(int64_t count, int64_t most) {
  const int64_t blocks = std::max<int64_t>(1, (count + most - 1) / most);
  return std::max<int64_t>(1, (count + blocks - 1) / blocks);
}

// A part [first, last) of rows, columns or depth.
struct Part {
  int64_t first, last;
  int64_t size() const { return last - first; }
};

// One call's walk over the blocks of a product: depth, then (transposed) columns, rows, columns.
template <typename T>
class ProductWalk {
 public:
  ProductWalk(const ProductArguments<T>& arguments, Part range)
      : p_(arguments),
        range_(range),
        panel_(functions_.Panel(p_.columns)),
        depth_block_(EqualBlock(p_.depth, kDepthBlock)),
        row_block_(EqualBlock(range.size(), std::max<int64_t>(kLeastRowBlock, Lines(kRowBytes)))) {}

  void Run() {
    for (depth_ = {0, depth_block_};; depth_ = {depth_.last, depth_.last + depth_block_}) {
      depth_.last = std::min(depth_.last, p_.depth);
      RunDepth();
      if (depth_.last == p_.depth) return;  // a depth of 0 has one part, of zeros
    }
  }

 private:
  // How many lines of the depth's part fill so many bytes.
  int64_t Lines(int64_t bytes) const {
    return bytes / (depth_block_ * static_cast<int64_t>(sizeof(T)));
  }
  int64_t ColumnBlock(int64_t bytes) const {
    return std::max(panel_, Lines(bytes) / panel_ * panel_);
  }

  void RunDepth() {
    const bool one_block_of_rows = range_.size() <= row_block_;
    if (!p_.b_transposed && one_block_of_rows) return RunRows({0, p_.columns}, nullptr);
    const int64_t block = ColumnBlock(kManyColumnsBytes);
    for (int64_t n = 0; n < p_.columns; n += block) {
      const Part columns = {n, std::min(p_.columns, n + block)};
      const ColumnSource<T> packed = Pack(columns);
      RunRows(columns, &packed);
    }
  }

  void RunRows(Part columns, const ColumnSource<T>* packed) {
    const int64_t block = packed != nullptr ? columns.size() : ColumnBlock(kColumnBytes);
    const bool pack = range_.size() >= kRowsThatPayPacking && p_.b_stride > panel_;
    for (int64_t m = range_.first; m < range_.last; m += row_block_) {
      const Part rows = {m, std::min(range_.last, m + row_block_)};
      const TileRows tiles(rows.size(), functions_.MaxRows(panel_));
      const RowSource<T> a = Rows(rows, tiles);
      for (int64_t n = columns.first; n < columns.last; n += block) {
        const Part part = {n, std::min(columns.last, n + block)};
        const ColumnSource<T> b =
            packed != nullptr ? *packed
            : pack            ? Pack(part)
                   : ColumnSource<T>{p_.b + depth_.first * p_.b_stride + n, panel_, p_.b_stride};
        RunTiles(rows.first, tiles, a, part, b);
      }
    }
  }

  ColumnSource<T> Pack(Part columns) const {
    const int64_t panels = (columns.size() + panel_ - 1) / panel_;
    T* packed = ThreadScratch<T>(ScratchUse::kPackedColumns, panels * panel_ * depth_.size());
    const T* first = p_.b_transposed ? p_.b + columns.first * p_.b_stride + depth_.first
                                     : p_.b + depth_.first * p_.b_stride + columns.first;
    PackColumns(first, p_.b_stride, p_.b_transposed, depth_.size(), columns.size(), panel_, packed);
    return {packed, panel_ * depth_.size(), panel_};
  }

  RowSource<T> Rows(Part rows, const TileRows& tiles) const {
    if (!p_.a_transposed) {
      return {p_.a + rows.first * p_.a_stride + depth_.first, p_.a_stride, 1, false};
    }
    const T* first = p_.a + depth_.first * p_.a_stride + rows.first;
    if (depth_.size() >= kDepthThatPaysPackingRows &&
        p_.columns >= kPanelsThatPayPackingRows * panel_) {
      return PackTransposedTiles(first, p_.a_stride, depth_.size(), tiles);
    }
    return {first, 1, p_.a_stride, false};
  }

  void RunTiles(int64_t first_row, const TileRows& tiles, const RowSource<T>& a, Part columns,
                const ColumnSource<T>& b) const {
    const TileSegment segment = {0, 0, depth_.size()};
    const bool last = depth_.last == p_.depth;
    Tile<T> tile;
    tile.segments = &segment;
    tile.num_segments = 1;
    tile.accumulate = depth_.first > 0;
    tile.relu = last && p_.relu;
    tile.b = b.first;
    tile.b_step = b.step;
    for (int64_t n = columns.first; n < columns.last; n += panel_, tile.b += b.panel_step) {
      tile.columns = static_cast<int>(std::min(panel_, columns.last - n));
      tile.bias = last && p_.bias != nullptr ? p_.bias + n : nullptr;
      for (int64_t t = 0; t < tiles.tiles; ++t) {
        const int64_t row = tiles.Begin(t);
        tile.rows = static_cast<int>(tiles.Begin(t + 1) - row);
        a.Point(tile, row, depth_.size());
        T* c = p_.c + (first_row + row) * p_.c_stride + n;
        for (int i = 0; i < tile.rows; ++i) tile.c[i] = c + i * p_.c_stride;
        functions_.product(tile);
      }
    }
  }

  const ProductArguments<T>& p_;
  const TileFunctions<T>& functions_ = ChosenTileFunctions<T>();
  Part range_;
  int64_t panel_;
  int64_t depth_block_;
  int64_t row_block_;
  Part depth_ = {};
};

}  // namespace

template <typename T>
void Product(const ProductArguments<T>& p, int64_t begin, int64_t end) {
  if (begin >= end || p.columns == 0) return;
  ProductWalk<T>(p, {begin, end}).Run();
}

template void Product(const ProductArguments<float>&, int64_t, int64_t);
template void Product(const ProductArguments<double>&, int64_t, int64_t);

}  // namespace lockstep::kernels
