#pragma once

#include <string>
#include <vector>

#include "ops/builder.h"
#include "ops/op.h"

namespace lockstep::ops {

/// Throws InvalidArgument "[op] rule; got values".
[[noreturn]] void Reject(const OpSpec& spec, const std::string& rule, const std::string& got);
/// The attribute `name`, a list of integers or one integer.
inline const std::vector<int64_t>& ListOf(const Attributes& attributes, std::string_view name) {
  return attributes.Get<std::vector<int64_t>>(name);
}
inline int IntOf(const Attributes& attributes, std::string_view name) {
  return static_cast<int>(attributes.Get<int64_t>(name));
}
/// Row-major reshaping keeps examples apart when the new axis 0 is a multiple of their number.
RowEffect ViewRows(const RowContext& context);
/// kRows, if every input that is not a resource has rows, unless the attribute "axis" is 0.
RowEffect RowsUnlessAxis0(const RowContext& context);
/// InvalidArgument unless the dtype is an index's: int32 or int64.
void RequireIndices(const OpSpec& spec, const TensorType& type);

}  // namespace lockstep::ops
