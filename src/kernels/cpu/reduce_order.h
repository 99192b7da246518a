#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <span>
#include <type_traits>
#include <vector>

#include "kernels/leaf_tree.h"

/// The order in which a reduction combines its elements. It depends on shapes (and leaves) only:
/// - Elements next to each other: tiles of 4096; in a tile element i joins lane i % 16, ascending,
///   from the identity; lanes j and j + 8 join, then j + 4, j + 2, j + 1; tiles by the canonical
///   tree.
/// - Rows: a chain inside a leaf, ascending, from the first row; leaves by the canonical tree.
///   Without leaves each 1024 rows count as one.
namespace lockstep::kernels {

inline constexpr int64_t kReduceTile = 4096;
inline constexpr int64_t kReduceLeaf = 1024;
inline constexpr int kReduceLanes = 16;

template <typename T>
inline constexpr bool kHasVectors = std::is_same_v<T, float> || std::is_same_v<T, double>;

template <typename T>
struct VectorOf {
  static constexpr int kCount = 32 / sizeof(T);
  typedef T Type __attribute__((vector_size(32)));
  typedef T Unaligned __attribute__((vector_size(32), aligned(alignof(T)), may_alias));
  static Type Load(const T* from) { return *reinterpret_cast<const Unaligned*>(from); }
  static void Store(Type value, T* to) { *reinterpret_cast<Unaligned*>(to) = value; }
};

/// to[i] = Combine(to[i], Map(from[i])).
template <typename Operator, typename T>
void CombineRow(typename Operator::Value* to, const T* from, int64_t count) {
  using Value = typename Operator::Value;
  int64_t i = 0;
  if constexpr (kHasVectors<T>) {
    using V = VectorOf<T>;
    for (; i + V::kCount <= count; i += V::kCount) {
      V::Store(Operator::Combine(V::Load(to + i), Operator::Map(V::Load(from + i))), to + i);
    }
  }
  for (; i < count; ++i) {
    to[i] = Operator::Combine(to[i], Operator::Map(static_cast<Value>(from[i])));
  }
}

/// to[i] = Map(from[i]).
template <typename Operator, typename T>
void MapRow(typename Operator::Value* to, const T* from, int64_t count) {
  using Value = typename Operator::Value;
  for (int64_t i = 0; i < count; ++i) to[i] = Operator::Map(static_cast<Value>(from[i]));
}

template <typename Operator>
struct CombineSums {
  using Value = typename Operator::Value;
  void operator()(Value* left, const Value* right, int64_t count) const {
    int64_t i = 0;
    if constexpr (kHasVectors<Value>) {
      using V = VectorOf<Value>;
      for (; i + V::kCount <= count; i += V::kCount) {
        V::Store(Operator::Combine(V::Load(left + i), V::Load(right + i)), left + i);
      }
    }
    for (; i < count; ++i) left[i] = Operator::Combine(left[i], right[i]);
  }
};

/// One tile of at most kReduceTile elements.
template <typename Operator, typename T>
typename Operator::Value ReduceTile(const T* x, int64_t count) {
  using Value = typename Operator::Value;
  Value lanes[kReduceLanes];
  for (Value& lane : lanes) lane = Operator::kIdentity;
  int64_t i = 0;
  if constexpr (kHasVectors<T>) {
    using V = VectorOf<T>;
    constexpr int kVectors = kReduceLanes / V::kCount;
    typename V::Type sums[kVectors];
    for (int v = 0; v < kVectors; ++v) sums[v] = V::Load(lanes);
    for (; i + kReduceLanes <= count; i += kReduceLanes) {
#pragma GCC unroll 4
      for (int v = 0; v < kVectors; ++v) {
        sums[v] = Operator::Combine(sums[v], Operator::Map(V::Load(x + i + v * V::kCount)));
      }
    }
    for (int v = 0; v < kVectors; ++v) V::Store(sums[v], lanes + v * V::kCount);
  }
  for (; i < count; ++i) {
    Value& lane = lanes[i % kReduceLanes];
    lane = Operator::Combine(lane, Operator::Map(static_cast<Value>(x[i])));
  }
  for (int width = kReduceLanes / 2; width > 0; width /= 2) {
    for (int j = 0; j < width; ++j) lanes[j] = Operator::Combine(lanes[j], lanes[j + width]);
  }
  return lanes[0];
}

/// Any number of elements next to each other; none: the identity.
template <typename Operator, typename T>
typename Operator::Value ReduceContiguous(const T* x, int64_t count) {
  using Value = typename Operator::Value;
  if (count <= kReduceTile) return ReduceTile<Operator>(x, count);
  Value memory[64];
  LeafTree<Value, CombineSums<Operator>> tree(memory, 1);
  for (int64_t i = 0; i < count; i += kReduceTile) {
    *tree.Next() = ReduceTile<Operator>(x + i, std::min(kReduceTile, count - i));
    tree.Push(true);
  }
  return *tree.Finish();
}

/// A run of axes that are all kept or all reduced, of an array that is not contiguous outside of
/// it.
struct ReduceLevel {
  int64_t size = 1;
  int64_t stride = 1;   // elements of the input between neighbours
  int64_t results = 1;  // results of one element of this level: the kept sizes inside of it
  bool kept = true;
};

/// Reduces an array of alternately kept and reduced levels; `out` gets the kept ones, row-major.
template <typename Operator, typename T>
class LevelReducer {
 public:
  using Value = typename Operator::Value;

  /// `depth` tells the nested calls apart, which have scratch memory of their own.
  static void Reduce(std::span<const ReduceLevel> levels, const T* x, Value* out, int depth = 0) {
    if (levels.empty()) {
      out[0] = Operator::Map(static_cast<Value>(x[0]));
    } else if (levels.size() == 1) {
      // The last level is contiguous.
      if (levels[0].kept) {
        MapRow<Operator>(out, x, levels[0].size);
      } else {
        out[0] = ReduceContiguous<Operator>(x, levels[0].size);
      }
    } else if (levels[0].kept) {
      for (int64_t i = 0; i < levels[0].size; ++i) {
        Reduce(levels.subspan(1), x + i * levels[0].stride, out + i * levels[0].results, depth);
      }
    } else {
      ReduceRows(levels[0], {}, levels.subspan(1), x, out, depth);
    }
  }

  /// `rows` is a reduced level; each of its elements is an array of `inner` levels. `leaves` are
  /// offsets of leaves of rows; empty: see above.
  static void ReduceRows(const ReduceLevel& rows, std::span<const int64_t> leaves,
                         std::span<const ReduceLevel> inner, const T* x, Value* out, int depth) {
    const int64_t size = rows.results;
    const bool given = leaves.size() > 1;
    const int64_t count = given ? static_cast<int64_t>(leaves.size()) - 1
                                : (rows.size + kReduceLeaf - 1) / kReduceLeaf;
    using Tree = LeafTree<Value, CombineSums<Operator>>;
    const int64_t needed = size * (Tree::BuffersNeeded(count) + 1);
    Value* memory = Scratch(depth, needed);
    Value* row = memory + needed - size;
    const bool plain = inner.empty() || (inner.size() == 1 && inner[0].kept);
    Tree tree(memory, size);
    for (int64_t leaf = 0; leaf < count; ++leaf) {
      const int64_t begin = given ? leaves[leaf] : leaf * kReduceLeaf;
      const int64_t end = given ? leaves[leaf + 1] : std::min(rows.size, begin + kReduceLeaf);
      Value* sum = tree.Next();
      for (int64_t r = begin; r < end; ++r) {
        const T* from = x + r * rows.stride;
        if (r == begin) {
          Reduce(inner, from, sum, depth + 1);
        } else if (plain) {
          CombineRow<Operator>(sum, from, size);
        } else {
          Reduce(inner, from, row, depth + 1);
          CombineSums<Operator>()(sum, row, size);
        }
      }
      tree.Push(end > begin);
    }
    if (const Value* sum = tree.Finish()) {
      std::copy_n(sum, size, out);
    } else {
      std::fill_n(out, size, Operator::kIdentity);
    }
  }

 private:
  static Value* Scratch(int depth, int64_t count) {
    struct Memory {
      std::unique_ptr<Value[]> values;
      int64_t count = 0;
    };
    static thread_local Memory memory[8];
    Memory& own = memory[depth];
    if (own.count < count) {
      own.values.reset(new Value[count]);
      own.count = count;
    }
    return own.values.get();
  }
};

}  // namespace lockstep::kernels
