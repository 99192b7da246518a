// Fit, Evaluate and Predict of a chief whose workers only serve: each step is a function that its
// coordinator gives to the next free worker.

#include <algorithm>
#include <chrono>

#include "distribute/servers/scheduled_steps.h"
#include "nn/training.h"
#include "runtime/placed_variable.h"

namespace lockstep {

namespace {

using Clock = std::chrono::steady_clock;
using distribute::StepQueue;

StepQueue::Options QueueOf(const ParameterServerMode& mode) {
  if (mode.kind() == ParameterServerMode::Kind::kAsynchronous) return {};
  return {.staleness = mode.staleness(), .in_order = mode.staleness() == 0};
}

struct Begun {
  int64_t batch = 0;
  int64_t examples = 0;
  Clock::time_point at;
};

// What a training step gives: the number of updates before it and after.
int64_t StalenessOf(const std::vector<Tensor>& results) {
  const int64_t between = results[1].scalar<int64_t>() - results[0].scalar<int64_t>();
  return std::max<int64_t>(0, between - 1);
}

}  // namespace

// While it lives, this thread makes variables on the coordinator's servers.
struct Model::Training::ServersScope {
  explicit ServersScope(distribute::CoordinatorState* state) : creator(state), current(state) {}
  runtime::VariableCreatorScope creator;
  distribute::CurrentCoordinator current;
};

std::shared_ptr<distribute::CoordinatorState> Model::Training::Coordinator() const {
  if (!is_scheduled_) {
    for (const Variable& variable : model.variables()) {
      if (runtime::AsPlacedVariable(variable.handle()) == nullptr) continue;
      throw Error(Code::kFailedPrecondition,
                  "[fit] a model whose variables are on a coordinator's servers is compiled in its "
                  "scope; got one that is not, with '" +
                      variable.name() + "'; open coordinator.scope() around Compile");
    }
    return nullptr;
  }
  if (auto state = coordinator_.lock()) return state;
  throw Error(Code::kFailedPrecondition,
              "[fit] variables of servers live as long as their coordinator; got a model whose "
              "coordinator has gone");
}

std::shared_ptr<distribute::ScheduledStep> Model::Training::ScheduledStepFor(
    distribute::CoordinatorState& state, Kind kind, const std::vector<Tensor>& batch, int shards) {
  const std::vector<ops::TensorType> types = ops::TypesOf(batch);
  for (const ScheduledPlan& known : scheduled_plans_) {
    if (known.kind == kind && known.shards == shards && known.types == types) return known.step;
  }
  const ServersScope scope(&state);
  const auto body = [&](const std::vector<Tensor>& parts) {
    if (kind != Kind::kTrain) return Trace(kind, parts);
    const Tensor before = options.optimizer->iterations().value();
    Trace(kind, parts);
    return std::vector<Tensor>{before, options.optimizer->iterations().value()};
  };
  const distribute::TracedStep traced =
      distribute::TraceStep(types, body,
                            {.examples = batch[0].shape()[0],
                             .replicas = model.strategy().num_replicas_in_sync(),
                             .shards = shards,
                             .has_rows = std::vector<bool>(types.size(), true)});
  const char* names[] = {"train_step", "test_step", "predict_step"};
  auto step = std::make_shared<distribute::ScheduledStep>(
      state, traced.graph, names[static_cast<int>(kind)], MetricVariables());
  const bool in_turn = state.options.mode.kind() == ParameterServerMode::Kind::kSynchronous;
  if (kind == Kind::kTrain && in_turn && !traced.offsets.empty())
    step->Divide(state, traced.offsets);
  scheduled_plans_.push_back({kind, shards, types, step});
  return step;
}

void Model::Training::PrepareScheduledStep(const nn::StepData& first, int shards) {
  if (const auto state = Coordinator())
    ScheduledStepFor(*state, Kind::kTrain, first.BatchOf(first.arguments), shards);
}

bool Model::Training::TrainEpochOnWorkers(nn::StepInput& input, const FitOptions& fit,
                                          Progress& progress) {
  const auto state = Coordinator();
  const auto start = Clock::now();
  const int64_t first = position.step;
  staleness.clear();
  distribute::HeldSums sums(MetricVariables());
  const auto results = [&] {
    sums.Write();
    return Results();
  };
  const ParameterServerMode mode = state->options.mode;
  StepQueue queue(*state, QueueOf(mode));
  const auto take = [&](const distribute::ScheduledStep& step, const Begun& begun,
                        std::vector<Tensor> given) {
    under_way_ = queue.under_way();
    step.AddTo(&sums, &given);
    if (mode.kind() != ParameterServerMode::Kind::kSynchronous) ++staleness[StalenessOf(given)];
    position = {position.epoch, position.step + 1, ++history_.steps};
    for (const auto& callback : fit.callbacks) callback->OnTrainBatchEnd(begun.batch, results);
    progress.Step(position.step, results);
    step_metrics_->Step(history_.steps, begun.examples, Clock::now() - begun.at,
                        [&] { return results().at("loss"); });
  };
  bool whole = false;
  for (int64_t batch = first;; ++batch) {
    queue.WaitForRoom();
    const int64_t steps = history_.steps + queue.under_way();
    if (model.stop_training || (fit.max_steps > 0 && steps >= fit.max_steps)) break;
    const nn::StepData* data = input.Next();
    if (data == nullptr) {
      whole = true;
      break;
    }
    for (const auto& callback : fit.callbacks) callback->OnTrainBatchBegin(batch);
    const Begun begun{batch, data->examples, Clock::now()};
    std::vector<Tensor> arguments = data->BatchOf(data->arguments);
    const auto step = ScheduledStepFor(*state, Kind::kTrain, arguments, fit.shards);
    cursor_ = input.cursor();
    queue.Add(step, std::move(arguments), [&take, step, begun](std::vector<Tensor> given) {
      take(*step, begun, std::move(given));
    });
  }
  queue.Finish();
  sums.Write();
  if (fit.max_steps > 0 && history_.steps >= fit.max_steps) model.stop_training = true;
  NoteMeanStep(position.step - first, start);
  return whole || position.step == input.steps();
}

void Model::Training::TestOnWorkers(distribute::CoordinatorState& state, nn::StepInput& input,
                                    int shards, const std::vector<CallbackPtr>& callbacks) {
  distribute::HeldSums sums(MetricVariables());
  const auto results = [&] {
    sums.Write();
    return Results();
  };
  StepQueue queue(state, {.in_order = true});
  for (int64_t batch = 0; const nn::StepData* data = input.Next(); ++batch) {
    for (const auto& callback : callbacks) callback->OnTestBatchBegin(batch);
    std::vector<Tensor> arguments = data->BatchOf(data->arguments);
    const auto step = ScheduledStepFor(state, Kind::kTest, arguments, shards);
    queue.Add(step, std::move(arguments), [&, step, batch](std::vector<Tensor> given) {
      step->AddTo(&sums, &given);
      for (const auto& callback : callbacks) callback->OnTestBatchEnd(batch, results);
    });
  }
  queue.Finish();
  sums.Write();
}

std::vector<Tensor> Model::Training::PredictOnWorkers(distribute::CoordinatorState& state,
                                                      nn::StepInput& input) {
  std::vector<Tensor> parts;
  StepQueue queue(state, {.in_order = true});
  while (const nn::StepData* data = input.Next()) {
    std::vector<Tensor> arguments = data->BatchOf(data->arguments);
    const auto step = ScheduledStepFor(state, Kind::kPredict, arguments, 0);
    queue.Add(step, std::move(arguments),
              [&](std::vector<Tensor> given) { parts.push_back(given[0]); });
  }
  queue.Finish();
  return parts;
}

}  // namespace lockstep
