#pragma once

#include "graph/graph.h"
#include "remote/client.h"

namespace lockstep::remote {

/// Gives ops of a traced function, whose variables name their devices, the device of a variable
/// where less travels then: rows that are taken from a variable, and what only updates of variables
/// of one task take and is not smaller than what it is made of, such as the dense form of a sparse
/// gradient, or the steps of an optimizer between its slots. Products stay with the worker, and so
/// does what has a device.
void PlaceBesideVariables(graph::Graph* graph);

/// How a scheduled function holds its variables: from the beginning where it overwrites one that it
/// reads, as such functions must follow one another; else, where all changes are made by updates,
/// such as `AssignAdd` or an optimizer's step, from the first of them on.
RunMode HoldingOf(const graph::Graph& graph);

}  // namespace lockstep::remote
