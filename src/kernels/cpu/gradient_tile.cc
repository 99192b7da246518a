// Blocks of weights' gradients: tiles whose sums, a row of G and one element of A fill the
// registers, all tiles of a block in one call, whose rows lie side by side in A.

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/gradient_tile.cc"
#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include <utility>

#include "kernels/cpu/gradient_tile.h"
#include "kernels/cpu/register_sums-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

inline constexpr int kMostRows = 6;
inline constexpr int kMostVectors = HWY_TARGET <= HWY_AVX3 ? 4 : 2;

// The chains of one leaf.
template <typename T, int kRows, int kVectors, bool kMasked>
HWY_INLINE void Chain(const GradientTile<T>& tile, const T* a, const T* g, int64_t length,
                      Sums<T, kRows, kVectors, kMasked>& sums) {
  const int64_t a_step = tile.a_step, g_step = tile.g_step;
  sums.SetZero();
  for (int64_t k = 0; k < length; ++k, a += a_step, g += g_step) {
    typename std::remove_reference_t<decltype(sums)>::V columns[kVectors];
    LOCKSTEP_UNROLL
    for (int j = 0; j < kVectors; ++j) columns[j] = sums.Load(g, j);
    LOCKSTEP_UNROLL
    for (int i = 0; i < kRows; ++i) {
      const auto row = hn::Set(hn::ScalableTag<T>(), a[i]);
      LOCKSTEP_UNROLL
      for (int j = 0; j < kVectors; ++j) {
        sums.sum[i][j] = hn::MulAdd(row, columns[j], sums.sum[i][j]);
      }
    }
  }
}

// Whole tiles of kRows from `row` on; returns the row after the last.
template <int kRows, typename T, int kVectors, bool kMasked>
int64_t FoldRows(const GradientTile<T>& tile, int64_t row) {
  for (; row + kRows <= tile.rows; row += kRows) {
    Sums<T, kRows, kVectors, kMasked> sums(static_cast<int>(tile.columns));
    FoldLeaves<T>(sums, tile.plan->begin(), tile.plan->size(),
                  [&](auto& of_leaf, int64_t first, int64_t length) HWY_ATTR {
                    Chain(tile, tile.a + first * tile.a_step + row, tile.g + first * tile.g_step,
                          length, of_leaf);
                  });
    T* c = tile.c + row * tile.c_step;
    LOCKSTEP_UNROLL
    for (int i = 0; i < kRows; ++i) {
      LOCKSTEP_UNROLL
      for (int j = 0; j < kVectors; ++j) sums.Store(sums.sum[i][j], c + i * tile.c_step, j);
    }
  }
  return row;
}

// The highest tiles first, then what is left of the rows.
template <typename T, int kVectors, bool kMasked>
void FoldBlock(const GradientTile<T>& tile) {
  int64_t row = FoldRows<kMostRows, T, kVectors, kMasked>(tile, 0);
  row = FoldRows<kMostRows / 2, T, kVectors, kMasked>(tile, row);
  FoldRows<1, T, kVectors, kMasked>(tile, row);
}

template <typename T, size_t... kVector>
void FoldAnyBlock(const GradientTile<T>& tile, std::index_sequence<kVector...>) {
  constexpr int64_t kLanes = HWY_MAX_BYTES / sizeof(T);
  static constexpr void (*kFull[])(const GradientTile<T>&) = {FoldBlock<T, kVector + 1, false>...};
  static constexpr void (*kPart[])(const GradientTile<T>&) = {FoldBlock<T, kVector + 1, true>...};
  const auto vectors = (tile.columns - 1) / kLanes;
  (tile.columns % kLanes == 0 ? kFull : kPart)[vectors](tile);
}

template <typename T>
void FoldAnyBlock(const GradientTile<T>& tile) {
  FoldAnyBlock(tile, std::make_index_sequence<kMostVectors>());
}

void FoldFloats(const GradientTile<float>& tile) { FoldAnyBlock(tile); }
void FoldDoubles(const GradientTile<double>& tile) { FoldAnyBlock(tile); }
int64_t WidestBytes() { return kMostVectors * HWY_MAX_BYTES; }

}  // namespace lockstep::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lockstep::kernels {

HWY_EXPORT(FoldFloats);
HWY_EXPORT(FoldDoubles);
HWY_EXPORT(WidestBytes);

template <>
int64_t GradientTileColumns<float>() {
  return HWY_DYNAMIC_DISPATCH(WidestBytes)() / static_cast<int64_t>(sizeof(float));
}
template <>
int64_t GradientTileColumns<double>() {
  return HWY_DYNAMIC_DISPATCH(WidestBytes)() / static_cast<int64_t>(sizeof(double));
}
template <>
void ComputeGradientTile(const GradientTile<float>& tile) {
  HWY_DYNAMIC_DISPATCH(FoldFloats)(tile);
}
template <>
void ComputeGradientTile(const GradientTile<double>& tile) {
  HWY_DYNAMIC_DISPATCH(FoldDoubles)(tile);
}

}  // namespace lockstep::kernels
#endif
