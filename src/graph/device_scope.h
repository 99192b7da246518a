#pragma once

#include <string>

#include "graph/graph.h"
#include "lockstep/graph/device.h"

namespace lockstep::graph {

/// Where the `Device` scopes of this thread put `node`, as a part of a name; "" without any.
std::string DeviceFor(const Node& node);
/// The same for a variable.
std::string DeviceForVariable(DType dtype, const Shape& shape);
/// The same for something else that ops touch: a "queue", an "accumulator".
std::string DeviceForObject(const std::string& kind);

}  // namespace lockstep::graph
