#pragma once

#include "graph/graph.h"
#include "graph/placement.h"
#include "lockstep/runtime/session.h"

namespace lockstep::runtime {

/// A branch or a loop runs whole on one task. Its variables of other tasks are lent to that task
/// for the run: before it, their values go there; what it has written comes back after it. The task
/// is the one with most of the bytes that are written. As a run keeps its variables to its end,
/// nobody sees the difference. Errors: FailedPrecondition for a relaxed run that writes variables
/// of several tasks in one branch or loop, as others could come in between.
graph::Graph LendVariables(const graph::Graph& graph, const graph::PlacementOptions& devices,
                           Consistency consistency);

}  // namespace lockstep::runtime
