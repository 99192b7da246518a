#pragma once

#include "graph/graph.h"

namespace lockstep::distribute {

/// `graph` with every sum over examples in bfloat16 or float16 made in float32 and rounded once: so
/// do kernels, and so do parts of it on several ranks then. No bits change.
graph::Graph WidenHalfSums(const graph::Graph& graph);

}  // namespace lockstep::distribute
