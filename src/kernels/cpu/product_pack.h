#pragma once

#include <cstdint>

namespace lockstep::kernels {

/// Copies B's depth steps and columns into panels of `panel` columns: element (k, n) goes to
/// packed[(n / panel) * depth * panel + k * panel + n % panel]. B(k, n) is at b[k * b_stride + n],
/// or with `transposed` at b[n * b_stride + k]. Columns past the last are left unwritten.
template <typename T>
void PackColumns(const T* b, int64_t b_stride, bool transposed, int64_t depth, int64_t columns,
                 int64_t panel, T* packed);

/// Copies `rows` (at most kMaxTileRows) rows of a transposed A, A(m, k) at a[k * a_stride + m],
/// side by side: element (m, k) goes to packed[k * rows + m].
template <typename T>
void PackTransposedRows(const T* a, int64_t a_stride, int64_t depth, int rows, T* packed);

extern template void PackColumns(const float*, int64_t, bool, int64_t, int64_t, int64_t, float*);
extern template void PackColumns(const double*, int64_t, bool, int64_t, int64_t, int64_t, double*);
extern template void PackTransposedRows(const float*, int64_t, int64_t, int, float*);
extern template void PackTransposedRows(const double*, int64_t, int64_t, int, double*);

}  // namespace lockstep::kernels
