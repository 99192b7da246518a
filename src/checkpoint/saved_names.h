#pragma once

#include <string>

#include "lockstep/tensor/tensor.h"

namespace lockstep::checkpoint {

/// "sgd_1/dense_2_kernel" as "sgd/dense_kernel": a name without the numbers that things get in a
/// process that has made such things before.
std::string Unnumbered(const std::string& name);

/// A value of a save, or what is to take it, in words for an error: "w of float32[2,3]".
std::string Describe(const std::string& name, DType dtype, const Shape& shape);

}  // namespace lockstep::checkpoint
