#pragma once

#include <functional>
#include <vector>

#include "lockstep/tensor/tensor.h"
#include "python/convert.h"

namespace lockstep::python {

/// A Python function of a list of tensors that gives a list of tensors (None: an empty one), to be
/// called from any thread.
inline std::function<std::vector<Tensor>(const std::vector<Tensor>&)> TensorFunction(
    nb::object function) {
  return [held = Held(std::move(function))](const std::vector<Tensor>& arguments) {
    const nb::gil_scoped_acquire lock;
    nb::list list;
    for (const Tensor& argument : arguments) list.append(nb::cast(argument));
    return TensorsOf(held.get()(list));
  };
}

}  // namespace lockstep::python
