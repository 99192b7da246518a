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

inline constexpr bool kManyRegisters = HWY_TARGET <= HWY_AVX3;
inline constexpr int kMostVectors = kManyRegisters ? 4 : 2;
// Leaves that are shorter are added up by fours.
inline constexpr int64_t kLongLeaf = 16;

// The tile of a call that takes kLeaves at a time. Between leaves a tile's sums wait in memory, and
// to store a vector takes as long as two multiply-adds. A smaller tile has registers left in which
// the sums of four leaves wait for each other.
template <int kLeaves>
struct TileSize {
  static constexpr int kRows = kLeaves == 1 ? 6 : 4;
  static constexpr int kVectors = kLeaves == 1 ? kMostVectors : kMostVectors / 2;
};

// The sum of kLeaves leaves, a whole subtree, from `leaf` on, for the rows from `row` on.
template <int kLeaves, typename T, typename S>
HWY_INLINE void AddLeaves(const GradientTile<T>& tile, int64_t row, const FoldStep* leaf, S& sums) {
  if constexpr (kLeaves > 1) {
    S left = sums;
    AddLeaves<kLeaves / 2>(tile, row, leaf, left);
    AddLeaves<kLeaves / 2>(tile, row, leaf + kLeaves / 2, sums);
    sums.AddLeft(left);
  } else {
    const T* a = tile.a + leaf->first * tile.a_step + row;
    const T* g = tile.g + leaf->first * tile.g_step;
    sums.SetZero();
    for (int64_t k = 0; k < leaf->length; ++k, a += tile.a_step, g += tile.g_step) {
      sums.AddProducts(a, g);
    }
  }
}

// Whole tiles of kRows from `row` on; returns the row after the last.
template <int kLeaves, int kRows, typename T, int kVectors, bool kMasked>
int64_t FoldRows(const GradientTile<T>& tile, int64_t row) {
  for (; row + kRows <= tile.rows; row += kRows) {
    Sums<T, kRows, kVectors, kMasked> sums(static_cast<int>(tile.columns));
    FoldLeaves<T>(sums, tile.plan->begin(), tile.plan->size(),
                  [&](auto& of_leaves, const FoldStep& step) HWY_ATTR -> int64_t {
                    if (kLeaves == 4 && step.begins_four) {
                      AddLeaves<4>(tile, row, &step, of_leaves);
                      return 4;
                    }
                    AddLeaves<1>(tile, row, &step, of_leaves);
                    return 1;
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
template <int kLeaves, typename T, int kVectors, bool kMasked>
void FoldPanel(const GradientTile<T>& tile) {
  constexpr int kRows = TileSize<kLeaves>::kRows;
  int64_t row = FoldRows<kLeaves, kRows, T, kVectors, kMasked>(tile, 0);
  row = FoldRows<kLeaves, kRows / 2, T, kVectors, kMasked>(tile, row);
  FoldRows<kLeaves, 1, T, kVectors, kMasked>(tile, row);
}

// Panels of as many columns as a tile has.
template <int kLeaves, typename T, int kVectors, bool kMasked>
void FoldPanels(const GradientTile<T>& tile) {
  constexpr int kWidest = TileSize<kLeaves>::kVectors;
  if constexpr (kVectors <= kWidest) {
    FoldPanel<kLeaves, T, kVectors, kMasked>(tile);
  } else {
    constexpr int64_t kColumns = kWidest * (HWY_MAX_BYTES / sizeof(T));
    GradientTile<T> left = tile, right = tile;
    left.columns = kColumns;
    FoldPanel<kLeaves, T, kWidest, false>(left);
    right.columns -= kColumns;
    right.g += kColumns;
    right.c += kColumns;
    FoldPanels<kLeaves, T, kVectors - kWidest, kMasked>(right);
  }
}

template <typename T, int kVectors, bool kMasked>
void FoldBlock(const GradientTile<T>& tile) {
  if constexpr (kManyRegisters) {
    const FoldPlan& plan = *tile.plan;
    if (plan.size() > 0 && plan.begin()->begins_four && plan.begin()->length < kLongLeaf) {
      return FoldPanels<4, T, kVectors, kMasked>(tile);
    }
  }
  FoldPanels<1, T, kVectors, kMasked>(tile);
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
