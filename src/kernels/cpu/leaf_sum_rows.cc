#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "kernels/cpu/leaf_sum_rows.cc"
#include <hwy/foreach_target.h>
#include "kernels/cpu/leaf_fold.h"
#include "kernels/cpu/product.h"
#include "kernels/cpu/register_sums-inl.h"

HWY_BEFORE_NAMESPACE();
namespace lockstep::kernels::HWY_NAMESPACE {

// The rows' chain of one leaf: plain adds from the first row's value.
template <typename T>
struct RowChain {
  const T* g;
  int64_t stride;

  template <typename S>
  HWY_INLINE int64_t operator()(S& sums, const FoldStep& leaf) const {
    const T* row = g + leaf.first * stride;
    sums.LoadFrom(&row);
    for (int64_t r = 1; r < leaf.length; ++r) {
      row += stride;
      sums.AddRow(row);
    }
    return 1;
  }
};

template <typename T, int kVectors, bool kMasked>
void SumColumns(const T* g, int64_t stride, const FoldPlan& plan, T* out, int columns) {
  Sums<T, 1, kVectors, kMasked> sums(columns);
  FoldLeaves<T>(sums, plan.begin(), plan.size(), RowChain<T>{g, stride});
  sums.StoreTo(&out);
}

template <typename T>
void SumRows(const T* g, int64_t stride, const FoldPlan& plan, T* out, int64_t begin, int64_t end) {
  constexpr int kLanes = HWY_MAX_BYTES / sizeof(T);
  for (int64_t n = begin; n < end;) {
    const int64_t left = end - n;
    const int columns = static_cast<int>(left < 4 * kLanes ? left : 4 * kLanes);
    if (columns == 4 * kLanes) {
      SumColumns<T, 4, false>(g + n, stride, plan, out + n, columns);
    } else if (columns > 3 * kLanes) {
      SumColumns<T, 4, true>(g + n, stride, plan, out + n, columns);
    } else if (columns > 2 * kLanes) {
      SumColumns<T, 3, true>(g + n, stride, plan, out + n, columns);
    } else if (columns > kLanes) {
      SumColumns<T, 2, true>(g + n, stride, plan, out + n, columns);
    } else {
      SumColumns<T, 1, true>(g + n, stride, plan, out + n, columns);
    }
    n += columns;
  }
}

void SumFloatRows(const float* g, int64_t stride, const FoldPlan& plan, float* out, int64_t begin,
                  int64_t end) {
  SumRows(g, stride, plan, out, begin, end);
}
void SumDoubleRows(const double* g, int64_t stride, const FoldPlan& plan, double* out,
                   int64_t begin, int64_t end) {
  SumRows(g, stride, plan, out, begin, end);
}

}  // namespace lockstep::kernels::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace lockstep::kernels {

HWY_EXPORT(SumFloatRows);
HWY_EXPORT(SumDoubleRows);

void LeafSumRows(const float* g, int64_t g_stride, std::span<const int64_t> offsets, float* out,
                 int64_t begin, int64_t end) {
  HWY_DYNAMIC_DISPATCH(SumFloatRows)(g, g_stride, FoldPlan(offsets), out, begin, end);
}
void LeafSumRows(const double* g, int64_t g_stride, std::span<const int64_t> offsets, double* out,
                 int64_t begin, int64_t end) {
  HWY_DYNAMIC_DISPATCH(SumDoubleRows)(g, g_stride, FoldPlan(offsets), out, begin, end);
}

}  // namespace lockstep::kernels
#endif
