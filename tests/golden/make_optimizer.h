#pragma once

#include "case.h"
#include "lockstep/nn/optimizer.h"

namespace golden {

/// The optimizer of the case's parameter "class" with its parameters by Keras's names; Skip for a
/// class or a parameter that is not known here.
lockstep::OptimizerPtr MakeOptimizer(const Case& golden);
/// From a text like "SGD(0.1,momentum=0.9)".
lockstep::OptimizerPtr ParseOptimizer(const std::string& text);

}  // namespace golden
