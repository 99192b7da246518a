#include "base/log.h"
#include "distribute/context.h"
#include "distribute/step_program.h"
#include "lockstep/distribute/strategy.h"
#include "runtime/replica.h"

namespace lockstep {

namespace {

// The steps that have been traced so far: one for each kind of batch.
class Steps {
 public:
  using Body = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;
  Steps(const Body& body, Strategy& strategy, int shards)
      : body_(body), strategy_(strategy), shards_(shards) {}

  distribute::StepProgram& For(const std::vector<Tensor>& batch) {
    if (layout_ != runtime::VariableLayout()) steps_.clear();
    std::vector<ops::TensorType> types;
    for (const Tensor& part : batch) types.push_back(ops::TensorType::Of(part));
    for (auto& [known, program] : steps_) {
      if (known == types) return program;
    }
    distribute::StepOptions options{.examples = batch.empty() ? 0 : batch[0].shape()[0],
                                    .replicas = strategy_.num_replicas_in_sync(),
                                    .shards = shards_,
                                    .has_rows = std::vector<bool>(batch.size(), true),
                                    .ranks = strategy_.ranks()};
    auto program = distribute::MakeStepProgram(types, body_, options);
    if (!program.mixes_in().empty() && !told_) {
      told_ = true;
      base::Log(base::Severity::kInfo,
                "the batch is not cut into shards: examples influence each other in " +
                    program.mixes_in());
    }
    layout_ = runtime::VariableLayout();
    steps_.emplace_back(types, std::move(program));
    return steps_.back().second;
  }

 private:
  const Body& body_;
  Strategy& strategy_;
  const int shards_;
  std::vector<std::pair<std::vector<ops::TensorType>, distribute::StepProgram>> steps_;
  uint64_t layout_ = 0;
  bool told_ = false;
};

void CheckBatch(const std::vector<Tensor>& batch) {
  for (const Tensor& part : batch) {
    if (part.rank() > 0 && part.shape()[0] == batch[0].shape()[0]) continue;
    throw Error(Code::kInvalidArgument,
                "[strategy.train] all parts of a batch must have as many examples along axis 0; "
                "got " +
                    batch[0].shape().ToString() + " and " + part.shape().ToString());
  }
}

}  // namespace

TrainResult Strategy::Train(
    const BatchSourceFactory& batches, int64_t steps,
    const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& body,
    const TrainOptions& options) {
  distribute::RequireCrossReplica("strategy.train");
  distribute::RequireStrategy("strategy.train", id_, name_);
  const distribute::CrossReplicaScope scope(*this);
  Steps programs(body, *this, options.shards);
  TrainResult result;
  BatchSource source = batches();
  bool fresh = true;  // nothing has been taken from this pass
  while (steps < 0 || result.steps < steps) {
    const auto batch = source();
    if (!batch) {
      if (steps < 0) break;
      if (fresh) {
        throw Error(
            Code::kOutOfRange,
            "[strategy.train] there must be batches for all steps; got none in a pass after " +
                std::to_string(result.steps) + " of " + std::to_string(steps) + " steps");
      }
      source = batches();
      fresh = true;
      continue;
    }
    fresh = false;
    CheckBatch(*batch);
    result.last = programs.For(*batch).Run(*batch, team());
    ++result.steps;
    if (options.on_step) options.on_step(result.steps, result.last);
  }
  return result;
}

}  // namespace lockstep
