#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/transpose.cc"
#include "kernels/cpu/transpose.h"

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace lockstep::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// An 8 x 8 block: pairs of rows, then pairs of pairs, are interleaved inside halves of vectors;
// then halves change places.
HWY_INLINE void TransposeBlock(const float* from, int64_t from_stride, float* to,
                               int64_t to_stride) {
  const hn::FixedTag<float, 8> d;
  const hn::FixedTag<double, 4> pairs;
  using V = hn::Vec<decltype(d)>;
  V row[8];
  for (int i = 0; i < 8; ++i) row[i] = hn::LoadU(d, from + i * from_stride);
  V column[8];
  for (int half = 0; half < 2; ++half) {
    const V* r = row + half * 4;
    const auto low01 = hn::BitCast(pairs, hn::InterleaveLower(d, r[0], r[1]));
    const auto high01 = hn::BitCast(pairs, hn::InterleaveUpper(d, r[0], r[1]));
    const auto low23 = hn::BitCast(pairs, hn::InterleaveLower(d, r[2], r[3]));
    const auto high23 = hn::BitCast(pairs, hn::InterleaveUpper(d, r[2], r[3]));
    column[half * 4 + 0] = hn::BitCast(d, hn::InterleaveLower(pairs, low01, low23));
    column[half * 4 + 1] = hn::BitCast(d, hn::InterleaveUpper(pairs, low01, low23));
    column[half * 4 + 2] = hn::BitCast(d, hn::InterleaveLower(pairs, high01, high23));
    column[half * 4 + 3] = hn::BitCast(d, hn::InterleaveUpper(pairs, high01, high23));
  }
  for (int j = 0; j < 4; ++j) {
    hn::StoreU(hn::ConcatLowerLower(d, column[4 + j], column[j]), d, to + j * to_stride);
    hn::StoreU(hn::ConcatUpperUpper(d, column[4 + j], column[j]), d, to + (j + 4) * to_stride);
  }
}

void TransposeFloats(const float* from, int64_t from_stride, int64_t rows, int64_t columns,
                     float* to, int64_t to_stride) {
  const int64_t whole_rows = rows / 8 * 8;
  const int64_t whole_columns = columns / 8 * 8;
  // Lines of 16 floats: read once, all of their block's rows.
  for (int64_t line = 0; line < whole_columns; line += 16) {
    const int64_t line_end = line + 16 < whole_columns ? line + 16 : whole_columns;
    for (int64_t i = 0; i < whole_rows; i += 8) {
      for (int64_t j = line; j < line_end; j += 8) {
        TransposeBlock(from + i * from_stride + j, from_stride, to + j * to_stride + i, to_stride);
      }
    }
  }
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = i < whole_rows ? whole_columns : 0; j < columns; ++j) {
      to[j * to_stride + i] = from[i * from_stride + j];
    }
  }
}

}  // namespace lockstep::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lockstep::kernels {

HWY_EXPORT(TransposeFloats);

void Transpose(const float* from, int64_t from_stride, int64_t rows, int64_t columns, float* to,
               int64_t to_stride) {
  HWY_DYNAMIC_DISPATCH(TransposeFloats)(from, from_stride, rows, columns, to, to_stride);
}

void Transpose(const double* from, int64_t from_stride, int64_t rows, int64_t columns, double* to,
               int64_t to_stride) {
  for (int64_t i = 0; i < rows; ++i) {
    for (int64_t j = 0; j < columns; ++j) to[j * to_stride + i] = from[i * from_stride + j];
  }
}

}  // namespace lockstep::kernels
#endif
