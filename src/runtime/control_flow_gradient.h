#pragma once

#include <vector>

#include "ops/op.h"

namespace lockstep::runtime {

/// The gradient of the branch that was taken, as a Cond on the same predicate.
std::vector<Tensor> IfGradient(const ops::GradientContext& context);
/// The iterations in reverse, each from the variables with which it began; what flows to a value
/// from outside adds up over iterations, last one first.
std::vector<Tensor> WhileGradient(const ops::GradientContext& context);

}  // namespace lockstep::runtime
