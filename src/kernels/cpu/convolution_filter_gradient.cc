#include <algorithm>

#include "kernels/cpu/convolution.h"
#include "kernels/cpu/convolution_apart.h"
#include "kernels/cpu/convolution_points.h"
#include "kernels/cpu/convolution_sparse.h"
#include "kernels/cpu/leaf_fold.h"
#include "kernels/cpu/product_block.h"

namespace lockstep::kernels {
namespace {

// Depth steps after which a tile's sums go back to memory, so that what a pass over all tiles reads
// stays in the nearest cache.
constexpr int64_t kFilterDepthBlock = 128;
// A leaf's sum in memory is to stay in the second level of the cache, with its neighbours.
constexpr int64_t kLeafSumElements = int64_t{1} << 16;
constexpr int64_t kLeastRowsOfLeafSum = 48;

// Lets the tiles of a block fetch what the next block reads, two runs of elements, each its share.
template <typename T>
class FetchNext {
 public:
  struct Run {
    const T* first = nullptr;
    int64_t elements = 0;
  };
  FetchNext() = default;
  // `steps`: of all tiles, and of one, at which a tile fetches lines of `panel` elements.
  FetchNext(Run one, Run other, int64_t panel, int64_t all_steps, int64_t tile_steps)
      : runs_{one, other}, panel_(panel) {
    const int64_t lines = (one.elements + std::max<int64_t>(0, other.elements)) / panel + 2;
    lines_a_step_ = (lines + all_steps - 1) / all_steps;
    share_ = lines_a_step_ * tile_steps * panel;
  }

  void Share(Tile<T>& tile) {
    if (done_ >= runs_[run_].elements) {
      if (run_ == 1) {
        tile.ahead_rows = 0;
        return;
      }
      run_ = 1;
      done_ = 0;
    }
    tile.ahead = runs_[run_].first + done_;
    tile.ahead_step = panel_;
    tile.ahead_rows = static_cast<int>(lines_a_step_);
    done_ += share_;
  }

 private:
  Run runs_[2];
  int run_ = 0;
  int64_t done_ = 0;
  int64_t panel_ = 0;
  int64_t lines_a_step_ = 0;
  int64_t share_ = 0;
};

// The filter's gradient as a product that sums over output pixels: a row is an element of a filter
// (tap and input channel), the depth runs over images, output rows and columns where the tap falls
// into the input, B is the output's gradient.
template <typename T>
class FilterGradient {
 public:
  FilterGradient(const ConvolutionArguments<T>& arguments, int64_t begin, int64_t end)
      : p_(arguments),
        shape_(arguments.shape),
        apart_(IsDepthwise(shape_)),
        multiplier_(apart_ ? shape_.output_channels / shape_.input_channels : 1),
        groups_(apart_ ? 1 : shape_.groups),
        input_channels_(shape_.input_channels * multiplier_),
        depth_channels_(shape_.input_channels / shape_.groups),
        columns_(shape_.output_channels / groups_),
        panel_(apart_ ? functions_.PanelApart(columns_) : functions_.Panel(columns_)),
        sparse_(arguments, begin, end) {
    PlanTiles(begin, end);
  }

  // Adds up the leaves into the rows [begin, end) of the result.
  void Run(int64_t begin, int64_t end) {
    const int64_t size = (end - begin) * shape_.output_channels;
    const FoldPlan plan(p_.offsets);
    T* top = ThreadScratch<T>(ScratchUse::kLeafSums, (plan.depth() + 1) * size);
    if (plan.size() == 0) {
      std::fill(top, top + size, T{0});
      top += size;
    }
    for (const FoldStep& leaf : plan) {
      SumLeaf(leaf.first, leaf.first + leaf.length, top);
      for (int64_t adds = leaf.adds; adds > 0; --adds, top -= size) AddInto(top - size, top, size);
      top += size;
    }
    std::copy_n(top - size, size, p_.result + begin * shape_.output_channels);
  }

 private:
  // Output positions where a tap falls into the input.
  struct Window {
    int64_t row, row_end, column, column_end;
    bool operator==(const Window&) const = default;
  };
  // Rows of the filter with equal windows.
  struct TileOfRows {
    int64_t first;  // counted from the range's begin
    int rows;
    Window window;
    int64_t offset[kMaxTileRows];  // of a row's input at output row and column 0
  };

  void PlanTiles(int64_t begin, int64_t end) {
    const int max_rows = functions_.MaxRows(panel_);
    const TapAxis height = TapAxis::Height(shape_);
    const TapAxis width = TapAxis::Width(shape_);
    for (int64_t f = begin; f < end; ++f) {
      const int64_t channel = f % depth_channels_;
      const int64_t w = f / depth_channels_ % shape_.filter_width;
      const int64_t h = f / depth_channels_ / shape_.filter_width;
      Window window;
      height.Window(h, window.row, window.row_end);
      width.Window(w, window.column, window.column_end);
      if (tiles_.empty() || tiles_.back().rows == max_rows || !(tiles_.back().window == window)) {
        tiles_.push_back({f - begin, 0, window, {}});
      }
      TileOfRows& tile = tiles_.back();
      const int64_t input_row = h * shape_.dilation_height - shape_.padding_top;
      const int64_t input_column = w * shape_.dilation_width - shape_.padding_left;
      tile.offset[tile.rows++] =
          (input_row * shape_.input_width + input_column) * input_channels_ + channel;
    }
  }

  // The chain over the images [image, image_end), into `sum`.
  void SumLeaf(int64_t image, int64_t image_end, T* sum) {
    bool accumulate = false, is_in_sparse = false;
    for (; image < image_end; ++image, accumulate = true) {
      if (LeavesOutZeros(shape_)) {
        const NonzeroMap<T> map(p_, image);
        if (map.is_sparse()) {
          if (!is_in_sparse) sparse_.Begin(accumulate ? sum : nullptr);
          is_in_sparse = true;
          sparse_.AddImage(map, image);
          continue;
        }
      }
      if (is_in_sparse) sparse_.End(sum);
      is_in_sparse = false;
      AddImage(image, accumulate, sum);
    }
    if (is_in_sparse) sparse_.End(sum);
  }

  void AddImage(int64_t image, bool accumulate, T* sum) {
    const int64_t height = shape_.output_height;
    const int64_t block =
        std::max<int64_t>(1, kFilterDepthBlock / std::max<int64_t>(1, shape_.output_width));
    const T* input = Input(image);
    int64_t row = image * height;
    do {  // once for an output without rows: zeros
      for (int64_t group = 0; group < groups_; ++group) {
        SumRows(input, row, std::min(row + block, (image + 1) * height), group, accumulate, sum);
      }
      row += block;
      accumulate = true;
    } while (row < (image + 1) * height);
  }

  // The input from which the offset of `image` is counted; with a multiplier, channels are
  // repeated.
  const T* Input(int64_t image) const {
    if (multiplier_ == 1) return p_.input;
    const int64_t pixels = shape_.input_height * shape_.input_width;
    T* repeated = ThreadScratch<T>(ScratchUse::kPackedRows, pixels * input_channels_);
    RepeatChannels(p_.input + image * pixels * shape_.input_channels, pixels, shape_.input_channels,
                   multiplier_, repeated);
    return repeated - image * pixels * input_channels_;
  }

  // Continues the chains over the output rows [row, row_end) of images * output_height.
  void SumRows(const T* input, int64_t row, int64_t row_end, int64_t group, bool accumulate,
               T* sum) {
    Tile<T> tile;
    tile.a_step = shape_.stride_width * input_channels_;
    tile.b_step = shape_.output_channels;
    tile.accumulate = accumulate;
    const Window* window = nullptr;
    FetchNext<T> next = NextRows(row_end, row_end - row);
    tile.fetch = !apart_;
    for (const TileOfRows& rows : tiles_) {
      if (window == nullptr || !(*window == rows.window)) PlanSegments(rows.window, row, row_end);
      window = &rows.window;
      tile.segments = segments_.data();
      tile.num_segments = static_cast<int64_t>(segments_.size());
      tile.rows = rows.rows;
      for (int64_t n = 0; n < columns_; n += panel_) {
        tile.columns = static_cast<int>(std::min(panel_, columns_ - n));
        tile.b = p_.output_gradient + group * columns_ + n;
        for (int i = 0; i < rows.rows; ++i) {
          tile.a[i] = input + rows.offset[i] + (apart_ ? n : group * depth_channels_);
          tile.c[i] = sum + (rows.first + i) * shape_.output_channels + group * columns_ + n;
        }
        next.Share(tile);
        apart_ ? functions_.product_apart(tile) : functions_.product(tile);
      }
    }
  }

  // What the next `count` output rows from `row` on read, in shares for this block's tiles.
  FetchNext<T> NextRows(int64_t row, int64_t count) const {
    const int64_t rows = std::min(count, shape_.images * shape_.output_height - row);
    if (rows <= 0 || apart_) return {};
    const int64_t image = row / shape_.output_height, h = row % shape_.output_height;
    // The rows before these have brought the input's rows in up to the filter's last.
    const int64_t known = h == 0 ? 0 : (shape_.filter_height - 1) * shape_.dilation_height;
    const int64_t first = image * shape_.input_height + h * shape_.stride_height + known;
    const int64_t input_rows =
        std::min(rows * shape_.stride_height, shape_.images * shape_.input_height - first);
    const int64_t steps = count * ((shape_.output_width + kFetchSteps - 1) / kFetchSteps);
    const int64_t panels = (columns_ + panel_ - 1) / panel_ * groups_;
    return FetchNext<T>({p_.output_gradient + row * shape_.output_width * shape_.output_channels,
                         rows * shape_.output_width * shape_.output_channels},
                        {p_.input + first * shape_.input_width * shape_.input_channels,
                         input_rows * shape_.input_width * shape_.input_channels},
                        panel_, static_cast<int64_t>(tiles_.size()) * panels * steps, steps);
  }

  void PlanSegments(const Window& window, int64_t row, int64_t row_end) {
    const int64_t a_step = shape_.stride_width * input_channels_;
    segments_.clear();
    for (int64_t r = row; r < row_end; ++r) {
      const int64_t image = r / shape_.output_height;
      const int64_t h = r % shape_.output_height;
      if (h < window.row || h >= window.row_end || window.column == window.column_end) continue;
      const int64_t input_row = image * shape_.input_height + h * shape_.stride_height;
      AppendSegment(segments_,
                    {input_row * shape_.input_width * input_channels_ + window.column * a_step,
                     (r * shape_.output_width + window.column) * shape_.output_channels,
                     window.column_end - window.column},
                    a_step, shape_.output_channels);
    }
  }

  const ConvolutionArguments<T>& p_;
  const ConvolutionShape& shape_;
  const TileFunctions<T>& functions_ = ChosenTileFunctions<T>();
  bool apart_;          // a depthwise convolution: one group, each column with its own input
  int64_t multiplier_;  // of a depthwise convolution
  int64_t groups_;
  int64_t input_channels_;  // repeated by the multiplier
  int64_t depth_channels_;
  int64_t columns_;
  int64_t panel_;
  std::vector<TileOfRows> tiles_;
  std::vector<TileSegment> segments_;
  SparseFilterSum<T> sparse_;
};

}  // namespace

template <typename T>
void ConvolutionFilterGradient(const ConvolutionArguments<T>& arguments, int64_t begin,
                               int64_t end) {
  if (begin >= end || arguments.shape.output_channels == 0) return;
  const int64_t block =
      std::max(kLeastRowsOfLeafSum, kLeafSumElements / arguments.shape.output_channels);
  for (int64_t f = begin; f < end; f += block) {
    const int64_t last = std::min(end, f + block);
    FilterGradient<T>(arguments, f, last).Run(f, last);
  }
}

template void ConvolutionFilterGradient(const ConvolutionArguments<float>&, int64_t, int64_t);
template void ConvolutionFilterGradient(const ConvolutionArguments<double>&, int64_t, int64_t);

}  // namespace lockstep::kernels
