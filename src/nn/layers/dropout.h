#pragma once

#include "lockstep/runtime/variable.h"
#include "lockstep/tensor/tensor.h"

namespace lockstep::nn {

/// Drops elements with probability `rate` by the seed that `counter` holds ([seed, call]), and
/// counts the call.
Tensor DropAndCount(const Tensor& x, const Variable& counter, double rate);
/// InvalidArgument, starting with `[where]`, unless `rate` is in [0, 1].
void RequireRate(double rate, const char* where);

}  // namespace lockstep::nn
