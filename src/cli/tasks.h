#pragma once

#include <memory>
#include <string>

#include "cli/options.h"
#include "lockstep/nn/model.h"

namespace lockstep::cli {

/// Training and test data of a task.
struct TaskData {
  Tensor x, y, test_x, test_y;
};

/// A model, compiled, with its data.
struct Task {
  std::unique_ptr<Model> model;
  TaskData data;
};

/// The task that the options name; throws Error for data that do not fit.
Task MakeTask(const TrainOptions& options);

/// How many epochs the options mean for so many examples.
int EpochsOf(const TrainOptions& options, int64_t examples);
/// Examples of a batch of tests. Images are cheap: larger batches than training has; a text takes
/// the memory of its tokens.
int64_t TestBatchOf(const TrainOptions& options);

}  // namespace lockstep::cli
