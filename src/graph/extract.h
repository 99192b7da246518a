#pragma once

#include <vector>

#include "graph/graph.h"

namespace lockstep::graph {

/// What a run of a graph is asked for.
struct RunRequest {
  std::vector<Endpoint> fetches;
  std::vector<int> targets;
  /// Endpoints that get a value from outside, with its type.
  std::vector<Endpoint> feeds;
  std::vector<ops::TensorType> types;
};

/// The part of `whole` that a run needs: feeds are its parameters, fetches its first results, in
/// their order; targets without effects follow as further results. Types are inferred anew from
/// those of the feeds, names and devices stay. Errors: InvalidArgument naming a placeholder that is
/// needed and not fed, or the op whose inputs no longer fit.
Graph ExtractRun(const Graph& whole, const RunRequest& request);

}  // namespace lockstep::graph
