#pragma once

#include <cstdint>

#include "kernels/cpu/leaf_fold.h"

namespace lockstep::kernels {

/// The rows of the largest register tile on any instruction set.
inline constexpr int kMaxTileRows = 12;
/// The vectors of the widest register tile on any instruction set.
inline constexpr int kMaxTileVectors = 4;
/// The vectors of the widest tile whose columns have their own elements of A.
inline constexpr int kApartVectors = 2;

/// Depth steps after which a tile fetches more of what comes next.
inline constexpr int64_t kFetchSteps = 16;

/// A run of depth steps: A starts at `a_offset` from each row's pointer, B at `b_offset` from the
/// tile's.
struct TileSegment {
  int64_t a_offset = 0;
  int64_t b_offset = 0;
  int64_t length = 0;
};

/// A register tile of a product: `rows` x `columns` elements of C, each one chain of fused
/// multiply-adds over the segments in order: acc = fma(a[i][a_offset + k * a_step],
/// b[b_offset + k * b_step + j], acc), from zero or, with `accumulate`, from C. Then `bias`[j] is
/// added where given, and with `relu` a negative value becomes +0.
template <typename T>
struct Tile {
  const T* a[kMaxTileRows];
  T* c[kMaxTileRows];
  int64_t a_step = 1;
  const T* b = nullptr;
  int64_t b_step = 0;
  const TileSegment* segments = nullptr;
  int64_t num_segments = 0;
  int rows = 0;     // 1 to TileFunctions::MaxRows
  int columns = 0;  // 1 to TileFunctions::Panel
  const T* bias = nullptr;
  bool accumulate = false;
  bool relu = false;
  /// With `fetch`, what is wanted soon is brought into the cache on the way: the lines of C, and of
  /// a matrix that comes next `ahead_rows` rows of a panel for every kFetchSteps of the depth.
  bool fetch = false;
  const T* ahead = nullptr;
  int64_t ahead_step = 0;
  int ahead_rows = 0;
};

/// A register tile of a product that sums over examples: a leaf is one chain over its depth steps
/// from zero; the leaves are added in the plan's order without leaving the processor. The segments,
/// `bias`, `accumulate`, `relu` and `fetch` are not looked at.
template <typename T>
struct LeafTile : Tile<T> {
  const FoldStep* steps = nullptr;
  int64_t num_steps = 0;
};

/// The register kernels of one instruction set.
template <typename T>
struct TileFunctions {
  int lanes;
  int max_vectors;
  int max_rows[kMaxTileVectors + 1];  // by vectors; wider tiles have fewer rows
  void (*product)(const Tile<T>& tile);
  /// The same with each column's own elements of A: column j reads A at + j. At most PanelApart
  /// columns.
  void (*product_apart)(const Tile<T>& tile);
  void (*leaf_product)(const LeafTile<T>& tile);

  /// The width of the panels that `columns` are best cut into.
  int64_t Panel(int64_t columns) const {
    const int64_t vectors = (columns + lanes - 1) / lanes;
    const int64_t panels = (vectors + max_vectors - 1) / max_vectors;
    return panels == 0 ? lanes : (vectors + panels - 1) / panels * lanes;
  }
  int64_t PanelApart(int64_t columns) const {
    return columns <= lanes ? lanes : kApartVectors * lanes;
  }
  int MaxRows(int64_t panel) const { return max_rows[panel / lanes]; }
};

/// The kernels for this processor; the choice changes the speed, never the bits.
template <typename T>
const TileFunctions<T>& ChosenTileFunctions();
template <>
const TileFunctions<float>& ChosenTileFunctions<float>();
template <>
const TileFunctions<double>& ChosenTileFunctions<double>();

}  // namespace lockstep::kernels
