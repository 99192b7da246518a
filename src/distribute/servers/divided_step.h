#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "graph/graph.h"

namespace lockstep::distribute {

/// A step that several workers compute, each on some examples, and one of them ends.
struct DividedStep {
  struct Part {
    /// These examples' rows of the step's parameters, to their sums. It changes nothing.
    graph::Graph graph;
    int64_t first = 0;  // example of the batch
    int64_t examples = 0;
    std::vector<size_t> gives;  // by result: which of the rest's parameters it is
  };
  std::vector<Part> parts;
  /// The parts' sums to the results and the effects of the step.
  graph::Graph rest;
};

/// `step` over as many parts as there are `workers`, or leaves if those are fewer. It is a step on
/// the whole batch, all of whose parameters have rows, with its sums cut into leaves that begin at
/// `offsets`. The parts meet in the canonical tree, so its bits are those of the whole. None: it
/// has fewer than two leaves, or is no such step, as one in which examples need a sum over all
/// (batch normalisation) or what the step has written.
std::optional<DividedStep> DivideStep(const graph::Graph& step, const std::vector<int64_t>& offsets,
                                      int workers);

}  // namespace lockstep::distribute
