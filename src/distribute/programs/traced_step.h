#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "lockstep/tensor/tensor.h"
#include "ops/op.h"

namespace lockstep::distribute {

/// Called with a symbolic tensor for each part of a batch; gives the step's results.
using StepBody = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;

/// How a batch is cut.
struct BatchCut {
  int64_t examples = 0;
  int replicas = 1;
  int shards = 0;  // a replica; 0: follows from the batch
  /// Which parameters have an example a row along axis 0.
  std::vector<bool> has_rows;
};

/// A step on a whole batch, its sums over examples cut into leaves where the examples can be
/// followed.
struct TracedStep {
  graph::Graph graph;
  std::vector<int64_t> offsets;  // of the leaves, then the number of examples; empty: not cut
  /// The op in which examples influence each other, so that the batch is not cut; empty: it is cut.
  std::string mixes_in;
};

/// Traces `body`, again where it has made variables meanwhile. Errors: what it throws.
TracedStep TraceStep(const std::vector<ops::TensorType>& types, const StepBody& body,
                     const BatchCut& cut);

}  // namespace lockstep::distribute
