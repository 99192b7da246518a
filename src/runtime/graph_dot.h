#pragma once

#include <string>

#include "graph/graph.h"

namespace lockstep::runtime {

/// `graph` in the language of Graphviz: a box an op with its type and device, an arrow a value, a
/// dashed arrow a control dependency.
std::string GraphToDot(const graph::Graph& graph, const std::string& title);

}  // namespace lockstep::runtime
