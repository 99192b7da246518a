#pragma once

#include <cstdint>

#include "lockstep/tensor/dtype.h"

namespace lockstep::kernels {

/// to[i] = float(from[i]) for `count` elements of bfloat16 or float16.
void Widen(DType dtype, const void* from, float* to, int64_t count);
/// The way back: rounds to nearest even.
void Narrow(DType dtype, const float* from, void* to, int64_t count);

}  // namespace lockstep::kernels
