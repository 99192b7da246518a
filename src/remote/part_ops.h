#pragma once

#include "graph/graph.h"

namespace lockstep::remote {

// Where the execution of a part stops, so that its worker carries the op out: "_Send" and "_Recv",
// "_Hold" before the first op that writes, and ops that may wait for other runs.

/// Whether a part stops anywhere for values, or to wait.
bool Stops(const graph::Graph& graph);

}  // namespace lockstep::remote
