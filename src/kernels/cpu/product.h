#pragma once

#include <cstdint>
#include <span>

/// Matrix products whose bits depend on the numbers alone.
///
/// Every element of a product is one chain of fused multiply-adds over the depth, ascending, from
/// +0:
///     acc = +0;  for k = 0, 1, ...: acc = fma(a_k, b_k, acc)
/// So neither the tile, the number of rows, the range of rows of a call, the number of threads nor
/// the width of the vectors changes a bit (but which NaN a NaN is), AVX2 and AVX-512 agree, and a
/// row of C does not know of the others.
///
/// A product that sums over examples has a table of leaves, row offsets 0 = o_0 <= ... <= o_L =
/// examples. A leaf's sum is such a chain over its rows; the leaves are added by the canonical tree
/// over leaf numbers: the range [a, b) splits at the largest power of two below its length, left +
/// right. An empty leaf is absent: the tree passes the other side through. Without examples the sum
/// is +0.
///
/// Threads: every call runs on its caller; callers split the rows of C, in any way, and columns by
/// passing b, c and bias further on. Scratch memory belongs to the thread and is kept for the next
/// call. Errors: none; pointers must hold the shapes given, and C may overlap no input.
namespace lockstep::kernels {

class InputRows;

/// C[rows, columns] = A[rows, depth] * B[depth, columns] (+ bias[columns]) (then relu).
template <typename T>
struct ProductArguments {
  int64_t rows = 0;
  int64_t columns = 0;
  int64_t depth = 0;
  const T* a = nullptr;  ///< A(m, k) at a[m * a_stride + k]; transposed, at a[k * a_stride + m]
  int64_t a_stride = 0;
  bool a_transposed = false;
  const T* b = nullptr;  ///< B(k, n) at b[k * b_stride + n]; transposed, at b[n * b_stride + k]
  int64_t b_stride = 0;
  bool b_transposed = false;
  T* c = nullptr;  ///< C(m, n) at c[m * c_stride + n]
  int64_t c_stride = 0;
  const T* bias = nullptr;  ///< added after the chain, one rounding; null for none
  bool relu = false;        ///< then x < 0 becomes +0 (-0 and NaN stay)
  bool accumulate = false;  ///< the chains go on from what C holds
  /// Not null: some rows of B may be missing. For `SparseProduct` and its kin; `Product` needs all.
  InputRows* b_rows = nullptr;
};

/// Computes the rows [begin, end) of C. T: float, double. Any shape, 0 too (depth 0: zeros + bias).
template <typename T>
void Product(const ProductArguments<T>& arguments, int64_t begin, int64_t end);
template <typename T>
void Product(const ProductArguments<T>& arguments) {
  Product(arguments, 0, arguments.rows);
}

/// C[rows, columns] = sum over examples r of A[r, rows] * G[r, columns]: a weight's gradient.
template <typename T>
struct LeafProductArguments {
  int64_t rows = 0;
  int64_t columns = 0;
  const T* a = nullptr;  ///< A(r, m) at a[r * a_stride + m]
  int64_t a_stride = 0;
  const T* g = nullptr;  ///< G(r, n) at g[r * g_stride + n]
  int64_t g_stride = 0;
  T* c = nullptr;  ///< C(m, n) at c[m * c_stride + n]
  int64_t c_stride = 0;
  std::span<const int64_t> offsets;  ///< the leaves' table: L + 1 row numbers, ascending
};

/// Computes the rows [begin, end) of C. T: float, double.
template <typename T>
void LeafProduct(const LeafProductArguments<T>& arguments, int64_t begin, int64_t end);
template <typename T>
void LeafProduct(const LeafProductArguments<T>& arguments) {
  LeafProduct(arguments, 0, arguments.rows);
}

/// out[n] = sum over rows r of g[r * g_stride + n], for n in [begin, end). Inside a leaf plain
/// adds, ascending, from the first row's value; the leaves by the tree. Without rows the sum is +0.
void LeafSumRows(const float* g, int64_t g_stride, std::span<const int64_t> offsets, float* out,
                 int64_t begin, int64_t end);
void LeafSumRows(const double* g, int64_t g_stride, std::span<const int64_t> offsets, double* out,
                 int64_t begin, int64_t end);

extern template void Product(const ProductArguments<float>&, int64_t, int64_t);
extern template void Product(const ProductArguments<double>&, int64_t, int64_t);
extern template void LeafProduct(const LeafProductArguments<float>&, int64_t, int64_t);
extern template void LeafProduct(const LeafProductArguments<double>&, int64_t, int64_t);

}  // namespace lockstep::kernels
