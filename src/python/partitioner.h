#pragma once

#include <nanobind/stl/vector.h>

#include <utility>
#include <vector>

#include "lockstep/distribute/partitioners.h"
#include "python/bind.h"
#include "python/callback.h"

namespace lockstep::python {

/// A function of a list of sizes and the number of a dtype that gives a list; empty for None.
inline Partitioner PartitionerOf(nb::object function) {
  if (function.is_none()) return nullptr;
  const Held held(std::move(function));
  return [held](const Shape& shape, DType dtype) {
    const nb::gil_scoped_acquire lock;
    return nb::cast<std::vector<int64_t>>(
        held.get()(nb::cast(shape.vector()), static_cast<int>(dtype)));
  };
}

}  // namespace lockstep::python
