#pragma once

#include <string>

#include "lockstep/tensor/tensor.h"

namespace lockstep::cli {

/// What differs between two tensors, bit by bit: dtypes and shapes, or how many elements, the first
/// of them, and the largest distance. Empty if nothing.
std::string TensorDifference(const Tensor& a, const Tensor& b);

}  // namespace lockstep::cli
