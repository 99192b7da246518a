// The register tiles of products, once per instruction set (Highway's include pattern). The number
// of rows and vectors is a template argument, so that all sums of a tile live in registers.
#if defined(LOCKSTEP_PRODUCT_TILE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCKSTEP_PRODUCT_TILE_INL_H_
#undef LOCKSTEP_PRODUCT_TILE_INL_H_
#else
#define LOCKSTEP_PRODUCT_TILE_INL_H_
#endif

#include <hwy/highway.h>

#include <utility>
#include "kernels/cpu/product_tile.h"
#include "kernels/cpu/register_sums-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// The most vectors of a tile, and the most rows of a tile of so many vectors. The sums, a row of B
// and one element of A fill the 32 registers of AVX-512 or the 16 of AVX2; a row has its pointer. A
// last panel may be narrower than the others, so narrower tiles have no fewer rows.
#if HWY_TARGET <= HWY_AVX3
inline constexpr int kTileVectors = 4;
inline constexpr int kTileRows[kMaxTileVectors + 1] = {0, 12, 12, 8, 6};
#else
inline constexpr int kTileVectors = 2;
inline constexpr int kTileRows[kMaxTileVectors + 1] = {0, 8, 6, 0, 0};
#endif

template <typename T>
inline constexpr int kLanesOf = HWY_MAX_BYTES / static_cast<int>(sizeof(T));

template <typename T, int kRows, int kVectors>
HWY_INLINE void FetchToWrite(T* const* c) {
  LOCKSTEP_UNROLL
  for (int i = 0; i < kRows; ++i) {
    LOCKSTEP_UNROLL
    for (int j = 0; j < kVectors; ++j) __builtin_prefetch(c[i] + j * kLanesOf<T>, 1);
  }
}

// A chain that fetches on the way what the tile says.
template <typename T, int kRows, int kVectors, typename S>
HWY_INLINE void ChainAndFetch(S& sums, const Tile<T>& tile, const T* const* rows, const T* b,
                              int64_t length, const T*& ahead) {
  for (int64_t k = 0; k < length; k += kFetchSteps) {
    const T* now[kRows];
    LOCKSTEP_UNROLL
    for (int i = 0; i < kRows; ++i) now[i] = rows[i] + k * tile.a_step;
    for (int row = 0; row < tile.ahead_rows; ++row, ahead += tile.ahead_step) {
      LOCKSTEP_UNROLL
      for (int j = 0; j < kVectors; ++j) __builtin_prefetch(ahead + j * kLanesOf<T>);
    }
    sums.Chain(now, tile.a_step, b + k * tile.b_step, tile.b_step,
               length - k < kFetchSteps ? length - k : kFetchSteps);
  }
}

template <typename T, bool kApart, int kRows, int kVectors, bool kMasked>
HWY_NOINLINE void ProductTile(const Tile<T>& tile) {
  using S = Sums<T, kRows, kVectors, kMasked>;
  using D = typename S::D;
  S sums(tile.columns);
  if (tile.accumulate) {
    sums.LoadFrom(tile.c);
  } else {
    if (tile.fetch) FetchToWrite<T, kRows, kVectors>(tile.c);
    sums.SetZero();
  }
  const T* ahead = tile.ahead;
  for (int64_t s = 0; s < tile.num_segments; ++s) {
    const TileSegment& segment = tile.segments[s];
    const T* rows[kRows];
    LOCKSTEP_UNROLL
    for (int i = 0; i < kRows; ++i) rows[i] = tile.a[i] + segment.a_offset;
    const T* b = tile.b + segment.b_offset;
    if (!kApart && tile.fetch) {
      ChainAndFetch<T, kRows, kVectors>(sums, tile, rows, b, segment.length, ahead);
    } else {
      sums.template Chain<kApart>(rows, tile.a_step, b, tile.b_step, segment.length);
    }
  }
  if (tile.bias != nullptr) {
    LOCKSTEP_UNROLL
    for (int j = 0; j < kVectors; ++j) {
      const auto bias = sums.Load(tile.bias, j);
      LOCKSTEP_UNROLL
      for (int i = 0; i < kRows; ++i) sums.sum[i][j] = hn::Add(sums.sum[i][j], bias);
    }
  }
  if (tile.relu) {
    const auto zero = hn::Zero(D());
    LOCKSTEP_UNROLL
    for (int i = 0; i < kRows; ++i) {
      LOCKSTEP_UNROLL
      for (int j = 0; j < kVectors; ++j) {
        sums.sum[i][j] = hn::IfThenElse(hn::Lt(sums.sum[i][j], zero), zero, sums.sum[i][j]);
      }
    }
  }
  sums.StoreTo(tile.c);
}

// The examples' chain of one leaf of a LeafTile.
template <typename T, int kRows>
struct LeafChain {
  const LeafTile<T>& tile;

  template <typename S>
  HWY_INLINE int64_t operator()(S& sums, const FoldStep& leaf) const {
    const T* rows[kRows];
    LOCKSTEP_UNROLL
    for (int i = 0; i < kRows; ++i) rows[i] = tile.a[i] + leaf.first * tile.a_step;
    sums.SetZero();
    sums.Chain(rows, tile.a_step, tile.b + leaf.first * tile.b_step, tile.b_step, leaf.length);
    return 1;
  }
};

template <typename T, int kRows, int kVectors, bool kMasked>
HWY_NOINLINE void LeafProductTile(const LeafTile<T>& tile) {
  Sums<T, kRows, kVectors, kMasked> sums(tile.columns);
  FoldLeaves<T>(sums, tile.steps, tile.num_steps, LeafChain<T, kRows>{tile});
  sums.StoreTo(tile.c);
}

// The tiles of 1, 2, ... rows.
template <typename T, bool kApart, int kVectors, bool kMasked, size_t... kRow>
void ProductTileOfRows(const Tile<T>& tile, std::index_sequence<kRow...>) {
  static constexpr void (*kFunctions[])(const Tile<T>&) = {
      ProductTile<T, kApart, kRow + 1, kVectors, kMasked>...};
  kFunctions[tile.rows - 1](tile);
}

template <typename T, int kVectors, bool kMasked, size_t... kRow>
void LeafProductTileOfRows(const LeafTile<T>& tile, std::index_sequence<kRow...>) {
  static constexpr void (*kFunctions[])(const LeafTile<T>&) = {
      LeafProductTile<T, kRow + 1, kVectors, kMasked>...};
  kFunctions[tile.rows - 1](tile);
}

template <int kVectors>
using RowsOf = std::make_index_sequence<kTileRows[kVectors]>;

template <typename T, bool kApart, int kVectors>
void ProductTileOfVectors(const Tile<T>& tile) {
  if (tile.columns % kLanesOf<T> == 0) {
    ProductTileOfRows<T, kApart, kVectors, false>(tile, RowsOf<kVectors>());
  } else {
    ProductTileOfRows<T, kApart, kVectors, true>(tile, RowsOf<kVectors>());
  }
}

template <typename T, int kVectors>
void LeafProductTileOfVectors(const LeafTile<T>& tile) {
  if (tile.columns % kLanesOf<T> == 0) {
    LeafProductTileOfRows<T, kVectors, false>(tile, RowsOf<kVectors>());
  } else {
    LeafProductTileOfRows<T, kVectors, true>(tile, RowsOf<kVectors>());
  }
}

template <typename T, bool kApart, size_t... kVector>
void AnyProductTile(const Tile<T>& tile, std::index_sequence<kVector...>) {
  static constexpr void (*kFunctions[])(const Tile<T>&) = {
      ProductTileOfVectors<T, kApart, kVector + 1>...};
  kFunctions[(tile.columns - 1) / kLanesOf<T>](tile);
}

template <typename T, size_t... kVector>
void AnyLeafProductTile(const LeafTile<T>& tile, std::index_sequence<kVector...>) {
  static constexpr void (*kFunctions[])(const LeafTile<T>&) = {
      LeafProductTileOfVectors<T, kVector + 1>...};
  kFunctions[(tile.columns - 1) / kLanesOf<T>](tile);
}

static_assert(kTileVectors >= kApartVectors);
using AllVectors = std::make_index_sequence<kTileVectors>;

template <typename T>
const TileFunctions<T>* Functions() {
  static constexpr TileFunctions<T> kFunctions = {
      kLanesOf<T>,
      kTileVectors,
      {kTileRows[0], kTileRows[1], kTileRows[2], kTileRows[3], kTileRows[4]},
      [](const Tile<T>& tile) { AnyProductTile<T, false>(tile, AllVectors()); },
      [](const Tile<T>& tile) {
        AnyProductTile<T, true>(tile, std::make_index_sequence<kApartVectors>());
      },
      [](const LeafTile<T>& tile) { AnyLeafProductTile<T>(tile, AllVectors()); }};
  return &kFunctions;
}

}  // namespace lockstep::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // toggle
