#pragma once

#include <string>
#include <utility>
#include <vector>

#include "checkpoint/object_graph.h"
#include "lockstep/checkpoint/checkpoint.h"

namespace lockstep::checkpoint {

/// The graph of an object and its parts, breadth first, and its variables by their keys in the
/// same order.
struct FlatGraph {
  ObjectGraph graph;
  std::vector<std::pair<std::string, Variable>> variables;
};
FlatGraph Flatten(const Trackable& root);

}  // namespace lockstep::checkpoint
