#include "kernels/cpu/product.h"

#include <algorithm>

#include "kernels/cpu/product_block.h"

namespace lockstep::kernels {
namespace {

// A panel of B of this depth stays in the second level of the cache, and so does a block of A.
constexpr int64_t kDepthBlock = 1024;
// Both sides of a gradient are packed, step by step.
constexpr int64_t kDepthBlockOfTransposed = 512;
constexpr int64_t kRowBytes = int64_t{1} << 20;
constexpr int64_t kLeastRowBlock = 48;
// A packed B of so many bytes stays there as a whole. Then few rows at a time go through all of its
// panels, so that A is read and C is written side by side.
constexpr int64_t kResidentBytes = int64_t{5} << 18;
constexpr int64_t kTilesThroughPanels = 10;
// B is packed as far as it fits into so many bytes.
constexpr int64_t kPackedBytes = int64_t{1} << 23;
// Packing reads and writes B once: it pays when so many rows use it.
constexpr int64_t kRowsThatPayPacking = 48;
constexpr int64_t kDepthThatPaysPackingRows = 128;
constexpr int64_t kPanelsThatPayPackingRows = 4;
// With longer chains the tile has the time to fetch what comes next.
constexpr int64_t kDepthThatPaysFetching = 64;

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

// Lets a panel's tiles fetch the panel that is packed next, each its share.
template <typename T>
class FetchAhead {
 public:
  FetchAhead(Tile<T>& tile, const T* next, int64_t step, int64_t depth, int64_t tiles)
      : end_(next == nullptr ? nullptr : next + depth * step) {
    if (next == nullptr) return;
    tile.ahead = next;
    tile.ahead_step = step;
    tile.ahead_rows = static_cast<int>((kFetchSteps + tiles - 1) / tiles);
    share_ = (depth + kFetchSteps - 1) / kFetchSteps * tile.ahead_rows * step;
  }
  void Next(Tile<T>& tile) const {
    if (end_ == nullptr) return;
    tile.ahead += share_;
    if (tile.ahead >= end_) tile.ahead_rows = 0;
  }

 private:
  const T* end_;
  int64_t share_ = 0;
};

// One call's walk over the blocks of a product: depth, columns, rows, few tiles of rows, panels.
template <typename T>
class ProductWalk {
 public:
  ProductWalk(const ProductArguments<T>& arguments, Part range)
      : p_(arguments),
        range_(range),
        panel_(functions_.Panel(p_.columns)),
        pack_(p_.b_transposed || (range.size() >= kRowsThatPayPacking && p_.b_stride > panel_)),
        depth_block_(EqualBlock(p_.depth, p_.a_transposed ? kDepthBlockOfTransposed : kDepthBlock)),
        row_block_(
            EqualBlock(range.size(), std::max<int64_t>(kLeastRowBlock, LinesIn(kRowBytes)))) {}

  void Run() {
    for (depth_ = {0, depth_block_};; depth_ = {depth_.last, depth_.last + depth_block_}) {
      depth_.last = std::min(depth_.last, p_.depth);
      const int64_t block = std::max(panel_, LinesIn(kPackedBytes) / panel_ * panel_);
      for (int64_t n = 0; n < p_.columns; n += block) {
        RunColumns({n, std::min(p_.columns, n + block)});
      }
      if (depth_.last == p_.depth) return;  // a depth of 0 has one part, of zeros
    }
  }

 private:
  // Where the lines of a panel of B begin that is to be packed, a panel's width of each at a time.
  struct Lines {
    const T* first;
    int64_t step;
  };
  // A transposed panel is one piece of memory if its rows have no gaps, else it is left alone.
  Lines LinesOfPanel(int64_t n) const {
    if (!p_.b_transposed) return {p_.b + depth_.first * p_.b_stride + n, p_.b_stride};
    if (p_.b_stride != depth_.size()) return {nullptr, 0};
    return {p_.b + n * p_.b_stride, panel_};
  }

  // How many lines of the depth's part fill so many bytes.
  int64_t LinesIn(int64_t bytes) const {
    return bytes / (depth_block_ * static_cast<int64_t>(sizeof(T)));
  }

  void RunColumns(Part columns) {
    columns_ = columns;
    packed_panels_ = 0;
    const int most_rows = functions_.MaxRows(panel_);
    const bool resident = columns.size() <= LinesIn(kResidentBytes);
    for (int64_t m = range_.first; m < range_.last; m += row_block_) {
      const Part rows = {m, std::min(range_.last, m + row_block_)};
      const TileRows tiles(rows.size(), most_rows);
      const RowSource<T> a = Rows(rows, tiles);
      const int64_t block =
          pack_ && resident && !p_.a_transposed ? kTilesThroughPanels : tiles.tiles;
      keep_ = range_.size() > row_block_ || tiles.tiles > block;
      for (int64_t t = 0; t < tiles.tiles; t += block) {
        RunPanels(m, tiles, a, {t, std::min(tiles.tiles, t + block)});
      }
    }
  }

  void RunPanels(int64_t first_row, const TileRows& tiles, const RowSource<T>& a, Part block) {
    for (int64_t n = columns_.first; n < columns_.last; n += panel_) {
      const int64_t index = (n - columns_.first) / panel_;
      const ColumnSource<T> b = Panel(n, index);
      const bool pack_next =
          pack_ && n + panel_ < columns_.last && (!keep_ || packed_panels_ == index + 1);
      RunTiles(first_row, tiles, a, block, n, b, pack_next);
    }
  }

  // The panel of B that begins at column n: packed, now or before, or where it is.
  ColumnSource<T> Panel(int64_t n, int64_t index) {
    const T* first = p_.b_transposed ? p_.b + n * p_.b_stride + depth_.first
                                     : p_.b + depth_.first * p_.b_stride + n;
    if (!pack_) return {first, panel_, p_.b_stride};
    const int64_t panels = keep_ ? (columns_.size() + panel_ - 1) / panel_ : 1;
    const int64_t size = panel_ * depth_.size();
    T* packed = ThreadScratch<T>(ScratchUse::kPackedColumns, panels * size);
    if (keep_) packed += index * size;
    if (!keep_ || index == packed_panels_) {
      PackColumns(first, p_.b_stride, p_.b_transposed, depth_.size(),
                  std::min(panel_, columns_.last - n), panel_, packed);
      packed_panels_ = index + 1;
    }
    return {packed, size, panel_};
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

  void RunTiles(int64_t first_row, const TileRows& tiles, const RowSource<T>& a, Part block,
                int64_t n, const ColumnSource<T>& b, bool pack_next) const {
    const TileSegment segment = {0, 0, depth_.size()};
    const bool last = depth_.last == p_.depth;
    Tile<T> tile;
    tile.segments = &segment;
    tile.num_segments = 1;
    tile.accumulate = p_.accumulate || depth_.first > 0;
    tile.relu = last && p_.relu;
    tile.b = b.first;
    tile.b_step = b.step;
    tile.columns = static_cast<int>(std::min(panel_, columns_.last - n));
    tile.bias = last && p_.bias != nullptr ? p_.bias + n : nullptr;
    tile.fetch = depth_.size() >= kDepthThatPaysFetching;
    const Lines next = pack_next ? LinesOfPanel(n + panel_) : Lines{nullptr, 0};
    FetchAhead<T> ahead(tile, next.first, next.step, depth_.size(), block.size());
    for (int64_t t = block.first; t < block.last; ++t) {
      const int64_t row = tiles.Begin(t);
      tile.rows = static_cast<int>(tiles.Begin(t + 1) - row);
      a.Point(tile, row, depth_.size());
      T* c = p_.c + (first_row + row) * p_.c_stride + n;
      for (int i = 0; i < tile.rows; ++i) tile.c[i] = c + i * p_.c_stride;
      functions_.product(tile);
      ahead.Next(tile);
    }
  }

  const ProductArguments<T>& p_;
  const TileFunctions<T>& functions_ = ChosenTileFunctions<T>();
  Part range_;
  int64_t panel_;
  bool pack_;
  int64_t depth_block_;
  int64_t row_block_;
  Part depth_ = {};
  Part columns_ = {};
  bool keep_ = false;  // packed panels are used again
  int64_t packed_panels_ = 0;
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
