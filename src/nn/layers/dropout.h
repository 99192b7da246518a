#pragma once

#include <vector>

#include "lockstep/runtime/variable.h"
#include "lockstep/tensor/tensor.h"

namespace lockstep::nn {

/// Drops elements with probability `rate` by the seed that `counter` holds ([seed, call]), and
/// counts the call.
Tensor DropAndCount(const Tensor& x, const Variable& counter, double rate);
/// Ones in the shape of a mask for `x` (-1: the size of x; x's shape where empty), which follow the
/// examples of `x` where the mask has an axis of them.
Tensor MaskOnes(const Tensor& x, const std::vector<int64_t>& noise_shape);
/// Normals in x's shape by the same seed, in x's dtype, and counts the call.
Tensor NormalAndCount(const Tensor& x, const Variable& counter, double mean, double deviation);
/// InvalidArgument, starting with `[where]`, unless `rate` is in [0, 1].
void RequireRate(double rate, const char* where);

}  // namespace lockstep::nn
