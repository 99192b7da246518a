#pragma once

#include <functional>

#include "lockstep/runtime/control_flow.h"

namespace lockstep::runtime {

/// The node of a `WhileLoop` while a function is traced, with all that it gives: the variables; and
/// with `record` its history (loop_history.h). The body gives, behind the variables, `kept` values
/// of its ops (replay.h), for who emits a loop again that keeps them.
Tensors EmitLoop(const std::function<Tensor(const Tensors&)>& condition,
                 const std::function<Tensors(const Tensors&)>& body, const Tensors& variables,
                 const WhileOptions& options, bool record, size_t kept = 0);

}  // namespace lockstep::runtime
