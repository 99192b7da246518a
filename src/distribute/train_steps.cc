#include "distribute/train_steps.h"

#include <set>

#include "base/log.h"
#include "runtime/replica.h"

namespace lockstep::distribute {

TrainSteps::TrainSteps(Body body, Strategy& strategy, int shards)
    : body_(std::move(body)), strategy_(strategy), shards_(shards) {}

StepProgram& TrainSteps::For(const std::vector<Tensor>& batch) {
  if (layout_ != runtime::VariableLayout()) steps_.clear();
  const std::vector<ops::TensorType> types = ops::TypesOf(batch);
  for (auto& [known, program] : steps_) {
    if (known == types) return *program;
  }
  const StepOptions options{.examples = batch.empty() ? 0 : batch[0].shape()[0],
                            .replicas = strategy_.num_replicas_in_sync(),
                            .shards = shards_,
                            .has_rows = std::vector<bool>(batch.size(), true),
                            .ranks = strategy_.ranks()};
  auto program = MakeStepProgram(types, body_, options);
  if (!program->mixes_in().empty() && !told_) {
    told_ = true;
    base::Log(base::Severity::kInfo,
              "the batch is not cut into shards: examples influence each other in " +
                  program->mixes_in());
  }
  layout_ = runtime::VariableLayout();
  steps_.emplace_back(types, std::move(program));
  return *steps_.back().second;
}

std::vector<Tensor> TrainSteps::Variables() const {
  std::vector<Tensor> all;
  std::set<const void*> known;
  for (const auto& [types, program] : steps_) {
    for (const auto& cell : program->cells())
      if (known.insert(cell.get()).second)
        all.push_back(Tensor::FromObject(cell, DType::kResource, cell->shape(), cell->dtype()));
  }
  return all;
}

void CheckBatch(const std::vector<Tensor>& batch) {
  for (const Tensor& part : batch) {
    if (part.rank() > 0 && part.shape()[0] == batch[0].shape()[0]) continue;
    throw Error(Code::kInvalidArgument,
                "[strategy.train] all parts of a batch must have as many examples along axis 0; "
                "got " +
                    batch[0].shape().ToString() + " and " + part.shape().ToString());
  }
}

}  // namespace lockstep::distribute
