// Sums held in registers, and the tree over leaves folded there; once per instruction set.
#if defined(LOCKSTEP_REGISTER_SUMS_INL_H_) == defined(HWY_TARGET_TOGGLE)
#ifdef LOCKSTEP_REGISTER_SUMS_INL_H_
#undef LOCKSTEP_REGISTER_SUMS_INL_H_
#else
#define LOCKSTEP_REGISTER_SUMS_INL_H_
#endif

#include <bit>
#include <cstdint>

#include <hwy/highway.h>

#include "kernels/cpu/leaf_fold.h"

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

  // The chain: `length` steps from a[i][0] and b[0]. A step takes one element of each row of A for
  // all columns or, with kApart, each column's own.
  template <bool kApart = false>
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
        V row = hn::Zero(D());
        if (!kApart) row = hn::Set(D(), a[i][k]);
        LOCKSTEP_UNROLL
        for (int j = 0; j < kVectors; ++j) {
          if (kApart) row = Load(a[i] + k, j);
          sum[i][j] = hn::MulAdd(row, columns[j], sum[i][j]);
        }
      }
    }
  }

  // A step of the chain whose elements of A, number(row), lie side by side.
  HWY_INLINE void AddProducts(const T* a, const T* b) {
    AddProductsOf([a](int i) HWY_ATTR { return a[i]; }, b);
  }
  template <typename Number>
  HWY_INLINE void AddProductsOf(const Number& number, const T* b) {
    V columns[kVectors];
    LOCKSTEP_UNROLL
    for (int j = 0; j < kVectors; ++j) columns[j] = Load(b, j);
    LOCKSTEP_UNROLL
    for (int i = 0; i < kRows; ++i) {
      const V row = hn::Set(D(), number(i));
      LOCKSTEP_UNROLL
      for (int j = 0; j < kVectors; ++j) sum[i][j] = hn::MulAdd(row, columns[j], sum[i][j]);
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
    for (int i = 0; i < kRows; ++i) {
      LOCKSTEP_UNROLL
      for (int j = 0; j < kVectors; ++j) {
        hn::Store(sum[i][j], D(), place + (i * kVectors + j) * kLanes);
      }
    }
  }

  HWY_INLINE void AddLeft(const T* place) {
    LOCKSTEP_UNROLL
    for (int i = 0; i < kRows; ++i) {
      LOCKSTEP_UNROLL
      for (int j = 0; j < kVectors; ++j) {
        sum[i][j] = hn::Add(hn::Load(D(), place + (i * kVectors + j) * kLanes), sum[i][j]);
      }
    }
  }

  HWY_INLINE void AddLeft(const Sums& left) {
    LOCKSTEP_UNROLL
    for (int i = 0; i < kRows; ++i) {
      LOCKSTEP_UNROLL
      for (int j = 0; j < kVectors; ++j) sum[i][j] = hn::Add(left.sum[i][j], sum[i][j]);
    }
  }

  hn::Mask<D> mask;
  V sum[kRows][kVectors];
};

// Leaves in `sums` the leaves' sum in the plan's order (leaf_fold.h): the newest sum in registers,
// the others in the nearest cache. chain(sums, step) computes the sum of that leaf, or of
// the four that it begins, and gives their number.
template <typename T, typename S, typename Chain>
HWY_INLINE void FoldLeaves(S& sums, const FoldStep* steps, int64_t num_steps, const Chain& chain) {
  HWY_ALIGN T saved[kMostRegisterSums][sizeof(sums.sum) / sizeof(T)];
  auto* top = saved;
  if (num_steps == 0) sums.SetZero();
  for (int64_t s = 0; s < num_steps;) {
    if (s > 0) sums.Save(*top++);
    const int64_t leaves = chain(sums, steps[s]);
    s += leaves;
    const int64_t adds = steps[s - 1].adds - std::countr_zero(static_cast<uint64_t>(leaves));
    for (int64_t left = adds; left > 0; --left) sums.AddLeft(*--top);
  }
}

}  // namespace lockstep::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // toggle
