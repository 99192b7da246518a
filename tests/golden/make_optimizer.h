#pragma once

#include "case.h"
#include "lockstep/nn/optimizer.h"

namespace golden {

/// The optimizer of Keras's class `type` with parameters by Keras's names.
lockstep::OptimizerPtr MakeOptimizer(const std::string& type, const Json& params);
/// From a text like "SGD(0.1,momentum=0.9)".
lockstep::OptimizerPtr ParseOptimizer(const std::string& text);

}  // namespace golden
