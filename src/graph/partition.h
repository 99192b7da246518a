#pragma once

#include <map>
#include <string>

#include "graph/graph.h"

namespace lockstep::graph {

/// The part of a graph that one device runs.
struct Part {
  Graph graph;
  /// Which parameters of the whole graph are the part's parameters, in their order.
  std::vector<int> parameters;
  /// Which results of the whole graph are the part's results, in their order.
  std::vector<int> results;
};

/// Cuts a graph by the devices of its nodes; nodes without one go to `default_device`. A value that
/// another device needs is sent once to each such device: "_Send" here, "_Recv" there, under the
/// key "sender;receiver;node:output". A control edge between devices becomes the sending of an
/// empty tensor. Parameters and constants are copied to every device that uses them; a result
/// belongs to the device that makes it.
std::map<std::string, Part> PartitionByDevice(const Graph& graph,
                                              const std::string& default_device);

}  // namespace lockstep::graph
