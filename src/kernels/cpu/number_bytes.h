#pragma once

#include <array>
#include <cstring>

#include "lockstep/tensor/dtype.h"

namespace lockstep::kernels {

/// `value` as an element of `dtype`, in the first bytes.
std::array<char, 8> NumberBytes(double value, DType dtype);
/// Fills `count` elements of `bytes` each with the one in `value`.
void FillBytes(char* to, int64_t count, size_t bytes, const std::array<char, 8>& value);

}  // namespace lockstep::kernels
