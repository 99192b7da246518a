// The register tiles of products, once per instruction set (Highway's include pattern). The number
// of rows and vectors is a template argument, so that all sums of a tile live in registers.
#if defined(LOCKSTEP_PRODUCT_TILE_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCKSTEP_PRODUCT_TILE_INL_H_
#undef LOCKSTEP_PRODUCT_TILE_INL_H_
#else
#define LOCKSTEP_PRODUCT_TILE_INL_H_
#endif

#include "hwy/highway.h"
#include "kernels/cpu/product_tile.h"
#include "kernels/cpu/register_sums-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// 16 sums + 2 vectors of B + 1 of A of 32 registers with AVX-512; 12 + 2 + 1 of 16 with AVX2.
#if HWY_TARGET <= HWY_AVX3
inline constexpr int kTileRows = 8;
#else
inline constexpr int kTileRows = 6;
#endif
static_assert(kTileRows <= kMaxTileRows);

template <typename T, int kRows, int kVectors, bool kMasked>
HWY_NOINLINE void ProductTile(const Tile<T>& tile) {
  using S = Sums<T, kRows, kVectors, kMasked>;
  using D = typename S::D;
  S sums(tile.columns);
  if (tile.accumulate) {
    sums.LoadFrom(tile.c);
  } else {
    sums.SetZero();
  }
  for (int64_t s = 0; s < tile.num_segments; ++s) {
    const TileSegment& segment = tile.segments[s];
    const T* rows[kRows];
    LOCKSTEP_UNROLL
    for (int i = 0; i < kRows; ++i) rows[i] = tile.a[i] + segment.a_offset;
    sums.Chain(rows, tile.a_step, tile.b + segment.b_offset, tile.b_step, segment.length);
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
  HWY_INLINE void operator()(S& sums, int64_t first, int64_t length) const {
    const T* rows[kRows];
    LOCKSTEP_UNROLL
    for (int i = 0; i < kRows; ++i) rows[i] = tile.a[i] + first * tile.a_step;
    sums.SetZero();
    sums.Chain(rows, tile.a_step, tile.b + first * tile.b_step, tile.b_step, length);
  }
};

template <typename T, int kRows, int kVectors, bool kMasked>
HWY_NOINLINE void LeafProductTile(const LeafTile<T>& tile) {
  Sums<T, kRows, kVectors, kMasked> sums(tile.columns);
  FoldLeaves<T>(sums, tile.offsets, tile.num_leaves, LeafChain<T, kRows>{tile});
  sums.StoreTo(tile.c);
}

template <typename T, int kVectors, bool kMasked>
HWY_INLINE void ProductTileOfRows(const Tile<T>& tile) {
  using Function = void (*)(const Tile<T>&);
  static constexpr Function kFunctions[] = {
    ProductTile<T, 1, kVectors, kMasked>,
    ProductTile<T, 2, kVectors, kMasked>,
    ProductTile<T, 3, kVectors, kMasked>,
    ProductTile<T, 4, kVectors, kMasked>,
    ProductTile<T, 5, kVectors, kMasked>,
    ProductTile<T, 6, kVectors, kMasked>,
#if HWY_TARGET <= HWY_AVX3
    ProductTile<T, 7, kVectors, kMasked>,
    ProductTile<T, 8, kVectors, kMasked>,
#endif
  };
  kFunctions[tile.rows - 1](tile);
}

template <typename T, int kVectors, bool kMasked>
HWY_INLINE void LeafProductTileOfRows(const LeafTile<T>& tile) {
  using Function = void (*)(const LeafTile<T>&);
  static constexpr Function kFunctions[] = {
    LeafProductTile<T, 1, kVectors, kMasked>,
    LeafProductTile<T, 2, kVectors, kMasked>,
    LeafProductTile<T, 3, kVectors, kMasked>,
    LeafProductTile<T, 4, kVectors, kMasked>,
    LeafProductTile<T, 5, kVectors, kMasked>,
    LeafProductTile<T, 6, kVectors, kMasked>,
#if HWY_TARGET <= HWY_AVX3
    LeafProductTile<T, 7, kVectors, kMasked>,
    LeafProductTile<T, 8, kVectors, kMasked>,
#endif
  };
  kFunctions[tile.rows - 1](tile);
}

template <typename T>
void AnyProductTile(const Tile<T>& tile) {
  constexpr int kLanes = HWY_MAX_BYTES / sizeof(T);
  if (tile.columns == 2 * kLanes) return ProductTileOfRows<T, 2, false>(tile);
  if (tile.columns > kLanes) return ProductTileOfRows<T, 2, true>(tile);
  return ProductTileOfRows<T, 1, true>(tile);
}

template <typename T>
void AnyLeafProductTile(const LeafTile<T>& tile) {
  constexpr int kLanes = HWY_MAX_BYTES / sizeof(T);
  if (tile.columns == 2 * kLanes) return LeafProductTileOfRows<T, 2, false>(tile);
  if (tile.columns > kLanes) return LeafProductTileOfRows<T, 2, true>(tile);
  return LeafProductTileOfRows<T, 1, true>(tile);
}

template <typename T>
const TileFunctions<T>* Functions() {
  static constexpr TileFunctions<T> kFunctions = {kTileRows, 2 * HWY_MAX_BYTES / sizeof(T),
                                                  AnyProductTile<T>, AnyLeafProductTile<T>};
  return &kFunctions;
}

}  // namespace lockstep::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // toggle
