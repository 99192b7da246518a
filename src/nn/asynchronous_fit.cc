// Fit's epochs where workers train each for itself, on variables that servers keep.

#include <algorithm>
#include <chrono>
#include <cstdlib>

#include "base/metrics.h"
#include "distribute/servers/asynchronous_epoch.h"
#include "lockstep/distribute/parameter_server.h"
#include "nn/training.h"
#include "runtime/variable_cell.h"

namespace lockstep {

namespace {

using Clock = std::chrono::steady_clock;
using collectives::Phase;

std::shared_ptr<runtime::VariableCell> CellOf(const Variable& variable) {
  return std::dynamic_pointer_cast<runtime::VariableCell>(variable.handle().object());
}

const ParameterServerStrategy* AsynchronousStrategy(const Model& model) {
  const auto* servers = dynamic_cast<const ParameterServerStrategy*>(&model.strategy());
  const bool is_synchronous =
      servers == nullptr || servers->mode().kind() == ParameterServerMode::Kind::kSynchronous;
  return is_synchronous || model.strategy().ranks() == nullptr ? nullptr : servers;
}

}  // namespace

bool Model::Training::IsAsynchronous() const { return AsynchronousStrategy(model) != nullptr; }

void Model::Training::RefuseInsideOfEpoch(const char* what) const {
  if (under_way_ > 0) {
    throw Error(Code::kFailedPrecondition,
                "[fit] while workers carry out steps there is no state of all variables; got " +
                    std::string(what) + " with " + std::to_string(under_way_) +
                    " steps under way; call it in OnEpochEnd");
  }
  if (asynchronous_epoch_ == nullptr) return;
  throw Error(Code::kFailedPrecondition,
              "[fit] where training is asynchronous, all tasks must call it together, between "
              "epochs; got " +
                  std::string(what) + " in the middle of one; call it in OnEpochEnd");
}

// The steps for batches of all sizes of the epoch.
std::shared_ptr<distribute::AsynchronousStep> Model::Training::AsynchronousStepFor(
    nn::StepInput& input, int64_t steps, const FitOptions& fit) {
  const ParameterServerStrategy& strategy = *AsynchronousStrategy(model);
  std::vector<const distribute::StepProgram*> programs;
  // A pass's last batch, and one that is not, if there is one.
  const int64_t first = position.step;
  for (const int64_t step : {first, first + 1, input.ShortStep(first, steps)}) {
    if (step < 0 || (step > first && step >= steps)) continue;
    const distribute::StepProgram* program = &ProgramFor(Kind::kTrain, *input.At(step), fit.shards);
    if (std::find(programs.begin(), programs.end(), program) == programs.end())
      programs.push_back(program);
  }
  // As many parts as there are servers when all come here; some may die while others do.
  const std::vector<std::string> counts = strategy.ranks()->journal().Exchange(
      [&] { return std::to_string(strategy.ranks()->roles().servers().size()); });
  const int servers = std::max(1, std::atoi(counts.at(0).c_str()));
  if (asynchronous_step_ != nullptr && programs == asynchronous_forms_ &&
      asynchronous_step_->servers() == servers)
    return asynchronous_step_;
  distribute::AsynchronousStep::Options step{.servers = servers, .execution = options.execution};
  for (const Variable& variable : MetricVariables()) step.shown.push_back(CellOf(variable));
  if (strategy.options().scale_by_staleness) {
    if (options.optimizer->has_schedule()) {
      throw Error(Code::kInvalidArgument,
                  "[fit] scale_by_staleness needs a learning rate that is a number; got a "
                  "schedule; use callbacks::LearningRateScheduler");
    }
    for (const Variable& variable : options.optimizer->variables())
      if (variable.name().ends_with("/learning_rate")) step.scaled_rate = CellOf(variable);
  }
  std::vector<distribute::AsynchronousStep::Form> forms;
  for (const distribute::StepProgram* program : programs)
    forms.push_back({&program->graph(), program->options().examples, program->options().has_rows});
  asynchronous_step_ = std::make_shared<distribute::AsynchronousStep>(forms, step);
  asynchronous_forms_ = programs;
  return asynchronous_step_;
}

distribute::AsynchronousBatches Model::Training::BatchesOfEpoch(nn::StepInput& input, int64_t steps,
                                                                const FitOptions& fit,
                                                                Progress& progress) {
  const int64_t first = position.step;
  distribute::AsynchronousBatches batches{.count = steps - first};
  const ParameterServerMode& mode = AsynchronousStrategy(model)->mode();
  if (mode.kind() == ParameterServerMode::Kind::kBoundedStaleness) batches.bound = mode.staleness();
  batches.batch = [this, &input, &fit, first](int64_t batch) {
    for (const auto& callback : fit.callbacks) callback->OnTrainBatchBegin(first + batch);
    const nn::StepData& data = *input.At(first + batch);
    const distribute::StepProgram* program = &ProgramFor(Kind::kTrain, data, fit.shards);
    const auto form = std::find(asynchronous_forms_.begin(), asynchronous_forms_.end(), program);
    if (form == asynchronous_forms_.end()) {
      throw Error(Code::kUnimplemented,
                  "[fit] where training is asynchronous, all batches but the last of a pass must "
                  "have one form; got another one of " +
                      std::to_string(data.examples) +
                      " examples; batch the dataset last, or train synchronously");
    }
    return distribute::AsynchronousBatches::Batch{
        static_cast<size_t>(form - asynchronous_forms_.begin()), data.arguments};
  };
  batches.committed = [this, &fit, &progress, first, done = int64_t{0}](int64_t batch) mutable {
    for (const auto& callback : fit.callbacks)
      callback->OnTrainBatchEnd(first + batch, [this] { return Results(); });
    done = std::max(done, first + batch + 1);
    progress.Step(done, [this] { return Results(); });
    const uint32_t note = model.strategy().ranks()->BeginNotes();
    if (model.stop_training || (note & distribute::kStopNote) != 0) asynchronous_epoch_->Stop();
  };
  return batches;
}

bool Model::Training::TrainEpochAsynchronously(nn::StepInput& input, const FitOptions& fit,
                                               Progress& progress) {
  const auto start = Clock::now();
  distribute::Communicator& ranks = *model.strategy().ranks();
  const distribute::PhaseScope phase(&ranks, Phase::kStep);
  const int64_t counted = input.CountSteps();
  int64_t steps = counted;
  if (counted == 0) {
    input.EndPass();
    return true;
  }
  const bool ends_with_pass = counted < input.steps();
  if (position.step >= counted) {  // it has come when the others had done all steps of the epoch
    if (ends_with_pass) input.EndPass();
    return true;
  }
  if (fit.max_steps > 0) steps = std::min(steps, position.step + fit.max_steps - history_.steps);
  const int64_t first = position.step;
  const auto step = AsynchronousStepFor(input, steps, fit);
  GatherState();
  asynchronous_epoch_ = std::make_shared<distribute::AsynchronousEpoch>(
      ranks, step, BatchesOfEpoch(input, steps, fit, progress));
  const auto epoch = asynchronous_epoch_;
  try {
    ranks.journal().Run(epoch, {}, model.strategy().team());
  } catch (...) {
    asynchronous_epoch_.reset();
    throw;
  }
  asynchronous_epoch_.reset();
  ranks.journal().Rebase();
  const distribute::Ledger& ledger = epoch->run().ledger();
  const auto done = static_cast<int64_t>(ledger.committed());
  position = {position.epoch, first + done, history_.steps + done};
  history_.steps += done;
  const bool ends = position.step == counted;
  input.Seek(position.step);
  cursor_ = input.cursor();
  NoteStaleness(ledger.staleness());
  NoteMeanStep(done, start);
  AgreeAfterEpoch(fit, first + done < steps);
  if (ends && ends_with_pass) input.EndPass();
  return ends;
}

void Model::Training::NoteStaleness(const std::map<int64_t, int64_t>& counts) {
  staleness = counts;
  dynamic_cast<ParameterServerStrategy&>(model.strategy()).NoteStaleness(counts);
  const auto metrics = base::MetricsScope::Current();
  if (metrics == nullptr) return;
  base::HistogramMetric& histogram =
      metrics->Histogram("lockstep_staleness_steps",
                         "Versions between the pull and the commit of an asynchronous update",
                         {0, 1, 2, 4, 8, 16, 32, 64});
  for (const auto& [value, count] : counts)
    histogram.Observe(static_cast<double>(value), static_cast<uint64_t>(count));
}

void Model::Training::AddStaleness(Logs& logs) const {
  if (staleness.empty()) return;
  double sum = 0, updates = 0;
  for (const auto& [value, count] : staleness) {
    sum += static_cast<double>(value * count);
    updates += static_cast<double>(count);
  }
  logs["staleness"] = sum / updates;
  logs["largest_staleness"] = static_cast<double>(staleness.rbegin()->first);
}

// Whether somebody wants to stop, come or go, as all see it.
void Model::Training::AgreeAfterEpoch(const FitOptions& fit, bool stopped) {
  distribute::Communicator& ranks = *model.strategy().ranks();
  uint32_t heard = 0;
  const auto own = [&] {
    uint32_t note = ranks.BeginNotes();
    if (stopped || model.stop_training) note |= distribute::kStopNote;
    return std::string(1, static_cast<char>(note));
  };
  for (const std::string& note : ranks.journal().Exchange(own))
    heard |= static_cast<uint8_t>(note.empty() ? 0 : note[0]);
  ranks.notes().HearOfAll(heard);
  if (fit.max_steps > 0 && history_.steps >= fit.max_steps) model.stop_training = true;
  AgreeWithWorkers(fit);
}

}  // namespace lockstep
