#pragma once

#include <string>

#include "graph/graph.h"

namespace lockstep::distribute {

/// Gives each exchange of a rank's program the attribute "label": the trainable variables that are
/// updated with what it brings, "dense/kernel and 3 more"; else the op whose sum it is.
void LabelExchanges(graph::Graph& graph);

}  // namespace lockstep::distribute
