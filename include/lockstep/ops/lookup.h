#pragma once

#include <cstdint>

#include "lockstep/tensor/tensor.h"

namespace lockstep {

/// What keys give that a table lacks: `value`, a scalar of the values' dtype, or with `buckets` > 0
/// the number `first` + h modulo `buckets`, where h is FarmHash's Fingerprint64 of the key's text,
/// or, without `hash_integers`, the key itself.
struct UnknownKeys {
  Tensor value = {};
  int64_t buckets = 0;
  int64_t first = 0;
  bool hash_integers = true;
};

/// An immutable table from strings or integers to elements.
/// Threads: may be asked from any.
class LookupTable {
 public:
  /// Shapes: keys string or int64 [n], all different; values [n], int64 where there are buckets.
  /// Errors: InvalidArgument.
  LookupTable(const Tensor& keys, const Tensor& values, const UnknownKeys& unknown);
  /// The element of each key. Shapes: as `keys`. An op: traced functions keep the table alive.
  /// Errors: InvalidArgument for keys of another dtype.  Source: TF LookupTableFindV2.
  Tensor Find(const Tensor& keys) const;

 private:
  std::shared_ptr<TensorObject> table_;
};

}  // namespace lockstep
