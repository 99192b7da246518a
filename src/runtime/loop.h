#pragma once

#include <functional>

#include "lockstep/runtime/control_flow.h"

namespace lockstep::runtime {

/// `WhileLoop` over values. Errors: as there.
Tensors LoopEagerly(const std::function<Tensor(const Tensors&)>& condition,
                    const std::function<Tensors(const Tensors&)>& body, Tensors variables,
                    const WhileOptions& options);

/// The node of a `WhileLoop` while a function is traced, with all that it gives: the variables; and
/// with `record` its history (loop_history.h). The body gives, behind the variables, `kept` values
/// of its ops (replay.h), for who emits a loop again that keeps them.
Tensors EmitLoop(const std::function<Tensor(const Tensors&)>& condition,
                 const std::function<Tensors(const Tensors&)>& body, const Tensors& variables,
                 const WhileOptions& options, bool record, size_t kept = 0);

/// A `WhileLoop` while a function is traced that gives, behind the last variables, all values that
/// each of them had, the first and the last included: [iterations + 1, shape]. Costs as much as the
/// values. Errors: as `WhileLoop`; InvalidArgument for unknown ranks.
Tensors EmitRecordedLoop(const std::function<Tensor(const Tensors&)>& condition,
                         const std::function<Tensors(const Tensors&)>& body,
                         const Tensors& variables, const WhileOptions& options);

/// What `function`, traced once, gives for each number, int32[], below `rows`, stacked: [rows,
/// shape]. Errors: InvalidArgument for unknown ranks.
Tensors EmitRows(const Tensor& rows, const std::function<Tensors(const Tensor&)>& function);

}  // namespace lockstep::runtime
