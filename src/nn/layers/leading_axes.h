#pragma once

#include <vector>

#include "lockstep/tensor/tensor.h"

namespace lockstep::nn {

/// `x` in the shape of the first `leading` axes of `like`, and `trailing` sizes behind them, which
/// are known. Sizes of `like` may be known to a run alone.
Tensor WithLeadingAxes(const Tensor& x, const Tensor& like, int leading,
                       const std::vector<int64_t>& trailing);

}  // namespace lockstep::nn
