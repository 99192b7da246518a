#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

#include "kernels/cpu/convolution.h"

/// The gradients of a convolution whose output's gradient is zero nearly everywhere, as behind a
/// maximum pooling and a rectifier: steps of the chains with a gradient of zero are left out. That
/// changes no bit of a finite sum; and an infinite weight or pixel does not meet a zero. Whether an
/// image counts as sparse follows from its own gradient alone, not from the division of the work.
namespace lockstep::kernels {

/// Whether the gradients of convolutions of this kind leave out zeros where there are many: it
/// takes a few vectors of work for each element to be worth a look at it.
inline bool LeavesOutZeros(const ConvolutionShape& shape) {
  return shape.groups == 1 && shape.dilation_width == 1 &&
         shape.filter_width * shape.input_channels >= 48;
}

/// The words of a NonzeroMap for a pixel of so many channels.
inline int64_t WordsOfPixel(int64_t channels) { return (channels + 63) / 64; }

/// Which elements of an image's output gradient are not zero.
template <typename T>
class NonzeroMap {
 public:
  /// For `image`; the map keeps this thread's memory until the next one.
  NonzeroMap(const ConvolutionArguments<T>& arguments, int64_t image);
  /// Whether so many are zero that leaving them out pays.
  bool is_sparse() const { return is_sparse_; }
  /// The bits of an output row's pixels; each pixel begins a word, with its first channel in bit 0.
  const uint64_t* Row(int64_t row) const { return bits_ + row * row_words_; }

 private:
  uint64_t* bits_;
  int64_t row_words_;
  bool is_sparse_;
};

struct WordRange {
  int64_t begin = 0, end = 0;
};

/// A row of output pixels. Its taps in a row of the filter, with the input channels, are a run of
/// elements that meets a row of input pixels at `first` + x * `step` for output pixel x; of that
/// row the elements [0, width) exist.
template <typename T>
struct SparseRow {
  const T* gradient = nullptr;     // [pixels][channels]
  const uint64_t* bits = nullptr;  // of a NonzeroMap
  int64_t pixels = 0, channels = 0;
  WordRange words;               // the channels that count: of each pixel's bits some words,
  uint64_t mask = ~uint64_t{0};  // and of each word these
  int64_t first = 0, step = 0, width = 0;
  int64_t next_gradient = 0;  // how far the next image's row is, to be fetched; 0: not to be
  int64_t next_line = 0;      // how far the next image's rows of input pixels are, likewise
};

/// The elements [begin, end) of a filter row's run, the row of input pixels that they meet, and
/// where they are in a panel.
template <typename Line>
struct SparsePart {
  Line* line = nullptr;
  int64_t begin = 0, end = 0;
  int64_t column = 0;
};

/// The parts of the filter's rows, side by side in the panel.
template <typename Line>
struct SparseParts {
  std::vector<SparsePart<Line>> parts;
  int64_t elements = 0;         // of all
  int64_t least = 0, most = 0;  // of their runs

  void Clear() {
    parts.clear();
    elements = least = most = 0;
  }
  void Add(const SparsePart<Line>& part) {
    least = parts.empty() ? part.begin : std::min(least, part.begin);
    most = std::max(most, part.end);
    elements += part.end - part.begin;
    parts.push_back(part);
  }
};

/// The gradient of the input, as ConvolutionDataGradient.
template <typename T>
class SparseDataGradient {
 public:
  explicit SparseDataGradient(const ConvolutionArguments<T>& arguments) : p_(arguments) {}
  /// Computes the rows [begin, end) of one image, numbered over images * input_height.
  void Run(const NonzeroMap<T>& map, int64_t begin, int64_t end);

 private:
  void PackFilter();
  void AddTaps(const NonzeroMap<T>& map, int64_t begin, int64_t end, int64_t tap, const T* packed);

  const ConvolutionArguments<T>& p_;
  // The filter, `rows` of its rows together: [output_channels][panel], with room behind each.
  const T* packed_ = nullptr;
  int64_t rows_ = 0, panel_ = 0;
};

/// A leaf's sum of the filter's gradient, for some of its rows, as ConvolutionFilterGradient.
template <typename T>
class SparseFilterSum {
 public:
  /// For the rows [begin, end).
  SparseFilterSum(const ConvolutionArguments<T>& arguments, int64_t begin, int64_t end);

  /// Goes on with the chains in `sum`, [end - begin][output_channels]; from zero without one.
  void Begin(const T* sum);
  void AddImage(const NonzeroMap<T>& map, int64_t image);
  void End(T* sum) const;

 private:
  void AddChannels(const NonzeroMap<T>& map, int64_t image, WordRange words, uint64_t mask);
  void PlanBands();
  void AddBands(const NonzeroMap<T>& map, int64_t image);

  const ConvolutionArguments<T>& p_;
  int64_t begin_, end_;
  int64_t panel_;
  T* sums_ = nullptr;  // [output_channels][panel]
  // Where no tap falls into the padding and all runs are whole vectors, bands of so many output
  // rows; else 0.
  int64_t band_rows_ = 0;
  bool runs_of_three_ = true;
  std::vector<int64_t> places_, offsets_;  // of SparseBand
};

extern template class NonzeroMap<float>;
extern template class NonzeroMap<double>;
extern template class SparseDataGradient<float>;
extern template class SparseDataGradient<double>;
extern template class SparseFilterSum<float>;
extern template class SparseFilterSum<double>;

}  // namespace lockstep::kernels
