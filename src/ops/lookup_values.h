#pragma once

#include <span>
#include <string>

#include "lockstep/ops/lookup.h"
#include "ops/attributes.h"

namespace lockstep::ops {

/// A table as the kernel of LookupTableFind sees it.
class LookupValues {
 public:
  virtual ~LookupValues() = default;
  static const LookupValues& Of(const Attributes& attributes);

  virtual DType key_dtype() const = 0;
  virtual DType value_dtype() const = 0;
  /// [n], an element a key.
  virtual const Tensor& values() const = 0;
  virtual const UnknownKeys& unknown() const = 0;
  /// The numbers of the keys' values, -1 for unknown keys.
  virtual void Find(std::span<const std::string> keys, int64_t* places) const = 0;
  virtual void Find(std::span<const int64_t> keys, int64_t* places) const = 0;
  /// What an unknown key gives where there are buckets.
  virtual int64_t Bucket(const std::string& key) const = 0;
  virtual int64_t Bucket(int64_t key) const = 0;
};

}  // namespace lockstep::ops
