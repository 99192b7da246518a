#pragma once

#include <string>
#include <vector>

#include "graph/graph.h"

namespace lockstep::graph {

struct PlacementOptions {
  /// Full names of all devices there are.
  std::vector<std::string> devices;
  /// For ops that nothing binds; one of `devices`.
  std::string default_device;
  /// An op may be on another device of the task that it asks for, where the one is not there.
  bool soft = true;
};

/// Where a node is, and why.
struct PlacedNode {
  std::string name;
  std::string op;
  std::string device;
  std::string reason;
  /// "v (VarHandleOp) on /job:ps/replica:0/task:0/device:CPU:0: its device scope says /job:ps"
  std::string ToString() const;
};

/// Gives every node of `graph` the full name of a device. Together on one device are a resource and
/// all ops that touch it, also those in whose bodies it is touched, and ops that are colocated
/// (`_class`). Errors: InvalidArgument where ops that must be together ask for different devices,
/// naming both, and where nothing that is there fits, with the list of what is.
std::vector<PlacedNode> Place(Graph* graph, const PlacementOptions& options);

}  // namespace lockstep::graph
