#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/product_pack.cc"
#include "kernels/cpu/product_pack.h"

#include <algorithm>

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/cpu/transpose.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// Copies lines of kWhole whole vectors and the lanes of `tail`.
template <int kWhole, bool kTail, typename T, class D>
HWY_INLINE void CopyVectors(D d, const T* from, int64_t from_stride, int64_t lines,
                            hn::Mask<D> tail, T* to, int64_t to_stride) {
  constexpr int kLanes = HWY_MAX_BYTES / sizeof(T);
  for (; lines > 0; --lines, from += from_stride, to += to_stride) {
    for (int v = 0; v < kWhole; ++v)
      hn::StoreU(hn::LoadU(d, from + v * kLanes), d, to + v * kLanes);
    if (kTail) {
      const auto last = hn::MaskedLoad(tail, d, from + kWhole * kLanes);
      hn::BlendedStore(last, tail, d, to + kWhole * kLanes);
    }
  }
}

// Copies `lines` lines of `count` elements, at most four vectors of them at a time.
template <typename T>
HWY_INLINE void CopyLines(const T* from, int64_t from_stride, int64_t lines, int64_t count, T* to,
                          int64_t to_stride) {
  constexpr int64_t kLanes = HWY_MAX_BYTES / sizeof(T);
  const hn::ScalableTag<T> d;
  for (; count > 0; count -= 4 * kLanes, from += 4 * kLanes, to += 4 * kLanes) {
    const auto tail = hn::FirstN(d, static_cast<size_t>(count % kLanes));
    if (count >= 4 * kLanes) {
      CopyVectors<4, false>(d, from, from_stride, lines, tail, to, to_stride);
    } else if (count > 3 * kLanes) {
      CopyVectors<3, true>(d, from, from_stride, lines, tail, to, to_stride);
    } else if (count == 3 * kLanes) {
      CopyVectors<3, false>(d, from, from_stride, lines, tail, to, to_stride);
    } else if (count > 2 * kLanes) {
      CopyVectors<2, true>(d, from, from_stride, lines, tail, to, to_stride);
    } else if (count == 2 * kLanes) {
      CopyVectors<2, false>(d, from, from_stride, lines, tail, to, to_stride);
    } else if (count > kLanes) {
      CopyVectors<1, true>(d, from, from_stride, lines, tail, to, to_stride);
    } else if (count == kLanes) {
      CopyVectors<1, false>(d, from, from_stride, lines, tail, to, to_stride);
    } else {
      CopyVectors<0, true>(d, from, from_stride, lines, tail, to, to_stride);
    }
  }
}

// Copies `lines` lines of `count` elements, some of kQuads times four. What is written too much of
// a line the next one overwrites, and what is read too much lies in the next one; so where nothing
// comes `after` these lines, the last is copied by the element.
template <int kQuads, typename T>
HWY_INLINE void CopyShortLines(const T* from, int64_t from_stride, int64_t lines, int64_t count,
                               bool after, T* to) {
  const hn::FixedTag<T, 4> d;
  const int64_t whole = after ? lines : lines - 1;
  for (int64_t k = 0; k < whole; ++k, from += from_stride, to += count) {
    for (int q = 0; q < kQuads; ++q) hn::StoreU(hn::LoadU(d, from + q * 4), d, to + q * 4);
  }
  if (!after) std::copy_n(from, count, to);
}

// A few steps of the depth at a time, whose lines of A stay in the nearest cache from tile to tile
// even if they all lie at the same offset of a page.
template <typename T>
HWY_INLINE void CopyTiles(const T* a, int64_t a_stride, int64_t depth, const TileRows& tiles,
                          T* packed) {
  constexpr int64_t kSteps = 8, kShortest = 3;  // elements that too long a copy may exceed
  for (int64_t k = 0; k < depth; k += kSteps) {
    const int64_t steps = std::min(kSteps, depth - k);
    for (int64_t t = 0; t < tiles.tiles; ++t) {
      const int64_t row = tiles.Begin(t), height = tiles.Begin(t + 1) - row;
      const T* from = a + k * a_stride + row;
      T* to = packed + row * depth + k * height;
      const bool after = k + steps < depth;
      for (int64_t s = kSteps; s < std::min(2 * kSteps, depth - k); ++s) {
        __builtin_prefetch(from + s * a_stride + height);  // mostly the next tile's line, too
      }
      if (height < kShortest) {
        CopyLines(from, a_stride, steps, height, to, height);
      } else if (height <= 4) {
        CopyShortLines<1>(from, a_stride, steps, height, after, to);
      } else if (height <= 8) {
        CopyShortLines<2>(from, a_stride, steps, height, after, to);
      } else {
        CopyShortLines<3>(from, a_stride, steps, height, after, to);
      }
    }
  }
}

void CopyFloatTiles(const float* a, int64_t a_stride, int64_t depth, const TileRows& tiles,
                    float* packed) {
  CopyTiles(a, a_stride, depth, tiles, packed);
}
void CopyDoubleTiles(const double* a, int64_t a_stride, int64_t depth, const TileRows& tiles,
                     double* packed) {
  CopyTiles(a, a_stride, depth, tiles, packed);
}
void CopyFloats(const float* from, int64_t from_stride, int64_t lines, int64_t count, float* to,
                int64_t to_stride) {
  CopyLines(from, from_stride, lines, count, to, to_stride);
}
void CopyDoubles(const double* from, int64_t from_stride, int64_t lines, int64_t count, double* to,
                 int64_t to_stride) {
  CopyLines(from, from_stride, lines, count, to, to_stride);
}

}  // namespace lockstep::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lockstep::kernels {

HWY_EXPORT(CopyFloats);
HWY_EXPORT(CopyDoubles);
HWY_EXPORT(CopyFloatTiles);
HWY_EXPORT(CopyDoubleTiles);

namespace {

void CopyLines(const float* from, int64_t from_stride, int64_t lines, int64_t count, float* to,
               int64_t to_stride) {
  HWY_DYNAMIC_DISPATCH(CopyFloats)(from, from_stride, lines, count, to, to_stride);
}
void CopyLines(const double* from, int64_t from_stride, int64_t lines, int64_t count, double* to,
               int64_t to_stride) {
  HWY_DYNAMIC_DISPATCH(CopyDoubles)(from, from_stride, lines, count, to, to_stride);
}

}  // namespace

template <typename T>
void PackColumns(const T* b, int64_t b_stride, bool transposed, int64_t depth, int64_t columns,
                 int64_t panel, T* packed) {
  for (int64_t n = 0; n < columns; n += panel, packed += depth * panel) {
    const int64_t count = std::min(panel, columns - n);
    if (transposed) {
      Transpose(b + n * b_stride, b_stride, count, depth, packed, panel);
    } else {
      CopyLines(b + n, b_stride, depth, count, packed, panel);
    }
  }
}

template <>
void PackTransposedRows(const float* a, int64_t a_stride, int64_t depth, const TileRows& tiles,
                        float* packed) {
  HWY_DYNAMIC_DISPATCH(CopyFloatTiles)(a, a_stride, depth, tiles, packed);
}
template <>
void PackTransposedRows(const double* a, int64_t a_stride, int64_t depth, const TileRows& tiles,
                        double* packed) {
  HWY_DYNAMIC_DISPATCH(CopyDoubleTiles)(a, a_stride, depth, tiles, packed);
}

template void PackColumns(const float*, int64_t, bool, int64_t, int64_t, int64_t, float*);
template void PackColumns(const double*, int64_t, bool, int64_t, int64_t, int64_t, double*);

}  // namespace lockstep::kernels
#endif
