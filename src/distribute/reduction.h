#pragma once

#include <vector>

#include "lockstep/distribute/values.h"

namespace lockstep::distribute {

/// Combines one tensor a replica by the canonical tree over replica numbers, with ops of the
/// builder in force. Empty ones are skipped; indexed slices are put one after another, and become
/// dense where they meet dense ones. MEAN divides by the number of values that are not empty.
/// InvalidArgument, starting with `[where]`, when dtypes or shapes differ.
Tensor Combine(ReduceOp op, const std::vector<Tensor>& values, const char* where);

/// InvalidArgument, starting with `[where]`, when dtypes or shapes differ.
void RequireAlike(const std::vector<Tensor>& values, const char* where);

/// `value` divided by `count` in its own dtype; integers round towards zero.
Tensor DividedBy(const Tensor& value, int64_t count);

/// The sum by the canonical tree.
Tensor TreeSum(const std::vector<Tensor>& values);

}  // namespace lockstep::distribute
