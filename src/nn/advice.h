#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "lockstep/nn/loss.h"
#include "lockstep/nn/metric.h"
#include "lockstep/runtime/variable.h"

/// What cannot be meant is said before the first step, in one line with the cure.

namespace lockstep::nn {

/// A traced step, as far as advice looks at it.
struct TracedStep {
  const Loss& loss;
  std::vector<MetricPtr> metrics;
  Tensor labels, predictions;  // symbolic; predictions that are not give no advice
  std::string last_layer;
  std::vector<Variable> variables;
  std::vector<Tensor> gradients;  // of the variables; undefined where the loss does not reach
};
std::vector<std::string> AdviceOnStep(const TracedStep& step);

/// How a batch meets the devices; leaves: replicas times shards.
struct BatchDivision {
  int64_t examples = 0;
  int replicas = 1;
  int leaves = 1;
  int devices = 1;
  bool shards_follow_batch = true;
};
std::vector<std::string> AdviceOnDivision(const BatchDivision& division);

/// A batch size above the number of examples.
std::vector<std::string> AdviceOnBatchSize(int64_t batch_size, int64_t examples);

}  // namespace lockstep::nn
