#pragma once

#include "kernels/cpu/product.h"
#include "kernels/cpu/scaled_bytes.h"

/// Products whose left factor is zero nearly everywhere, as images of digits are: steps of the
/// chains with a zero of A are left out, with the same bits (zeros.h).
namespace lockstep::kernels {

/// What is known about the factors of a product.
struct SparseFactor {
  /// What was found in the last rows: of each row the bits of elements that are not zero, so many
  /// words from its first element on.
  const uint64_t* bits = nullptr;
  int64_t words = 0;
  int64_t first_row = 0;
  /// Of rows looked at before: B was found finite; it does not pay to look at more.
  bool finite = false, hopeless = false;

  /// Looks at the rows [begin, end) of A and at B, neither of them transposed. True if leaving
  /// zeros out pays and B is finite; then SparseProduct may be called, until this thread asks
  /// again. Else all rows of B are there. `product.b_rows` must be those of its B.
  template <typename A>
  bool Find(const ProductArguments<float>& product, const Factor<A>& a, int64_t begin, int64_t end);

 private:
  template <typename A>
  bool Pays(const ProductArguments<float>& product, const Factor<A>& a, int64_t begin, int64_t end);
  bool IsFinite(const ProductArguments<float>& product) const;
};

/// As Product with A from `a` (`product.a` is not read), for rows that `factor` was last found for.
/// A: float, uint8_t.
template <typename A>
void SparseProduct(const ProductArguments<float>& product, const Factor<A>& a,
                   const SparseFactor& factor, int64_t begin, int64_t end);

/// The same, with zeros left out where that is found to pay, or with whole chains; a factor of
/// floats is `product.a` too.
template <typename A>
void ProductOf(const ProductArguments<float>& product, const Factor<A>& a, SparseFactor& factor,
               int64_t begin, int64_t end);

}  // namespace lockstep::kernels
