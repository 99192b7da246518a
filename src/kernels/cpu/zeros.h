#pragma once

#include <cstdint>

/// What leaving zeros of a product's factor out of the chains asks of both factors.
///
/// It changes no bit where the other factor is finite, fma(0, b, acc) being acc, unless acc is -0.
/// A chain from +0 becomes -0 only by a result that is too small for its type (underflow.h).
namespace lockstep::kernels {

/// Of sixteen elements so many may be other than zero where leaving zeros out pays: in products,
/// and in their gradients, where neighbours share the steps. Looking has its price.
inline constexpr int64_t kSparseProduct = 9, kSparseGradient = 7;
inline bool IsSparse(int64_t nonzero, int64_t all, int64_t limit) {
  return nonzero * 16 <= all * limit;
}

/// Whether a matrix of `rows` x `columns` elements seems to be sparse, by a look at some rows. A:
/// float, uint8_t.
template <typename A>
bool SeemsSparse(const A* a, int64_t stride, int64_t rows, int64_t columns, int64_t limit);

/// Whether all elements of a matrix are finite numbers.
bool AllFinite(const float* b, int64_t stride, int64_t rows, int64_t columns);
bool AllFinite(const double* b, int64_t stride, int64_t rows, int64_t columns);

/// Writes which of `count` elements are not zero, 64 a word; gives their number.
int64_t MapNonzeroElements(const float* from, int64_t count, uint64_t* bits);
int64_t MapNonzeroElements(const uint8_t* from, int64_t count, uint64_t* bits);

extern template bool SeemsSparse(const float*, int64_t, int64_t, int64_t, int64_t);
extern template bool SeemsSparse(const uint8_t*, int64_t, int64_t, int64_t, int64_t);

}  // namespace lockstep::kernels
