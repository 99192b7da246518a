#pragma once

#include <vector>

#include "ops/op.h"

namespace lockstep::runtime {

/// Types of several tensors as attributes that travel: `dtypes`, their numbers, and `shapes`, for
/// each its rank and its sizes; -1 is unknown, and a rank of -1 has none. Errors: InvalidArgument
/// for lists that are no types.
std::vector<ops::TensorType> ElementTypes(const ops::Attributes& attributes);
void SetElementTypes(const std::vector<ops::TensorType>& types, ops::Attributes* attributes);

}  // namespace lockstep::runtime
