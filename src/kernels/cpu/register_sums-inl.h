// Sums held in registers, and the tree over leaves folded there; once per instruction set.
#if defined(LOCKSTEP_REGISTER_SUMS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCKSTEP_REGISTER_SUMS_INL_H_
#undef LOCKSTEP_REGISTER_SUMS_INL_H_
#else
#define LOCKSTEP_REGISTER_SUMS_INL_H_
#endif

#include <cstdint>

#include <hwy/highway.h>

#ifndef LOCKSTEP_UNROLL
#define LOCKSTEP_UNROLL _Pragma("GCC unroll 16")
#endif

HWY_BEFORE_NAMESPACE();
namespace lockstep::kernels::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

// kRows x kVectors sums. With kMasked the last vector has only some of its columns.
template <typename T, int kRows, int kVectors, bool kMasked>
struct Sums {
  using D = hn::ScalableTag<T>;
  using V = hn::Vec<D>;
  static constexpr int kLanes = HWY_MAX_BYTES / sizeof(T);

  explicit HWY_INLINE Sums(int columns)
      : mask(hn::FirstN(D(), static_cast<size_t>(columns - (kVectors - 1) * kLanes))) {}

  HWY_INLINE V Load(const T* from, int j) const {
    if (kMasked && j == kVectors - 1) return hn::MaskedLoad(mask, D(), from + j * kLanes);
    return hn::LoadU(D(), from + j * kLanes);
  }

  HWY_INLINE void Store(V value, T* to, int j) const {
    if (kMasked && j == kVectors - 1) {
      hn::BlendedStore(value, mask, D(), to + j * kLanes);
    } else {
      hn::StoreU(value, D(), to + j * kLanes);
    }
  }

  HWY_INLINE void SetZero() {
    LOCKSTEP_UNROLL
    for (int i = 0; i < kRows; ++i) {
      LOCKSTEP_UNROLL
      for (int j = 0; j < kVectors; ++j) sum[i][j] = hn::Zero(D());
    }
  }

  HWY_INLINE void LoadFrom(const T* const* from) {
    LOCKSTEP_UNROLL
    for (int i = 0; i < kRows; ++i) {
      LOCKSTEP_UNROLL
      for (int j = 0; j < kVectors; ++j) sum[i][j] = Load(from[i], j);
    }
  }

  HWY_INLINE void StoreTo(T* const* to) const {
    LOCKSTEP_UNROLL
    for (int i = 0; i < kRows; ++i) {
      LOCKSTEP_UNROLL
      for (int j = 0; j < kVectors; ++j) Store(sum[i][j], to[i], j);
    }
  }

  // The chain: `length` steps from a[i][0] and b[0].
  HWY_INLINE void Chain(const T* const* rows, int64_t a_step, const T* b, int64_t b_step,
                        int64_t length) {
    const T* a[kRows];
    LOCKSTEP_UNROLL
    for (int i = 0; i < kRows; ++i) a[i] = rows[i];
    for (int64_t k = 0; length > 0; --length, k += a_step, b += b_step) {
      V columns[kVectors];
      LOCKSTEP_UNROLL
      for (int j = 0; j < kVectors; ++j) columns[j] = Load(b, j);
      LOCKSTEP_UNROLL
      for (int i = 0; i < kRows; ++i) {
        const V row = hn::Set(D(), a[i][k]);
        LOCKSTEP_UNROLL
        for (int j = 0; j < kVectors; ++j) sum[i][j] = hn::MulAdd(row, columns[j], sum[i][j]);
      }
    }
  }

  // A step of plain adds (of one row of sums).
  HWY_INLINE void AddRow(const T* row) {
    LOCKSTEP_UNROLL
    for (int j = 0; j < kVectors; ++j) sum[0][j] = hn::Add(sum[0][j], Load(row, j));
  }

  // Whole vectors to and from a place of kRows x kVectors x kLanes elements.
  HWY_INLINE void Save(T* place) const {
    LOCKSTEP_UNROLL
    for (int i = 0; i < kRows * kVectors; ++i) {
      hn::Store(sum[i / kVectors][i % kVectors], D(), place + i * kLanes);
    }
  }
  HWY_INLINE void Restore(const T* place) {
    LOCKSTEP_UNROLL
    for (int i = 0; i < kRows * kVectors; ++i) {
      sum[i / kVectors][i % kVectors] = hn::Load(D(), place + i * kLanes);
    }
  }
  HWY_INLINE void AddLeft(const T* place) {
    LOCKSTEP_UNROLL
    for (int i = 0; i < kRows * kVectors; ++i) {
      V& right = sum[i / kVectors][i % kVectors];
      right = hn::Add(hn::Load(D(), place + i * kLanes), right);
    }
  }

  hn::Mask<D> mask;
  V sum[kRows][kVectors];
};

// The most levels of FoldLeaves' counter: it adds up at most 2^16 leaves.
inline constexpr int kFoldLevels = 16;

// Leaves `sums` with the canonical tree (leaf_fold.h) over the leaves [offsets[l], offsets[l+1]),
// each computed by chain(sums, first, length). The tree is a binary counter with the newest sum in
// registers and the others in the first level of the cache. No leaf but empty ones: zeros.
template <typename T, typename S, typename Chain>
HWY_INLINE void FoldLeaves(S& sums, const int64_t* offsets, int64_t num_leaves,
                           const Chain& chain) {
  HWY_ALIGN T levels[kFoldLevels][sizeof(sums.sum) / sizeof(T)];
  uint32_t filled = 0;  // bit l: levels[l] holds a sum
  bool present = false;
  for (int64_t leaf = 0; leaf < num_leaves; ++leaf) {
    const int64_t first = offsets[leaf];
    const bool last = leaf + 1 == num_leaves;
    present = offsets[leaf + 1] > first;
    if (present) chain(sums, first, offsets[leaf + 1] - first);
    int level = 0;
    for (; (leaf >> level) != 0; ++level) {
      const uint32_t bit = 1u << level;
      if (((leaf >> level) & 1) == 0 && !last) break;
      if ((filled & bit) == 0) continue;
      filled &= ~bit;
      // An absent sum is passed through, never added as zero: that would turn a sum of -0 to +0.
      if (present) {
        sums.AddLeft(levels[level]);
      } else {
        sums.Restore(levels[level]);
      }
      present = true;
    }
    if (last || !present) continue;
    filled |= 1u << level;
    sums.Save(levels[level]);
  }
  if (!present) sums.SetZero();
}

}  // namespace lockstep::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // toggle
