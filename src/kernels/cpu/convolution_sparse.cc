#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/convolution_sparse.cc"
#include "kernels/cpu/convolution_sparse.h"

#include <algorithm>
#include <bit>

#include "hwy/foreach_target.h"

#include "kernels/cpu/nonzero_bits-inl.h"
#include "kernels/cpu/register_sums-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep::kernels::HWY_NAMESPACE {

// Runs are worked off in pieces of so many vectors at most: they and a few more fit the registers.
constexpr int kMostVectors = HWY_MAX_BYTES >= 64 ? 6 : 12;
// Elements of a pixel's runs side by side; longer ones are worked off run by run.
constexpr int64_t kMostElements = 1024;

// Writes each pixel's bits, and gives the number of all that are set.
template <typename T>
int64_t MapPixels(const T* from, int64_t pixels, int64_t channels, uint64_t* bits) {
  const int64_t words = WordsOfPixel(channels);
  int64_t nonzero = 0;
  for (int64_t p = 0; p < pixels; ++p, from += channels, bits += words)
    nonzero += MapNonzero(from, channels, bits);
  return nonzero;
}

// One pixel of a row: its channels, and which are not zero.
template <typename T>
struct Pixel {
  Pixel(const SparseRow<T>& row, int64_t x)
      : values(row.gradient + x * row.channels),
        bits(row.bits + x * WordsOfPixel(row.channels)),
        words(row.words),
        mask(row.mask) {}

  // visit(channel) for the row's channels that are not zero, ascending.
  template <typename Visit>
  HWY_INLINE void ForNonzero(const Visit& visit) const {
    for (int64_t w = words.begin; w < words.end; ++w)
      for (uint64_t left = bits[w] & mask; left != 0; left &= left - 1)
        visit(w * 64 + std::countr_zero(left));
  }

  const T* values;
  const uint64_t* bits;
  WordRange words;
  uint64_t mask;
};

// A piece is `columns` elements; with kMasked the last vector has only some of them.
// to[0, length) += pixel[c] * filter[c * panel + 0, length) for each channel c in turn.
struct AddChannels {
  template <typename T, int kVectors, bool kMasked>
  static HWY_INLINE void Piece(const Pixel<T>& pixel, T* to, const T* filter, int64_t panel,
                               int columns) {
    Sums<T, 1, kVectors, kMasked> sums(columns);
    const T* const from = to;
    sums.LoadFrom(&from);
    pixel.ForNonzero([&](int64_t channel) HWY_ATTR {
      const auto factor = hn::Set(hn::ScalableTag<T>(), pixel.values[channel]);
      const T* weights = filter + channel * panel;
      LOCKSTEP_UNROLL
      for (int j = 0; j < kVectors; ++j) {
        // The panel has room behind its run, so no load needs a mask.
        sums.sum[0][j] = hn::MulAdd(
            factor, hn::LoadU(hn::ScalableTag<T>(), weights + j * sums.kLanes), sums.sum[0][j]);
      }
    });
    sums.StoreTo(&to);
  }
};

// sums[c * panel + 0, length) += pixel[c] * input[0, length) for each channel c.
struct AddToChannels {
  template <typename T, int kVectors, bool kMasked>
  static HWY_INLINE void Piece(const Pixel<T>& pixel, T* sums, const T* input, int64_t panel,
                               int columns) {
    Sums<T, 1, kVectors, kMasked> values(columns);
    values.LoadFrom(&input);
    pixel.ForNonzero([&](int64_t channel) HWY_ATTR {
      const auto factor = hn::Set(hn::ScalableTag<T>(), pixel.values[channel]);
      T* to = sums + channel * panel;
      LOCKSTEP_UNROLL
      for (int j = 0; j < kVectors; ++j)
        values.Store(hn::MulAdd(factor, values.sum[0][j], values.Load(to, j)), to, j);
    });
  }
};

template <class Kind, int kVectors, typename T>
HWY_INLINE void InPieces(const Pixel<T>& pixel, T* to, const T* from, int64_t panel,
                         int64_t length) {
  constexpr int kLanes = HWY_MAX_BYTES / sizeof(T);
  constexpr int64_t kPiece = kVectors * kLanes;
  for (; length >= kPiece; length -= kPiece, to += kPiece, from += kPiece)
    Kind::template Piece<T, kVectors, false>(pixel, to, from, panel, kPiece);
  if (length <= 0) return;
  if constexpr (kVectors == 1) {
    Kind::template Piece<T, 1, true>(pixel, to, from, panel, static_cast<int>(length));
  } else {
    // 18 or 12, 9, 6, 4, 3, 2, 1
    constexpr int kLess = kVectors == 18   ? 12
                          : kVectors == 12 ? 9
                          : kVectors == 9  ? 6
                          : kVectors == 6  ? 4
                                           : kVectors - 1;
    InPieces<Kind, kLess>(pixel, to, from, panel, length);
  }
}

template <typename T>
HWY_INLINE void Copy(const T* from, int64_t length, T* to) {
  const hn::ScalableTag<T> d;
  constexpr int64_t kLanes = HWY_MAX_BYTES / sizeof(T);
  for (; length >= kLanes; length -= kLanes, from += kLanes, to += kLanes)
    hn::StoreU(hn::LoadU(d, from), d, to);
  for (int64_t i = 0; i < length; ++i) to[i] = from[i];
}

// Brings `count` elements into the second level of the cache.
template <typename T>
HWY_INLINE void Fetch(const T* from, int64_t count) {
  constexpr int64_t kLine = 64 / sizeof(T);
  for (int64_t i = 0; i < count; i += kLine) __builtin_prefetch(from + i, 0, 2);
}

// Where the taps of output pixel x lie: all inside of the lines, or only [begin, end) of the runs.
struct Reach {
  template <typename T>
  Reach(const SparseRow<T>& row, int64_t x)
      : place(row.first + x * row.step), begin(-place), end(row.width - place) {}
  template <typename Line>
  bool HasAll(const SparseParts<Line>& parts) const {
    return begin <= parts.least && end >= parts.most && parts.elements <= kMostElements;
  }

  int64_t place, begin, end;
};

// The lines are rows of input pixels. Output columns descend, so that taps ascend.
template <typename T>
void DataRow(const SparseRow<T>& row, const SparseParts<T>& parts, const T* filter, int64_t panel) {
  HWY_ALIGN T side_by_side[kMostElements];
  for (int64_t x = row.pixels - 1; x >= 0; --x) {
    const Reach reach(row, x);
    const Pixel<T> pixel(row, x);
    if (row.next_gradient != 0) Fetch(pixel.values + row.next_gradient, row.channels);
    if (!reach.HasAll(parts)) {
      for (const SparsePart<T>& part : parts.parts) {
        const int64_t begin = std::max(part.begin, reach.begin);
        InPieces<AddChannels, kMostVectors>(pixel, part.line + reach.place + begin,
                                            filter + part.column + begin - part.begin, panel,
                                            std::min(part.end, reach.end) - begin);
      }
      continue;
    }
    T* next = side_by_side;
    for (const SparsePart<T>& part : parts.parts) {
      Copy(part.line + reach.place + part.begin, part.end - part.begin, next);
      next += part.end - part.begin;
    }
    InPieces<AddChannels, kMostVectors>(pixel, side_by_side, filter + parts.parts.front().column,
                                        panel, parts.elements);
    next = side_by_side;
    for (const SparsePart<T>& part : parts.parts) {
      Copy(next, part.end - part.begin, part.line + reach.place + part.begin);
      next += part.end - part.begin;
    }
  }
}

// The lines are rows of input pixels; sums: [channels][panel].
template <typename T>
void FilterRow(const SparseRow<T>& row, const SparseParts<const T>& parts, int64_t panel, T* sums) {
  HWY_ALIGN T side_by_side[kMostElements];
  for (int64_t x = 0; x < row.pixels; ++x) {
    const Reach reach(row, x);
    const Pixel<T> pixel(row, x);
    if (row.next_gradient != 0) {
      Fetch(pixel.values + row.next_gradient, row.channels);
      Fetch(parts.parts.back().line + row.next_line + x * row.step, row.step);
    }
    if (!reach.HasAll(parts)) {
      for (const SparsePart<const T>& part : parts.parts) {
        const int64_t begin = std::max(part.begin, reach.begin);
        InPieces<AddToChannels, kMostVectors>(pixel, sums + part.column + begin - part.begin,
                                              part.line + reach.place + begin, panel,
                                              std::min(part.end, reach.end) - begin);
      }
      continue;
    }
    T* next = side_by_side;
    for (const SparsePart<const T>& part : parts.parts) {
      Copy(part.line + reach.place + part.begin, part.end - part.begin, next);
      next += part.end - part.begin;
    }
    InPieces<AddToChannels, kMostVectors>(pixel, sums + parts.parts.front().column,
                                          static_cast<const T*>(side_by_side), panel,
                                          parts.elements);
  }
}

int64_t MapFloats(const float* from, int64_t pixels, int64_t channels, uint64_t* bits) {
  return MapPixels(from, pixels, channels, bits);
}
int64_t MapDoubles(const double* from, int64_t pixels, int64_t channels, uint64_t* bits) {
  return MapPixels(from, pixels, channels, bits);
}
void DataRowFloat(const SparseRow<float>& row, const SparseParts<float>& parts, const float* filter,
                  int64_t panel) {
  DataRow(row, parts, filter, panel);
}
void DataRowDouble(const SparseRow<double>& row, const SparseParts<double>& parts,
                   const double* filter, int64_t panel) {
  DataRow(row, parts, filter, panel);
}
void FilterRowFloat(const SparseRow<float>& row, const SparseParts<const float>& parts,
                    int64_t panel, float* sums) {
  FilterRow(row, parts, panel, sums);
}
void FilterRowDouble(const SparseRow<double>& row, const SparseParts<const double>& parts,
                     int64_t panel, double* sums) {
  FilterRow(row, parts, panel, sums);
}

}  // namespace lockstep::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "kernels/cpu/convolution_bands.h"
#include "kernels/cpu/scratch.h"

namespace lockstep::kernels {
namespace {

HWY_EXPORT(MapFloats);
HWY_EXPORT(MapDoubles);
HWY_EXPORT(DataRowFloat);
HWY_EXPORT(DataRowDouble);
HWY_EXPORT(FilterRowFloat);
HWY_EXPORT(FilterRowDouble);

int64_t Map(const float* from, int64_t pixels, int64_t channels, uint64_t* bits) {
  return HWY_DYNAMIC_DISPATCH(MapFloats)(from, pixels, channels, bits);
}
int64_t Map(const double* from, int64_t pixels, int64_t channels, uint64_t* bits) {
  return HWY_DYNAMIC_DISPATCH(MapDoubles)(from, pixels, channels, bits);
}
void AddDataRow(const SparseRow<float>& row, const SparseParts<float>& parts, const float* filter,
                int64_t panel) {
  HWY_DYNAMIC_DISPATCH(DataRowFloat)(row, parts, filter, panel);
}
void AddDataRow(const SparseRow<double>& row, const SparseParts<double>& parts,
                const double* filter, int64_t panel) {
  HWY_DYNAMIC_DISPATCH(DataRowDouble)(row, parts, filter, panel);
}
void AddFilterRow(const SparseRow<float>& row, const SparseParts<const float>& parts, int64_t panel,
                  float* sums) {
  HWY_DYNAMIC_DISPATCH(FilterRowFloat)(row, parts, panel, sums);
}
void AddFilterRow(const SparseRow<double>& row, const SparseParts<const double>& parts,
                  int64_t panel, double* sums) {
  HWY_DYNAMIC_DISPATCH(FilterRowDouble)(row, parts, panel, sums);
}

// One element in so many may be other than zero.
constexpr int64_t kSparse = 2;
// The elements of the widest vector: the room behind a run.
constexpr int64_t kRoom = 16;
// What a pass reads for every pixel is to stay in the second level of the cache.
constexpr int64_t kNearBytes = 80 << 10;
// About the pixels of a band of output rows.
constexpr int64_t kBandPixels = 96;

int64_t PanelFor(int64_t run) { return (run + kRoom - 1) / kRoom * kRoom + kRoom; }

// The part that output row `row` of an image and the filter's row `tap` have in common.
template <typename T>
SparseRow<T> RowOf(const ConvolutionArguments<T>& p, const NonzeroMap<T>& map, int64_t image,
                   int64_t row) {
  const ConvolutionShape& s = p.shape;
  return {.gradient = p.output_gradient +
                      (image * s.output_height + row) * s.output_width * s.output_channels,
          .bits = map.Row(row),
          .pixels = s.output_width,
          .channels = s.output_channels,
          .words = {0, WordsOfPixel(s.output_channels)},
          .first = -s.padding_left * s.input_channels,
          .step = s.stride_width * s.input_channels,
          .width = s.input_width * s.input_channels,
          .next_gradient =
              image + 1 < s.images ? s.output_height * s.output_width * s.output_channels : 0,
          .next_line = s.input_height * s.input_width * s.input_channels};
}

}  // namespace

template <typename T>
NonzeroMap<T>::NonzeroMap(const ConvolutionArguments<T>& arguments, int64_t image)
    : row_words_(arguments.shape.output_width * WordsOfPixel(arguments.shape.output_channels)) {
  const ConvolutionShape& s = arguments.shape;
  const int64_t pixels = s.output_height * s.output_width, size = pixels * s.output_channels;
  bits_ = ThreadScratch<uint64_t>(ScratchUse::kNonzeroBits, s.output_height * row_words_);
  is_sparse_ =
      Map(arguments.output_gradient + image * size, pixels, s.output_channels, bits_) * kSparse <=
      size;
}

template <typename T>
void SparseDataGradient<T>::PackFilter() {
  const ConvolutionShape& s = p_.shape;
  const int64_t run = s.filter_width * s.input_channels;
  const int64_t row_bytes = run * s.output_channels * static_cast<int64_t>(sizeof(T));
  rows_ = std::clamp<int64_t>(kNearBytes / row_bytes, 1, s.filter_height);
  panel_ = PanelFor(rows_ * run);
  const int64_t groups = (s.filter_height + rows_ - 1) / rows_;
  T* packed = ThreadScratch<T>(ScratchUse::kSparse, groups * s.output_channels * panel_);
  packed_ = packed;
  for (int64_t h = 0; h < s.filter_height; h += rows_) {
    const T* from = p_.filter + h * run * s.output_channels;
    const int64_t rows = std::min(rows_, s.filter_height - h) * run;
    for (int64_t c = 0; c < s.output_channels; ++c, packed += panel_) {
      for (int64_t i = 0; i < rows; ++i) packed[i] = from[i * s.output_channels + c];
      std::fill(packed + rows, packed + panel_, T{0});
    }
  }
}

template <typename T>
void SparseDataGradient<T>::Run(const NonzeroMap<T>& map, int64_t begin, int64_t end) {
  if (packed_ == nullptr) PackFilter();
  const ConvolutionShape& s = p_.shape;
  const int64_t width = s.input_width * s.input_channels;
  std::fill(p_.result + begin * width, p_.result + end * width, T{0});
  const T* packed = packed_;
  for (int64_t h = 0; h < s.filter_height; h += rows_, packed += s.output_channels * panel_)
    AddTaps(map, begin, end, h, packed);
}

// Adds what the filter's rows from `tap` on give.
template <typename T>
void SparseDataGradient<T>::AddTaps(const NonzeroMap<T>& map, int64_t begin, int64_t end,
                                    int64_t tap, const T* packed) {
  const ConvolutionShape& s = p_.shape;
  const int64_t run = s.filter_width * s.input_channels;
  const int64_t width = s.input_width * s.input_channels;
  const int64_t image = begin / s.input_height, first = image * s.input_height;
  const int64_t tap_end = std::min(tap + rows_, s.filter_height);
  SparseParts<T> parts;
  // Output rows descend, so that taps ascend.
  for (int64_t row = s.output_height - 1; row >= 0; --row) {
    parts.Clear();
    for (int64_t h = tap; h < tap_end; ++h) {
      const int64_t input_row = row * s.stride_height - s.padding_top + h * s.dilation_height;
      if (first + input_row < begin || first + input_row >= end) continue;
      parts.Add({p_.result + (first + input_row) * width, 0, run, (h - tap) * run});
    }
    if (parts.parts.empty()) continue;
    SparseRow<T> some = RowOf(p_, map, image, row);
    if (tap > 0) some.next_gradient = 0;  // it has been fetched
    AddDataRow(some, parts, packed, panel_);
  }
}

template <typename T>
SparseFilterSum<T>::SparseFilterSum(const ConvolutionArguments<T>& arguments, int64_t begin,
                                    int64_t end)
    : p_(arguments), begin_(begin), end_(end), panel_(PanelFor(end - begin)) {
  if (LeavesOutZeros(p_.shape)) PlanBands();
}

template <typename T>
void SparseFilterSum<T>::PlanBands() {
  const ConvolutionShape& s = p_.shape;
  const int64_t run = s.filter_width * s.input_channels, lanes = BandLanes(T{});
  const int64_t width = s.input_width * s.input_channels, step = s.stride_width * s.input_channels;
  const int64_t last_row =
      (s.output_height - 1) * s.stride_height + (s.filter_height - 1) * s.dilation_height;
  if (s.padding_top != 0 || s.padding_left != 0 || last_row >= s.input_height ||
      (s.output_width - 1) * step + run > width)
    return;
  for (int64_t at = begin_; at < end_;) {
    const int64_t h = at / run, end = std::min(end_, (h + 1) * run);
    if ((end - at) % lanes != 0) return;
    if ((end - at) % (3 * lanes) != 0) runs_of_three_ = false;
    for (; at < end; at += lanes) offsets_.push_back(h * s.dilation_height * width + at - h * run);
  }
  band_rows_ = std::clamp<int64_t>(kBandPixels / std::max<int64_t>(1, s.output_width), 1,
                                   std::max<int64_t>(1, s.output_height));
  for (int64_t row = 0; row < band_rows_; ++row)
    for (int64_t x = 0; x < s.output_width; ++x)
      places_.push_back(row * s.stride_height * width + x * step);
}

template <typename T>
void SparseFilterSum<T>::Begin(const T* sum) {
  const int64_t channels = p_.shape.output_channels;
  sums_ = ThreadScratch<T>(ScratchUse::kSparse, channels * panel_);
  std::fill(sums_, sums_ + channels * panel_, T{0});
  if (sum == nullptr) return;
  for (int64_t i = 0; i < end_ - begin_; ++i, sum += channels)
    for (int64_t c = 0; c < channels; ++c) sums_[c * panel_ + i] = sum[c];
}

template <typename T>
void SparseFilterSum<T>::AddImage(const NonzeroMap<T>& map, int64_t image) {
  if (band_rows_ > 0) return AddBands(map, image);
  const int64_t channels = p_.shape.output_channels;
  int64_t block = 64;
  while (block > 8 && std::min(block, channels) * panel_ * sizeof(T) > kNearBytes) block /= 2;
  const uint64_t mask = block == 64 ? ~uint64_t{0} : (uint64_t{1} << block) - 1;
  for (int64_t c = 0; c < channels; c += block)
    AddChannels(map, image, {c / 64, c / 64 + 1}, mask << c % 64);
}

template <typename T>
void SparseFilterSum<T>::AddBands(const NonzeroMap<T>& map, int64_t image) {
  const ConvolutionShape& s = p_.shape;
  const int64_t width = s.input_width * s.input_channels;
  const int64_t gradients = s.output_height * s.output_width * s.output_channels;
  const bool last = image + 1 == s.images;
  for (int64_t row = 0; row < s.output_height; row += band_rows_) {
    const int64_t rows = std::min(band_rows_, s.output_height - row);
    const int64_t pixels = rows * s.output_width, words = (pixels + 63) / 64;
    uint64_t* bits = ThreadScratch<uint64_t>(ScratchUse::kChannelBits, s.output_channels * words);
    TransposeBits(map.Row(row), pixels, s.output_channels, bits);
    SparseBand<T> band;
    band.gradient =
        p_.output_gradient + image * gradients + row * s.output_width * s.output_channels;
    band.bits = bits;
    band.channels = s.output_channels;
    band.words = words;
    band.input = p_.input + (image * s.input_height + row * s.stride_height) * width;
    band.places = places_.data();
    band.offsets = offsets_.data();
    band.vectors = static_cast<int64_t>(offsets_.size());
    band.runs_of_three = runs_of_three_;
    band.sums = sums_;
    band.panel = panel_;
    // The same rows of the next image.
    band.next_gradient = band.gradient + gradients;
    band.next_gradients = last ? 0 : pixels * s.output_channels;
    band.next_input = band.input + s.input_height * width;
    band.next_inputs = last ? 0 : rows * s.stride_height * width;
    AddBand(band);
  }
}

// Adds what some output channels give.
template <typename T>
void SparseFilterSum<T>::AddChannels(const NonzeroMap<T>& map, int64_t image, WordRange words,
                                     uint64_t mask) {
  const ConvolutionShape& s = p_.shape;
  const int64_t width = s.input_width * s.input_channels;
  const int64_t run = s.filter_width * s.input_channels;
  SparseParts<const T> parts;
  for (int64_t row = 0; row < s.output_height; ++row) {
    parts.Clear();
    for (int64_t h = begin_ / run; h * run < end_; ++h) {
      const int64_t input_row = row * s.stride_height - s.padding_top + h * s.dilation_height;
      if (input_row < 0 || input_row >= s.input_height) continue;
      const int64_t begin = std::max(begin_, h * run), end = std::min(end_, (h + 1) * run);
      parts.Add({p_.input + (image * s.input_height + input_row) * width, begin - h * run,
                 end - h * run, begin - begin_});
    }
    if (parts.parts.empty()) continue;
    SparseRow<T> some = RowOf(p_, map, image, row);
    some.words = words;
    some.mask = mask;
    if (words.begin > 0 || (mask & 1) == 0) some.next_gradient = 0;  // it has been fetched
    AddFilterRow(some, parts, panel_, sums_);
  }
}

template <typename T>
void SparseFilterSum<T>::End(T* sum) const {
  const int64_t channels = p_.shape.output_channels;
  for (int64_t i = 0; i < end_ - begin_; ++i, sum += channels)
    for (int64_t c = 0; c < channels; ++c) sum[c] = sums_[c * panel_ + i];
}

template class NonzeroMap<float>;
template class NonzeroMap<double>;
template class SparseDataGradient<float>;
template class SparseDataGradient<double>;
template class SparseFilterSum<float>;
template class SparseFilterSum<double>;

}  // namespace lockstep::kernels
#endif
