#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <vector>

#include "lockstep/tensor/tensor.h"

namespace lockstep::tensor {

/// A version of a variable from which a value was computed.
struct Origin {
  uint64_t variable = 0;  // the number of its cell, from 1 on
  uint64_t version = 0;
  bool operator==(const Origin&) const = default;
};

/// The versions of variables from which a value was computed: at most `kMost`, the first ones. What
/// comes from the host has none.
class Origins {
 public:
  static constexpr size_t kMost = 64;
  /// Adds one; a variable keeps its newest version.
  void Add(const Origin& origin);
  void Add(const Tensor& value);
  const std::vector<Origin>& entries() const { return entries_; }
  std::optional<uint64_t> VersionOf(uint64_t variable) const;

 private:
  std::vector<Origin> entries_;  // by variable
};

/// The version of `variable` from which `value`, which is concrete, was computed, if any.
std::optional<uint64_t> VersionIn(const Tensor& value, uint64_t variable);
/// Whether it was computed from any variable.
bool HasOrigin(const Tensor& value);
/// Says of results, where nobody else has them yet, that they were computed from `inputs` and
/// `more`.
void PassOrigins(const std::vector<Tensor>& inputs, const std::vector<Origin>& more,
                 const std::vector<Tensor>& results);

}  // namespace lockstep::tensor
