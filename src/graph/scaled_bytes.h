#pragma once

#include <optional>

#include "graph/graph.h"

namespace lockstep::graph {

/// A float32 tensor that stands for bytes: each cast, and multiplied by a scalar.
struct ScaledBytes {
  Endpoint bytes, scale;
  int cast;  ///< the node between
};

/// What `value` was made of, if it is one.
std::optional<ScaledBytes> ScaledBytesOf(const Graph& graph, Endpoint value);

}  // namespace lockstep::graph
