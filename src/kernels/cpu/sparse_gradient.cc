#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/sparse_gradient.cc"
#include "kernels/cpu/sparse_gradient.h"

#include <algorithm>
#include <bit>
#include <utility>

#include <hwy/foreach_target.h>
#include <hwy/highway.h>

#include "kernels/cpu/nonzero_bits-inl.h"
#include "kernels/cpu/register_sums-inl.h"

#ifndef LOCKSTEP_SPARSE_FOLD
#define LOCKSTEP_SPARSE_FOLD
namespace lockstep::kernels {

// Examples of a leaf that lie in one word.
struct LeafPart {
  int64_t word;
  uint64_t mask;
  int64_t adds;  // of the leaf behind its last part, else -1
};

// The chains of a block, and which elements of A are not zero.
struct SparseFold {
  const GradientTile<float>& tile;  // but for A
  const void* a;
  int64_t a_step;
  const float* numbers;  // of A's bytes; null: A has floats
  const uint64_t* bits;  // [rows][words], over examples
  int64_t words;
  const LeafPart* parts;  // of the plan's leaves
  int64_t num_parts;
  float* saved;  // [rows][plan's depth], the sums of leaves that wait for others
  int64_t examples;
  int64_t next_rows;  // of A's columns behind the block, which come next
};

// Rows that share the loads of G: neighbours are zero in nearly the same examples.
inline constexpr int64_t kSparseRows = 2;

}  // namespace lockstep::kernels
#endif

HWY_BEFORE_NAMESPACE();
namespace lockstep::kernels::HWY_NAMESPACE {

constexpr int kLanes = HWY_MAX_BYTES / sizeof(float);
// A strip's vectors of sums, which with those of a pair of rows stay in registers, and the strips
// of a block: what is known of a pair's zeros serves all of them.
constexpr int kSparseVectors = HWY_TARGET <= HWY_AVX3 ? 8 : 4;
constexpr int kSparseStrips = HWY_TARGET <= HWY_AVX3 ? 1 : 4;
constexpr int64_t kStrip = kSparseVectors * kLanes;
// Rows of G that stay in the nearest cache, while all rows of a block use them.
constexpr int64_t kNearElements = int64_t{1} << 13;

// Writes for each of the rows [0, rows) of A transposed which examples are not zero.
template <typename A>
void MapRows(const A* a, int64_t a_step, int64_t examples, int64_t rows, uint64_t* bits,
             int64_t words) {
  const hn::CappedTag<int8_t, 64> d;
  constexpr int64_t kBytes = HWY_MAX_BYTES, kElements = HWY_MAX_BYTES / sizeof(A);
  constexpr int64_t kGroup = kElements / 8;
  HWY_ALIGN uint8_t bytes[kGroup][64];  // eight rows of an example each
  for (int64_t row = 0; row < rows; row += kElements) {
    const int64_t count = std::min<int64_t>(kElements, rows - row);
    for (int64_t word = 0; word < words; ++word) {
      const int64_t end = std::min<int64_t>(64, examples - word * 64);
      const A* from = a + word * 64 * a_step + row;
      for (int64_t r = 0; r < end; ++r, from += a_step) {
        const uint64_t some = NonzeroBits(from, count);
        LOCKSTEP_UNROLL
        for (int64_t g = 0; g < kGroup; ++g) bytes[g][r] = static_cast<uint8_t>(some >> 8 * g);
      }
      for (int64_t g = 0; g < kGroup; ++g) std::fill(bytes[g] + end, bytes[g] + 64, uint8_t{0});
      for (int64_t at = 0; at < 64; at += kBytes) {
        for (int64_t g = 0; g < kGroup; ++g) {
          auto eight = hn::Load(d, reinterpret_cast<const int8_t*>(bytes[g] + at));
          for (int64_t i = std::min<int64_t>(8, count - 8 * g) - 1, shift = 0; shift < 8; ++shift) {
            const int64_t bit = 7 - shift;  // the highest first
            if (bit <= i) {
              auto* to = reinterpret_cast<uint8_t*>(bits + (row + 8 * g + bit) * words + word);
              hn::StoreMaskBits(d, hn::Lt(eight, hn::Zero(d)), to + at / 8);
            }
            eight = hn::Add(eight, eight);
          }
        }
      }
    }
  }
}

void MapFloatRows(const float* a, int64_t a_step, int64_t examples, int64_t rows, uint64_t* bits,
                  int64_t words) {
  MapRows(a, a_step, examples, rows, bits, words);
}
void MapByteRows(const uint8_t* a, int64_t a_step, int64_t examples, int64_t rows, uint64_t* bits,
                 int64_t words) {
  MapRows(a, a_step, examples, rows, bits, words);
}

// Parts of leaves that are worked off together, for all rows one after another.
struct SomeLeaves {
  const LeafPart* begin;
  const LeafPart* end;
  int64_t held;  // the sums that wait before
  bool last;
};

// Sums of a pair's strip that wait for others: those of this round near, older ones in memory.
struct WaitingSums {
  float* near;
  float* kept;
  int64_t top, held;

  template <typename S>
  HWY_INLINE void AddTo(S& sums, int64_t adds) {
    constexpr int64_t kSize = sizeof(sums.sum) / sizeof(float);
    for (; adds > 0; --adds) sums.AddLeft(top > 0 ? near + --top * kSize : kept + --held * kSize);
  }

  template <typename S>
  HWY_INLINE void Add(const S& sums) {
    sums.Save(near + top++ * static_cast<int64_t>(sizeof(sums.sum) / sizeof(float)));
  }

  template <typename S>
  HWY_INLINE void KeepAllAnd(const S& sums) const {
    constexpr int64_t kSize = sizeof(sums.sum) / sizeof(float);
    std::copy_n(near, top * kSize, kept + held * kSize);
    sums.Save(kept + (held + top) * kSize);
  }
};

// The rows of a round.
template <int kRows>
struct RowsInRound {
  const SparseFold& fold;
  const SomeLeaves& leaves;
  int64_t row;
};

// The chain of a leaf in a strip from `column`, and the sums that it completes; gives what waits.
template <typename A, int kRows, int kVectors, bool kMasked>
HWY_INLINE WaitingSums FoldStrip(const RowsInRound<kRows>& rows, const LeafPart* leaf,
                                 const LeafPart* leaf_end, int64_t column, WaitingSums waiting) {
  const SparseFold& fold = rows.fold;
  const GradientTile<float>& tile = fold.tile;
  const uint64_t* bits = fold.bits + rows.row * fold.words;
  Sums<float, kRows, kVectors, kMasked> sums(static_cast<int>(tile.columns - column));
  sums.SetZero();
  for (const LeafPart* part = leaf; part != leaf_end; ++part) {
    uint64_t left = bits[part->word];
    if (kRows > 1) left |= bits[fold.words + part->word];
    left &= part->mask;
    const A* a = static_cast<const A*>(fold.a) + part->word * 64 * fold.a_step + rows.row;
    const float* g = tile.g + part->word * 64 * tile.g_step + column;
    for (; left != 0; left &= left - 1) {
      const int64_t r = std::countr_zero(left);
      const A* row = a + r * fold.a_step;
      sums.AddProductsOf([row, &fold](int i) HWY_ATTR { return NumberOf(row[i], fold.numbers); },
                         g + r * tile.g_step);
    }
  }
  waiting.AddTo(sums, leaf_end[-1].adds);
  if (leaf_end != rows.leaves.end) {
    waiting.Add(sums);
  } else if (!rows.leaves.last) {
    waiting.KeepAllAnd(sums);
  } else {
    float* c[kRows];
    for (int i = 0; i < kRows; ++i) c[i] = tile.c + (rows.row + i) * tile.c_step + column;
    sums.StoreTo(c);
  }
  return waiting;
}

// All strips but the last, which has kVectors, are whole.
template <typename A, int kRows, int kVectors, bool kMasked>
HWY_INLINE void FoldRowsOf(const RowsInRound<kRows>& rows) {
  constexpr int64_t kStack = (kMostRegisterSums + 1) * kRows * kStrip;
  HWY_ALIGN float near[kSparseStrips * kStack];
  float* const kept = rows.fold.saved + rows.row * kMostRegisterSums * kSparseStrips * kStrip;
  const int64_t last_strip = (rows.fold.tile.columns - 1) / kStrip;
  int64_t top = 0, held = rows.leaves.held;
  for (const LeafPart* leaf = rows.leaves.begin; leaf != rows.leaves.end;) {
    const LeafPart* end = leaf;
    while ((end++)->adds < 0) {
    }
    const auto waiting = [&](int64_t strip) -> WaitingSums {
      return {near + strip * kStack, kept + strip * kMostRegisterSums * kRows * kStrip, top, held};
    };
    for (int64_t strip = 0; kSparseStrips > 1 && strip < last_strip; ++strip)
      FoldStrip<A, kRows, kSparseVectors, false>(rows, leaf, end, strip * kStrip, waiting(strip));
    const WaitingSums after = FoldStrip<A, kRows, kVectors, kMasked>(
        rows, leaf, end, last_strip * kStrip, waiting(last_strip));
    top = after.top;
    held = after.held;
    leaf = end;
  }
}

// Whether rows of A are zero in all examples.
HWY_INLINE bool AreZero(const SparseFold& fold, int64_t row, int64_t rows) {
  uint64_t some = 0;
  for (int64_t i = row * fold.words; i < (row + rows) * fold.words; ++i) some |= fold.bits[i];
  return some == 0;
}

// Brings the next block's elements of some examples nearer; pairs of rows take turns.
template <typename A>
HWY_INLINE void FetchNext(const SparseFold& fold, const SomeLeaves& leaves, int64_t row) {
  if (fold.next_rows == 0) return;
  constexpr int64_t kLine = 64 / sizeof(A);  // of the cache
  const GradientTile<float>& tile = fold.tile;
  const int64_t first = leaves.begin->word * 64, count = (leaves.end[-1].word + 1) * 64 - first;
  const int64_t end = std::min(fold.examples, first + count * (row + kSparseRows) / tile.rows);
  for (int64_t r = first + count * row / tile.rows; r < end; ++r) {
    const A* next = static_cast<const A*>(fold.a) + r * fold.a_step + tile.rows;
    for (int64_t at = 0; at < fold.next_rows; at += kLine) __builtin_prefetch(next + at, 0, 2);
  }
}

// Some leaves at a time for all rows; between them a row's sums wait in memory.
template <typename A, int kVectors, bool kMasked>
void FoldSparse(const SparseFold& fold) {
  const GradientTile<float>& tile = fold.tile;
  const int64_t near = kNearElements / tile.columns / 64;
  const LeafPart* const end = fold.parts + fold.num_parts;
  for (SomeLeaves leaves = {fold.parts, fold.parts, 0, false}; !leaves.last;) {
    int64_t held = leaves.held;
    for (bool whole = false; !leaves.last && !whole;) {
      const LeafPart& part = *leaves.end++;
      if (part.adds >= 0) held += 1 - part.adds;
      leaves.last = leaves.end == end;
      whole = part.adds >= 0 && !leaves.last && leaves.end->word - leaves.begin->word >= near;
    }
    for (int64_t row = 0; row < tile.rows; row += kSparseRows) {
      const int64_t rows = std::min(kSparseRows, tile.rows - row);
      FetchNext<A>(fold, leaves, row);
      if (AreZero(fold, row, rows)) {
        for (int64_t i = row; i < row + rows; ++i)
          std::fill_n(tile.c + i * tile.c_step, tile.columns, 0.0f);
      } else if (rows == kSparseRows) {
        FoldRowsOf<A, kSparseRows, kVectors, kMasked>(RowsInRound<kSparseRows>{fold, leaves, row});
      } else {
        FoldRowsOf<A, 1, kVectors, kMasked>(RowsInRound<1>{fold, leaves, row});
      }
    }
    leaves.begin = leaves.end;
    leaves.held = held;
  }
}

template <typename A, size_t... kVector>
void FoldAnySparse(const SparseFold& fold, std::index_sequence<kVector...>) {
  static constexpr void (*kFull[])(const SparseFold&) = {FoldSparse<A, kVector + 1, false>...};
  static constexpr void (*kPart[])(const SparseFold&) = {FoldSparse<A, kVector + 1, true>...};
  (fold.tile.columns % kLanes == 0 ? kFull
                                   : kPart)[(fold.tile.columns - 1) % kStrip / kLanes](fold);
}

void FoldSparseRows(const SparseFold& fold) {
  constexpr auto kVectors = std::make_index_sequence<kSparseVectors>();
  fold.numbers == nullptr ? FoldAnySparse<float>(fold, kVectors)
                          : FoldAnySparse<uint8_t>(fold, kVectors);
}

int64_t WidestSparse() { return kSparseStrips * kStrip; }

}  // namespace lockstep::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
#include "kernels/cpu/scratch.h"
#include "kernels/cpu/underflow.h"
#include "kernels/cpu/zeros.h"

namespace lockstep::kernels {
namespace {

HWY_EXPORT(MapFloatRows);
HWY_EXPORT(MapByteRows);
HWY_EXPORT(FoldSparseRows);
HWY_EXPORT(WidestSparse);

// Fewer examples are in a near cache anyway.
constexpr int64_t kExamplesThatPayFetching = 128;

void Map(const Factor<float>& a, int64_t examples, int64_t rows, uint64_t* bits, int64_t words) {
  HWY_DYNAMIC_DISPATCH(MapFloatRows)(a.elements, a.stride, examples, rows, bits, words);
}
void Map(const Factor<uint8_t>& a, int64_t examples, int64_t rows, uint64_t* bits, int64_t words) {
  HWY_DYNAMIC_DISPATCH(MapByteRows)(a.elements, a.stride, examples, rows, bits, words);
}

// The block with the floats of A.
GradientTile<float> WithFloats(const GradientTile<float>& tile, const Factor<float>& a, int64_t) {
  GradientTile<float> result = tile;
  result.a = a.elements;
  result.a_step = a.stride;
  return result;
}
GradientTile<float> WithFloats(const GradientTile<float>& tile, const Factor<uint8_t>& a,
                               int64_t examples) {
  GradientTile<float> result = tile;
  result.a = ScaledRows(a, examples, tile.rows);
  result.a_step = tile.rows;
  return result;
}

int64_t ExamplesOf(const FoldPlan& plan) {
  if (plan.size() == 0) return 0;
  const FoldStep& last = *(plan.end() - 1);
  return last.first + last.length;
}

}  // namespace

template <typename A>
void ComputeWholeGradient(const GradientTile<float>& tile, const Factor<A>& a) {
  GradientTile<float> part = WithFloats(tile, a, ExamplesOf(*tile.plan));
  const int64_t width = GradientTileColumns<float>();
  for (int64_t n = 0; n < tile.columns; n += width) {
    part.g = tile.g + n;
    part.c = tile.c + n;
    part.columns = std::min(width, tile.columns - n);
    ComputeGradientTile(part);
  }
}

namespace {

// Cuts the leaves where words end; gives the number of parts.
int64_t CutLeaves(const FoldPlan& plan, LeafPart* parts) {
  LeafPart* next = parts;
  for (const FoldStep& leaf : plan) {
    const int64_t end = leaf.first + leaf.length;
    for (int64_t from = leaf.first; from < end;) {
      const int64_t word = from / 64, to = std::min(end, word * 64 + 64);
      const uint64_t mask = ~uint64_t{0} >> (64 - (to - from)) << (from - word * 64);
      *next++ = {word, mask, to == end ? leaf.adds : -1};
      from = to;
    }
  }
  return next - parts;
}

}  // namespace

int64_t SparseGradientColumns() { return HWY_DYNAMIC_DISPATCH(WidestSparse)(); }

template <typename A>
void ComputeSparseGradient(const GradientTile<float>& tile, const Factor<A>& a, int64_t next_rows) {
  const FoldPlan& plan = *tile.plan;
  if (plan.size() == 0 || !plan.FitsRegisters()) return ComputeWholeGradient(tile, a);
  const int64_t examples = ExamplesOf(plan), words = (examples + 63) / 64;
  uint64_t* bits = ThreadScratch<uint64_t>(ScratchUse::kNonzeroBits, tile.rows * words);
  Map(a, examples, tile.rows, bits, words);
  int64_t nonzero = 0;
  for (int64_t i = 0; i < tile.rows * words; ++i) nonzero += std::popcount(bits[i]);
  if (!IsSparse(nonzero, tile.rows * examples, kSparseGradient))
    return ComputeWholeGradient(tile, a);
  LeafPart* parts = ThreadScratch<LeafPart>(ScratchUse::kLeafParts, plan.size() + words);
  const int64_t num_parts = CutLeaves(plan, parts);
  float* saved = ThreadScratch<float>(ScratchUse::kLeafSums,
                                      tile.rows * kMostRegisterSums * SparseGradientColumns());
  const UnderflowWatch watch;
  if (examples < kExamplesThatPayFetching) next_rows = 0;
  HWY_DYNAMIC_DISPATCH(FoldSparseRows)
  ({tile, a.elements, a.stride, a.table(), bits, words, parts, num_parts, saved, examples,
    next_rows});
  if (watch.Seen()) ComputeWholeGradient(tile, a);
}

template void ComputeSparseGradient(const GradientTile<float>&, const Factor<float>&, int64_t);
template void ComputeSparseGradient(const GradientTile<float>&, const Factor<uint8_t>&, int64_t);
template void ComputeWholeGradient(const GradientTile<float>&, const Factor<float>&);
template void ComputeWholeGradient(const GradientTile<float>&, const Factor<uint8_t>&);

}  // namespace lockstep::kernels
#endif
