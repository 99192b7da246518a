#pragma once

#include <functional>

#include "lockstep/runtime/control_flow.h"

namespace lockstep::runtime {

/// The node of a `WhileLoop` while a function is traced, with all that it gives: the variables; and
/// with `record` how many iterations there were, and each variable's values with which they began.
Tensors EmitLoop(const std::function<Tensor(const Tensors&)>& condition,
                 const std::function<Tensors(const Tensors&)>& body, const Tensors& variables,
                 const WhileOptions& options, bool record);

}  // namespace lockstep::runtime
