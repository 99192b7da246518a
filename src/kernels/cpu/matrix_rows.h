#pragma once

#include <type_traits>

#include "kernels/cpu/product.h"
#include "kernels/kernel.h"

namespace lockstep::kernels {

/// A product of two matrices of a kernel, either of them transposed.
struct MatrixGeometry {
  bool transpose_a = false, transpose_b = false;
  int64_t rows = 0, columns = 0, depth = 0;

  double CostPerRow() const {
    return 2.0 * static_cast<double>(depth) * static_cast<double>(columns);
  }
};

/// The rows [begin, end) of C = A * B (+ bias) (then relu). Integers wrap around, so that any order
/// of their sums gives the same bits.
template <typename T>
void MultiplyRows(const MatrixGeometry& geometry, const T* a, const T* b, const T* bias, bool relu,
                  T* c, int64_t begin, int64_t end) {
  const auto [ta, tb, rows, columns, depth] = geometry;
  if constexpr (std::is_floating_point_v<T>) {
    ProductArguments<T> product;
    product.rows = rows;
    product.columns = columns;
    product.depth = depth;
    product.a = a;
    product.a_transposed = ta;
    product.a_stride = ta ? rows : depth;
    product.b = b;
    product.b_transposed = tb;
    product.b_stride = tb ? depth : columns;
    product.c = c;
    product.c_stride = columns;
    product.bias = bias;
    product.relu = relu;
    Product(product, begin, end);
  } else {
    using Unsigned = std::make_unsigned_t<T>;
    for (int64_t m = begin; m < end; ++m) {
      for (int64_t n = 0; n < columns; ++n) {
        Unsigned sum = 0;
        for (int64_t k = 0; k < depth; ++k) {
          sum += static_cast<Unsigned>(ta ? a[k * rows + m] : a[m * depth + k]) *
                 static_cast<Unsigned>(tb ? b[n * depth + k] : b[k * columns + n]);
        }
        c[m * columns + n] = static_cast<T>(sum);
      }
    }
  }
}

}  // namespace lockstep::kernels
