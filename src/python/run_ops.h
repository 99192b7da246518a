#pragma once

#include "python/convert.h"

// How Python calls the public functions: operands are converted, then computed on without the
// interpreter's lock.

namespace lockstep::python {

template <Tensor (*kFunction)(const Tensor&)>
Tensor Unary(Arg x) {
  const Tensor value = x.Beside(nullptr);
  return Unlocked([&] { return kFunction(value); });
}

/// A number beside a tensor takes its dtype.
template <Tensor (*kFunction)(const Tensor&, const Tensor&)>
Tensor Binary(Arg a, Arg b) {
  const std::optional<Tensor> ready_a = a.Ready();
  const std::optional<Tensor> ready_b = b.Ready();
  const Tensor left = ready_a ? *ready_a : a.Beside(ready_b ? &*ready_b : nullptr);
  const Tensor right = ready_b ? *ready_b : b.Beside(ready_a ? &*ready_a : nullptr);
  return Unlocked([&] { return kFunction(left, right); });
}

}  // namespace lockstep::python
