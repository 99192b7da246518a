#pragma once

#include "graph/graph.h"
#include "runtime/schedule.h"

namespace lockstep::runtime {

/// `graph` with its ops in an order that `schedule` draws among all that its values and control
/// dependencies allow; tells it in which order variables are accessed.
graph::Graph InScheduledOrder(const graph::Graph& graph, Schedule& schedule);

}  // namespace lockstep::runtime
