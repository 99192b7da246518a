#pragma once

#include <functional>

#include "lockstep/runtime/control_flow.h"

namespace lockstep::runtime {

/// Errors, which begin with `[where]`: InvalidArgument for what is no bool scalar.
void RequirePredicate(const Tensor& predicate, const char* where);

/// `Cond` while a function is traced, for branches whose results depend on each other: `then` and
/// `otherwise` are traced, `join` sees what both have made, and `give(0)` and `give(1)`, which go
/// on with the one and the other, give their results.
Tensors JoinBranches(const Tensor& predicate, const std::function<void()>& then,
                     const std::function<void()>& otherwise, const std::function<void()>& join,
                     const std::function<Tensors(int)>& give);

}  // namespace lockstep::runtime
