#pragma once

#include <cstdint>

#include "kernels/cpu/leaf_fold.h"

namespace lockstep::kernels {

/// A block of a product that sums over examples, C[rows, columns] = sum over r of A[r, rows] * G[r,
/// columns]: each element as LeafProduct (product.h) has it.
template <typename T>
struct GradientTile {
  const T* a = nullptr;  ///< A(r, m) at a[r * a_step + m]
  int64_t a_step = 0;
  const T* g = nullptr;  ///< G(r, n) at g[r * g_step + n]
  int64_t g_step = 0;
  T* c = nullptr;  ///< C(m, n) at c[m * c_step + n]
  int64_t c_step = 0;
  int64_t rows = 0;
  int64_t columns = 0;  ///< at most GradientTileColumns
  const FoldPlan* plan = nullptr;
};

/// The columns of the widest block on this processor.
template <typename T>
int64_t GradientTileColumns();
template <typename T>
void ComputeGradientTile(const GradientTile<T>& tile);

}  // namespace lockstep::kernels
