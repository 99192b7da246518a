// The loops around a traced step: Fit, Evaluate, Predict.

#include <chrono>
#include <cmath>

#include "base/team.h"
#include "lockstep/ops/array.h"
#include "nn/data_check.h"
#include "nn/training.h"
#include "runtime/devices.h"

namespace lockstep {

namespace {

using Clock = std::chrono::steady_clock;

void CheckOptions(const FitOptions& fit) {
  if (fit.epochs < 0 || fit.initial_epoch < 0 || fit.steps_per_epoch < 0 ||
      fit.validation_freq < 1) {
    throw Error(Code::kInvalidArgument,
                "[fit] epochs, initial_epoch and steps_per_epoch must not be negative, and "
                "validation_freq must be positive; got " +
                    std::to_string(fit.epochs) + ", " + std::to_string(fit.initial_epoch) + ", " +
                    std::to_string(fit.steps_per_epoch) + " and " +
                    std::to_string(fit.validation_freq));
  }
}

nn::StepInputOptions InputOptions(const FitOptions& fit) {
  return {fit.steps_per_epoch, fit.class_weight, fit.check_data};
}

std::optional<nn::StepInput> ValidationInput(const ValidationData& data, int64_t batch_size) {
  if (data.dataset) return nn::StepInput(*data.dataset, {});
  if (!data.x.defined()) return std::nullopt;
  std::vector<Tensor> arrays{data.x, data.y};
  if (data.sample_weight.defined()) arrays.push_back(data.sample_weight);
  return nn::StepInput(nn::BatchesOf(arrays, batch_size, false), {});
}

// Cuts the last part off `arrays`, which keep the first floor(n (1 - fraction)) rows.
std::vector<Tensor> CutValidation(std::vector<Tensor>& arrays, double fraction) {
  const int64_t examples = arrays[0].rank() > 0 ? arrays[0].shape()[0] : 0;
  const int64_t kept = static_cast<int64_t>(std::floor(examples * (1 - fraction)));
  if (!(fraction > 0 && fraction < 1) || kept == 0 || kept == examples) {
    throw Error(Code::kInvalidArgument,
                "[fit] validation_split must leave examples on both sides; got " +
                    std::to_string(fraction) + " of " + std::to_string(examples) +
                    " examples; give a fraction between 0 and 1");
  }
  std::vector<Tensor> cut;
  for (Tensor& array : arrays) {
    std::vector<Tensor> parts = SplitV(array, {kept, array.shape()[0] - kept}, 0);
    array = parts[0];
    cut.push_back(parts[1]);
  }
  return cut;
}

}  // namespace

void Model::Training::ResetMetrics() {
  loss_metric->Reset();
  for (const MetricPtr& metric : options.metrics) metric->Reset();
  for (const MetricPtr& metric : options.weighted_metrics) metric->Reset();
}

Logs Model::Training::Results() const {
  Logs logs{{"loss", loss_metric->Result().scalar<float>()}};
  for (const MetricPtr& metric : options.metrics)
    logs[metric->name()] = metric->Result().scalar<float>();
  for (const MetricPtr& metric : options.weighted_metrics)
    logs[metric->name()] = metric->Result().scalar<float>();
  return logs;
}

History Model::Training::FitArrays(const Tensor& x, const Tensor& y, const FitOptions& fit) {
  CheckOptions(fit);
  std::vector<Tensor> arrays{x, y};
  if (fit.sample_weight.defined()) arrays.push_back(fit.sample_weight);
  nn::BatchesOf(arrays, fit.batch_size, false);  // refuses what does not fit
  ValidationData validation = fit.validation_data;
  if (fit.validation_split != 0 && !validation.dataset && !validation.x.defined()) {
    const std::vector<Tensor> cut = CutValidation(arrays, fit.validation_split);
    validation = ValidationData(cut[0], cut[1], cut.size() > 2 ? cut[2] : Tensor());
  }
  nn::StepInput input(nn::BatchesOf(arrays, fit.batch_size, fit.shuffle), InputOptions(fit));
  auto tests = ValidationInput(validation, fit.batch_size);
  return Fit(input, tests ? &*tests : nullptr, fit);
}

History Model::Training::FitDataset(const Dataset& batches, const FitOptions& fit) {
  CheckOptions(fit);
  if (fit.validation_split != 0 || fit.sample_weight.defined()) {
    throw Error(Code::kInvalidArgument,
                std::string("[fit] a dataset brings its own parts; got ") +
                    (fit.validation_split != 0 ? "validation_split" : "sample_weight") +
                    "; use Take and Skip for validation_data, and a third component for weights");
  }
  nn::StepInput input(batches, InputOptions(fit));
  auto tests = ValidationInput(fit.validation_data, fit.batch_size);
  return Fit(input, tests ? &*tests : nullptr, fit);
}

History Model::Training::Fit(nn::StepInput& input, nn::StepInput* validation,
                             const FitOptions& fit) {
  runtime::TeamScope devices(model.strategy().team());
  History history;
  model.stop_training = false;
  measure_steps_ = fit.measure_steps;
  const auto start = Clock::now();
  for (const auto& callback : fit.callbacks) callback->model = &model;
  for (const auto& callback : fit.callbacks) callback->OnTrainBegin();
  for (int epoch = fit.initial_epoch; epoch < fit.epochs && !model.stop_training; ++epoch) {
    ResetMetrics();
    Progress progress(fit.verbose, epoch, fit.epochs, input.steps());
    for (const auto& callback : fit.callbacks) callback->OnEpochBegin(epoch);
    input.BeginEpoch(epoch);
    TrainEpoch(input, fit, progress, history);
    Logs logs = Results();
    if (validation != nullptr && (epoch + 1) % fit.validation_freq == 0) {
      for (const auto& [name, value] : Test(*validation, fit.shards)) logs["val_" + name] = value;
    }
    progress.End(logs);
    for (const auto& callback : fit.callbacks) callback->OnEpochEnd(epoch, logs);
    for (const auto& [name, value] : logs) history.history[name].push_back(value);
    history.epoch.push_back(epoch);
  }
  if (history.steps > 0) options.optimizer->Finalize();
  for (const auto& callback : fit.callbacks) callback->OnTrainEnd();
  if (fit.measure_steps && !plans_.empty()) history.breakdown = plans_.front().plan->Breakdown();
  history.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return history;
}

void Model::Training::TrainEpoch(nn::StepInput& input, const FitOptions& fit, Progress& progress,
                                 History& history) {
  for (int64_t batch = 0; !model.stop_training; ++batch) {
    const auto start = Clock::now();
    const nn::StepData* step = input.Next();
    if (step == nullptr) break;
    for (const auto& callback : fit.callbacks) callback->OnTrainBatchBegin(batch);
    TrainStep(input, *step, fit);
    ++history.steps;
    for (const auto& callback : fit.callbacks)
      callback->OnTrainBatchEnd(batch, [this] { return Results(); });
    progress.Step(batch + 1, [this] { return Results(); });
    history.step_microseconds.push_back(
        std::chrono::duration<float, std::micro>(Clock::now() - start).count());
    if (fit.max_steps > 0 && history.steps >= fit.max_steps) model.stop_training = true;
  }
}

void Model::Training::TrainStep(const nn::StepInput& input, const nn::StepData& step,
                                const FitOptions& fit) {
  runtime::Plan& plan = PlanFor(Kind::kTrain, step, fit.shards);
  try {
    plan.Run(step.arguments, model.strategy().team());
  } catch (const Error& error) {
    if (error.code() != Code::kInvalidArgument) throw;
    Tensor labels = step.arguments[1];
    if (step.gathered) labels = Gather(labels, step.arguments.back());
    nn::RequireLabelsBelow(labels, classes_, [&](int64_t row) { return input.PlaceOf(row); });
    throw;
  }
}

Logs Model::Training::Test(nn::StepInput& input, int shards) {
  ResetMetrics();
  input.BeginEpoch(0);
  while (const nn::StepData* step = input.Next())
    PlanFor(Kind::kTest, *step, shards).Run(step->arguments, model.strategy().team());
  return Results();
}

Logs Model::Training::Evaluate(const Dataset& batches, int64_t steps) {
  runtime::TeamScope devices(model.strategy().team());
  nn::StepInput input(batches, {.steps_per_epoch = steps});
  return Test(input, 0);
}

Tensor Model::Training::Predict(const Dataset& batches, int64_t steps) {
  runtime::TeamScope devices(model.strategy().team());
  nn::StepInput input(batches, {.steps_per_epoch = steps});
  input.BeginEpoch(0);
  std::vector<Tensor> parts;
  while (const nn::StepData* step = input.Next()) {
    parts.push_back(
        PlanFor(Kind::kPredict, *step, 0).Run(step->arguments, model.strategy().team())[0]);
  }
  return parts.size() == 1 ? parts[0] : Concat(parts, 0);
}

}  // namespace lockstep
