#pragma once

#include <vector>

#include "graph/graph.h"

namespace lockstep::graph {

/// A part of a program that needs nobody else: it runs whole as soon as all that earlier parts and
/// the asynchronous ops between them have made is there.
struct Segment {
  Graph graph;
  /// Where the parameters of `graph` come from, as endpoints of the program.
  std::vector<Endpoint> inputs;
  /// Which endpoints of the program the results of `graph` are.
  std::vector<Endpoint> outputs;
  /// Asynchronous ops of the program that start when the segment has run, in program order.
  std::vector<int> starts;
};

/// Cuts a program at its asynchronous ops into a chain of segments: a segment runs, the ops after
/// it start and complete, then the next. A program without such ops is one segment. Every segment
/// takes the program's parameters that it uses as inputs too; constants are copied.
std::vector<Segment> CutIntoSegments(const Graph& program);

}  // namespace lockstep::graph
