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

/// An op of two `Operands`.
template <Tensor (*kFunction)(const Tensor&, const Tensor&)>
Tensor Binary(Arg a, Arg b) {
  const auto operands = Operands(a, b);
  return Unlocked([&] { return kFunction(operands.first, operands.second); });
}

}  // namespace lockstep::python
