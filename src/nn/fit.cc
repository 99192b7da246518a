// The loops around a traced step: Fit, Evaluate, Predict.

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cmath>
#include <utility>

#include "base/environment.h"
#include "base/log.h"
#include "base/team.h"
#include "base/trace.h"
#include "distribute/workers/journal.h"
#include "lockstep/ops/array.h"
#include "nn/advice.h"
#include "nn/data_check.h"
#include "nn/training.h"
#include "runtime/devices.h"

namespace lockstep {

namespace {

using Clock = std::chrono::steady_clock;
using collectives::Phase;

void CheckOptions(const FitOptions& fit) {
  if (std::find(fit.callbacks.begin(), fit.callbacks.end(), nullptr) != fit.callbacks.end())
    throw Error(Code::kInvalidArgument, "[fit] callbacks must be made; got a null pointer");
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

// Of one model one Fit at a time.
class FittingScope {
 public:
  explicit FittingScope(std::atomic<bool>& fitting) : fitting_(fitting) {
    if (!fitting_.exchange(true)) return;
    throw Error(
        Code::kFailedPrecondition,
        "[fit] a model is trained by one Fit at a time; got another one, of another thread or "
        "from a callback, while the first goes on");
  }
  ~FittingScope() { fitting_ = false; }

 private:
  std::atomic<bool>& fitting_;
};

// Workers come into a Fit, and leave it, while it goes on.
class BoundaryEnd {
 public:
  explicit BoundaryEnd(std::optional<StepBoundary>& boundary) : boundary_(boundary) {}
  ~BoundaryEnd() { boundary_.reset(); }

 private:
  std::optional<StepBoundary>& boundary_;
};

nn::StepInputOptions InputOptions(const FitOptions& fit) {
  return {fit.steps_per_epoch, fit.class_weight, fit.check_data, fit.first_pass,
          fit.passes_per_epoch};
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
  if (!(fraction > 0 && fraction < 1)) {
    throw Error(Code::kInvalidArgument,
                "[fit] validation_split must lie between 0 and 1; got " + std::to_string(fraction) +
                    "; give the fraction of the examples that is kept from training");
  }
  const int64_t kept = static_cast<int64_t>(std::floor(examples * (1 - fraction)));
  if (kept == 0 || kept == examples) {
    throw Error(Code::kInvalidArgument,
                "[fit] validation_split must leave examples on both sides; got " +
                    std::to_string(fraction) + " of " + std::to_string(examples) +
                    " examples, of which " + std::to_string(kept) +
                    " would train; give a fraction that leaves an example or more to each");
  }
  std::vector<Tensor> cut;
  for (Tensor& array : arrays) {
    std::vector<Tensor> parts = SplitV(array, {kept, array.shape()[0] - kept}, 0);
    array = parts[0];
    cut.push_back(parts[1]);
  }
  return cut;
}

// Tells whoever profiles that a step is under way.
class StepScope {
 public:
  explicit StepScope(int64_t step) {
    if (auto* trace = base::TraceRecorder::Current()) trace->BeginStep(static_cast<uint64_t>(step));
  }
  ~StepScope() {
    if (auto* trace = base::TraceRecorder::Current()) trace->EndStep();
  }
  StepScope(const StepScope&) = delete;
};

}  // namespace

// The slots of an update's rows lie on the worker that made it.
void Model::Training::GatherState() const {
  RefuseInsideOfEpoch("a look at the whole state");
  if (model.strategy().ranks() != nullptr) model.strategy().ranks()->journal().Gather();
}

// Whether anybody may look at values between the step that comes next and the one behind it.
bool Model::Training::ReadsFollow(const nn::StepInput& input, const FitOptions& fit) const {
  const int64_t steps = history_.steps + 1;
  return position.step + 1 == input.steps() || steps == fit.max_steps ||
         (fit.digest_check > 0 && steps % fit.digest_check == 0) ||
         (dump_ && dump_->step == steps) ||
         std::any_of(reads_every_.begin(), reads_every_.end(),
                     [steps](int64_t every) { return steps % every == 0; });
}

// A worker that rests has no values behind a step after which nobody was to look.
bool Model::Training::IsBehind() const {
  const distribute::Communicator* ranks = model.strategy().ranks();
  return ranks != nullptr && ranks->IsBehind();
}

Logs Model::Training::RunningResults() const { return IsBehind() ? Logs{} : Results(); }

std::optional<double> Model::Training::RunningLoss() const {
  if (IsBehind()) return std::nullopt;
  return loss_metric->Result().scalar<float>();
}

// Where training stops behind such a step.
void Model::Training::CatchUp() {
  if (!std::exchange(reads_followed_, true)) GatherState();
}

void Model::Training::ResetMetrics() {
  loss_metric->Reset();
  for (const MetricPtr& metric : options.metrics) metric->Reset();
  for (const MetricPtr& metric : options.weighted_metrics) metric->Reset();
}

Logs Model::Training::Results() const {
  Logs logs{{"loss", loss_metric->Result().scalar<float>()}};
  // As in Keras: of two figures of one name the later one gets a number.
  std::map<std::string, int> taken;
  const auto add = [&](const std::string& name, const Metric& metric) {
    const int before = taken[name]++;
    logs[before == 0 ? name : name + "_" + std::to_string(before)] =
        metric.Result().scalar<float>();
  };
  for (const MetricPtr& metric : options.metrics) add(metric->name(), *metric);
  for (const MetricPtr& metric : options.weighted_metrics)
    add((taken.contains(metric->name()) ? "weighted_" : "") + metric->name(), *metric);
  return logs;
}

void Model::Training::Record(int epoch, const Logs& logs, History& history) {
  history.epoch.push_back(epoch);
  for (const auto& [name, value] : logs) history.history[name].push_back(value);
}

void Model::Training::Advise(std::string line) {
  if (std::find(advice.begin(), advice.end(), line) != advice.end()) return;
  base::Log(base::Severity::kWarning, line);
  advice.push_back(std::move(line));
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
  for (std::string& line : nn::AdviceOnBatchSize(fit.batch_size, arrays[0].shape()[0]))
    Advise(std::move(line));
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

void Model::Training::BeginTraining(nn::StepInput& input, const FitOptions& fit) {
  position = {.epoch = fit.initial_epoch};
  reads_followed_ = true;
  Coordinator();  // refuses what can't be
  if (position.epoch < fit.epochs || resumed) {
    input.BeginEpoch(position.epoch);
    if (const nn::StepData* first = input.Peek()) {
      is_scheduled_ ? PrepareScheduledStep(*first, fit.shards)
                    : static_cast<void>(ProgramFor(Kind::kTrain, *first, fit.shards));
    }
  }
  for (const auto& callback : fit.callbacks) callback->model = &model;
  for (const auto& callback : fit.callbacks) callback->OnTrainBegin();
  cursor_ = input.cursor();
  distribute::Communicator* ranks = model.strategy().ranks();
  if (boundary_->entering() && EnterTraining(input, fit)) return;
  if (resumed) {
    const SavedState save = *std::exchange(resumed, std::nullopt);
    RestorePosition(save);
    RestoreValues(save);
    input.Resume(cursor_, position.step);
    if (fit.max_steps > 0 && position.steps >= fit.max_steps) model.stop_training = true;
  }
  if (ranks == nullptr) return;
  try {
    CompareBeginnings(*ranks, input, fit);
    AgreeOnReads(*ranks, fit);
  } catch (const distribute::LeftOut&) {
    EnterTraining(input, fit);
  }
}

History Model::Training::Fit(nn::StepInput& input, nn::StepInput* validation,
                             const FitOptions& fit) {
  const FittingScope fitting(fitting_);
  runtime::TeamScope devices(model.strategy().team());
  model.stop_training = false;
  measure_steps_ = fit.measure_steps;
  recipe_ = input.recipe();
  recipe_["shards"] = fit.shards;
  recipe_["batch_size"] = fit.batch_size;
  recipe_["shuffle"] = fit.shuffle ? 1 : 0;
  callbacks_ = fit.callbacks;
  dump_ = nn::DumpRequest::FromEnvironment(/*alone=*/model.strategy().ranks() == nullptr);
  history_ = {};
  others_.clear();
  recorded_ = true;
  const auto start = Clock::now();
  distribute::Communicator* ranks = model.strategy().ranks();
  boundary_.emplace(model.strategy(), "fit");
  const BoundaryEnd of_fit(boundary_);
  if (ranks != nullptr) {
    metrics_ = ranks->watch().shared_metrics();
  } else if (metrics_ == nullptr) {
    metrics_ = std::make_shared<base::Metrics>();
  }
  const base::MetricsScope watched(metrics_);
  step_metrics_.emplace(*metrics_, ranks);
  boundary_->Guard([&] {
    BeginTraining(input, fit);
    while (!TrainToTheEnd(input, validation, fit)) EnterTraining(input, fit);
  });
  if (fit.measure_steps && !plans_.empty())
    history_.breakdown = plans_.front().program->Breakdown();
  if (!plans_.empty()) history_.plan = plans_.front().program->Summary();
  history_.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  return history_;
}

// False: this worker was left out.
bool Model::Training::TrainToTheEnd(nn::StepInput& input, nn::StepInput* validation,
                                    const FitOptions& fit) {
  try {
    while (position.epoch < fit.epochs && !model.stop_training) RunEpoch(input, validation, fit);
    EndTraining(fit);
    return true;
  } catch (const distribute::LeftOut&) {
    return false;
  }
}

void Model::Training::EndTraining(const FitOptions& fit) {
  GatherState();
  if (history_.steps > 0) options.optimizer->Finalize();
  // All is whole here: who is left out from now on can do by itself what the program does with it.
  if (distribute::Communicator* ranks = model.strategy().ranks()) ranks->journal().Rebase();
  for (const auto& callback : fit.callbacks) callback->OnTrainEnd();
}

void Model::Training::RunEpoch(nn::StepInput& input, nn::StepInput* validation,
                               const FitOptions& fit) {
  const int epoch = position.epoch;
  step_metrics_->Epoch(epoch);
  const bool silent = model.strategy().worker() != 0;
  Progress progress(silent ? Verbosity::kSilent : fit.verbose, epoch, fit.epochs, input.steps(),
                    position.step);
  if (position.step == 0) {  // else it was begun before a save
    ResetMetrics();
    for (const auto& callback : fit.callbacks) callback->OnEpochBegin(epoch);
    input.BeginEpoch(epoch);
  }
  const bool whole = TrainEpoch(input, fit, progress);
  CatchUp();
  cursor_ = input.cursor();
  // An epoch that was stopped inside stays the one to go on in.
  if (whole) position = {epoch + 1, 0, history_.steps};
  if (!whole) {
    const distribute::PhaseScope calls(model.strategy().ranks(), Phase::kCallback);
    for (const auto& callback : fit.callbacks) callback->OnTrainStop();
  }
  epoch_logs_ = Results();
  if (validation != nullptr && (epoch + 1) % fit.validation_freq == 0) {
    for (const auto& [name, value] : Test(*validation, fit.shards, fit.callbacks))
      epoch_logs_["val_" + name] = value;
  }
  if (silent && model.strategy().worker() == 0) progress.Speak(fit.verbose);  // worker 0 was lost
  AddStaleness(epoch_logs_);
  progress.End(epoch_logs_);
  ended_epoch_ = epoch;
  recorded_ = false;
  {
    const distribute::PhaseScope calls(model.strategy().ranks(), Phase::kCallback);
    for (const auto& callback : fit.callbacks) callback->OnEpochEnd(epoch, epoch_logs_);
  }
  Record(epoch, epoch_logs_, history_);
  recorded_ = true;
}

bool Model::Training::TrainEpoch(nn::StepInput& input, const FitOptions& fit, Progress& progress) {
  if (IsAsynchronous()) return TrainEpochAsynchronously(input, fit, progress);
  if (is_scheduled_) return TrainEpochOnWorkers(input, fit, progress);
  distribute::PhaseScope phase(model.strategy().ranks(), Phase::kInput);
  while (!model.stop_training) {
    const auto start = Clock::now();
    const StepScope profiled(history_.steps + 1);
    phase.Then(Phase::kInput);
    const nn::StepData* step = input.Next();
    if (step == nullptr) {
      if (auto* trace = base::TraceRecorder::Current()) trace->DropStep();
      return true;
    }
    const int64_t batch = position.step, examples = step->examples;
    if (!fit.callbacks.empty()) phase.Then(Phase::kCallback);
    for (const auto& callback : fit.callbacks) callback->OnTrainBatchBegin(batch);
    phase.Then(Phase::kStep);
    TrainStep(input, *step, fit);
    phase.Then(Phase::kCallback);
    position = {position.epoch, batch + 1, ++history_.steps};
    cursor_ = input.cursor();
    DumpIfAsked();
    if (fit.max_steps > 0 && history_.steps >= fit.max_steps) model.stop_training = true;
    for (const auto& callback : fit.callbacks)
      callback->OnTrainBatchEnd(batch, [this] { return RunningResults(); });
    progress.Step(batch + 1, [this] { return RunningResults(); });
    AgreeWithWorkers(fit);
    const auto took = Clock::now() - start;
    step_metrics_->Step(history_.steps, examples, took, [this] { return RunningLoss(); });
    history_.step_microseconds.push_back(std::chrono::duration<float, std::micro>(took).count());
  }
  return position.step == input.steps();
}

bool Model::Training::EnterTraining(nn::StepInput& input, const FitOptions& fit) {
  while (TakeOverTraining(input, fit)) {
    try {
      AgreeOnReads(*model.strategy().ranks(), fit);
      return true;
    } catch (const distribute::LeftOut&) {
      // It comes again.
    }
  }
  return false;
}

bool Model::Training::TakeOverTraining(nn::StepInput& input, const FitOptions& fit) {
  reads_followed_ = true;
  const std::optional<SavedState> state = boundary_->Enter({});
  if (!state) return false;
  RestorePosition(*state);
  RestoreValues(*state);
  resumed.reset();  // a save that the others began with, too
  for (const auto& callback : fit.callbacks) callback->OnTrainEnter(history_);
  input.Resume(cursor_, position.step);
  const std::string task = base::EnvironmentText("LOCKSTEP_TASK").value_or("this worker");
  const bool restarted = base::EnvironmentNumber("LOCKSTEP_RESTART", 0, 1'000'000).value_or(0) > 0;
  base::Log(base::Severity::kInfo, "[fit] " + task + (restarted ? " was restarted and" : "") +
                                       " joined at step " + std::to_string(position.steps));
  if (fit.max_steps > 0 && position.steps >= fit.max_steps) model.stop_training = true;
  return true;
}

void Model::Training::TrainStep(const nn::StepInput& input, const nn::StepData& step,
                                const FitOptions& fit) {
  distribute::StepProgram& program = ProgramFor(Kind::kTrain, step, fit.shards);
  distribute::Communicator* ranks = model.strategy().ranks();
  reads_followed_ = ranks == nullptr || ReadsFollow(input, fit);
  const distribute::ReadsScope reads(ranks, reads_followed_);
  try {
    program.Run(step.arguments, model.strategy().team());
  } catch (const Error& error) {
    if (error.code() != Code::kInvalidArgument) throw;
    Tensor labels = step.arguments[1];
    if (step.gathered) labels = Gather(labels, step.arguments.back());
    nn::RequireLabelsBelow(labels, classes_, [&](int64_t row) { return input.PlaceOf(row); });
    throw;
  }
}

void Model::Training::NoteMeanStep(int64_t done, Clock::time_point start) {
  const float mean = std::chrono::duration<float, std::micro>(Clock::now() - start).count() /
                     static_cast<float>(std::max<int64_t>(1, done));
  history_.step_microseconds.insert(history_.step_microseconds.end(), done, mean);
}

std::vector<Variable> Model::Training::MetricVariables() const {
  std::vector<Variable> all = loss_metric->variables();
  for (const auto* metrics : {&options.metrics, &options.weighted_metrics}) {
    for (const MetricPtr& metric : *metrics)
      all.insert(all.end(), metric->variables().begin(), metric->variables().end());
  }
  return all;
}

Logs Model::Training::Test(nn::StepInput& input, int shards,
                           const std::vector<CallbackPtr>& callbacks) {
  const distribute::PhaseScope evaluates(model.strategy().ranks(), Phase::kEvaluation);
  // An epoch that was stopped inside and is gone on with needs its sums again.
  const std::vector<Variable> variables = MetricVariables();
  std::vector<Tensor> sums;
  for (const Variable& variable : variables) sums.push_back(variable.value());
  ResetMetrics();
  for (const auto& callback : callbacks) callback->OnTestBegin();
  input.BeginEpoch(0);
  if (const auto coordinator = Coordinator()) {
    TestOnWorkers(*coordinator, input, shards, callbacks);
  } else {
    for (int64_t batch = 0; const nn::StepData* step = input.Next(); ++batch) {
      for (const auto& callback : callbacks) callback->OnTestBatchBegin(batch);
      ProgramFor(Kind::kTest, *step, shards).Run(step->arguments, model.strategy().team());
      for (const auto& callback : callbacks)
        callback->OnTestBatchEnd(batch, [this] { return Results(); });
    }
  }
  const Logs logs = Results();
  for (const auto& callback : callbacks) callback->OnTestEnd(logs);
  for (size_t i = 0; i < sums.size(); ++i) variables[i].Assign(sums[i]);
  return logs;
}

// An activity from which nothing is learned: a worker that was left out does it by itself.
void Model::Training::Look(const std::function<void()>& looks) {
  distribute::ActivityScope activity(model.strategy().ranks(), distribute::Activity::kLooking);
  runtime::TeamScope devices(model.strategy().team());
  activity.Guard(looks);
}

Logs Model::Training::Evaluate(const Dataset& batches, int64_t steps) {
  Logs logs;
  Look([&] {
    nn::StepInput input(batches, {.steps_per_epoch = steps});
    logs = Test(input, 0, {});
  });
  return logs;
}

Tensor Model::Training::Predict(const Dataset& batches, int64_t steps) {
  std::vector<Tensor> parts;
  Look([&] {
    nn::StepInput input(batches, {.steps_per_epoch = steps});
    const distribute::PhaseScope evaluates(model.strategy().ranks(), Phase::kEvaluation);
    input.BeginEpoch(0);
    if (const auto coordinator = Coordinator()) {
      parts = PredictOnWorkers(*coordinator, input);
      return;
    }
    while (const nn::StepData* step = input.Next()) {
      parts.push_back(
          ProgramFor(Kind::kPredict, *step, 0).Run(step->arguments, model.strategy().team())[0]);
    }
  });
  return parts.size() == 1 ? parts[0] : Concat(parts, 0);
}

}  // namespace lockstep
