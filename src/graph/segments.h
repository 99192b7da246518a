#pragma once

#include <vector>

#include "graph/graph.h"

namespace lockstep::graph {

/// A part of a program that needs nobody else: it runs whole as soon as what it waits for is there.
struct Segment {
  Graph graph;
  /// Where the parameters of `graph` come from, as endpoints of the program.
  std::vector<Endpoint> inputs;
  /// Which endpoints of the program the results of `graph` are.
  std::vector<Endpoint> outputs;
  /// Asynchronous ops of the program that must be complete before the segment runs.
  std::vector<int> waits;
  /// Asynchronous ops of the program that start when the segment has run, in program order.
  std::vector<int> starts;
};

/// When a node of a program can run: `level` counts the asynchronous ops that it waits for one
/// after another, `waits` is one more than the last of all asynchronous ops that it waits for,
/// numbered by level, then program order; 0: none.
struct Readiness {
  int level = 0;
  int waits = 0;
};
/// By node. Effects on one resource stay in the order of the program, and so do effects outside.
std::vector<Readiness> FindReadiness(const Graph& program);

/// Whether `e` names a resource.
bool IsHandle(const Graph& program, Endpoint e);
/// What `e` is a view of.
Endpoint ViewedBy(const Graph& program, Endpoint e);
/// The resource that input `e` of a node names, through views; nullptr where it is no constant.
const Tensor* ResourceOf(const Graph& program, Endpoint e);

/// Cuts a program at its asynchronous ops into a chain of segments. Each op starts as soon as its
/// inputs are there, and the chain goes on with what does not depend on it: first what later ops
/// wait for, then the rest. A program without such ops is one segment. Every segment takes the
/// program's parameters that it uses as inputs too; constants, views of resources, and reads of
/// variables that nothing has written since are copied.
std::vector<Segment> CutIntoSegments(const Graph& program);

}  // namespace lockstep::graph
