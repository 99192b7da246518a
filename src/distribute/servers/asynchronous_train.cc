#include "distribute/servers/asynchronous_train.h"

#include <algorithm>
#include <cstdlib>

#include "distribute/workers/communicator.h"
#include "lockstep/ops/broadcast.h"
#include "ops/builder.h"
#include "runtime/eager.h"
#include "runtime/replica.h"

namespace lockstep::distribute {

namespace {

using Kind = ParameterServerMode::Kind;

std::shared_ptr<runtime::VariableCell> CellOf(const Variable& variable) {
  return std::dynamic_pointer_cast<runtime::VariableCell>(variable.handle().object());
}

Error NoBatches(int64_t number) {
  return Error(Code::kOutOfRange,
               "[strategy.train] there must be batches for all steps; got none in a pass after " +
                   std::to_string(number) + " steps");
}

}  // namespace

// ---- batches

void NumberedBatches::Restart() {
  source_ = make_();
  next_ = 0;
}

std::vector<Tensor> NumberedBatches::At(int64_t number) {
  for (;;) {
    const int64_t place = pass_ > 0 ? number % pass_ : number;
    if (place < next_) Restart();
    std::optional<std::vector<Tensor>> batch;
    while (next_ <= place && (batch = source_())) ++next_;
    if (batch) {
      CheckBatch(*batch);
      return std::move(*batch);
    }
    if (next_ == 0) throw NoBatches(number);
    if (pass_ > 0) {
      throw Error(Code::kOutOfRange,
                  "[strategy.train] where training is asynchronous, all passes must have as many "
                  "batches; got " +
                      std::to_string(pass_) + " and " + std::to_string(next_));
    }
    pass_ = next_;
  }
}

// ---- training

AsynchronousTrain::AsynchronousTrain(ParameterServerStrategy& strategy,
                                     const BatchSourceFactory& batches,
                                     const TrainSteps::Body& body, const TrainOptions& options)
    : strategy_(strategy),
      make_(batches),
      options_(options),
      programs_([this, body](const std::vector<Tensor>& batch) { return RunBody(body, batch); },
                strategy, options.shards),
      batches_(batches) {}

// What the body gives becomes values of variables, as all else that an update makes.
std::vector<Tensor> AsynchronousTrain::RunBody(const TrainSteps::Body& body,
                                               const std::vector<Tensor>& batch) {
  const std::vector<Tensor> given = body(batch);
  for (size_t i = 0; i < given.size(); ++i) {
    if (i == results_.size()) {
      const ops::BuilderScope eager(&runtime::EagerBuilder::Instance());
      results_.emplace_back(
          Zeros(given[i].shape(), given[i].dtype()),
          VariableOptions{.name = "train/result_" + std::to_string(i), .trainable = false});
    }
    const Variable& result = results_[i];
    if (result.dtype() != given[i].dtype() || !(result.shape() == given[i].shape())) {
      throw Error(Code::kInvalidArgument,
                  "[strategy.train] where training is asynchronous, what a step gives must have "
                  "one shape; got " +
                      result.shape().ToString() + " and " + given[i].shape().ToString() +
                      " for result " + std::to_string(i) +
                      "; give means or sums, or batches of one size");
    }
    result.Assign(given[i]);
  }
  return {};
}

void AsynchronousTrain::AddForm(const std::vector<Tensor>& batch) {
  const auto types = ops::TypesOf(batch);
  if (std::find(forms_.begin(), forms_.end(), types) != forms_.end()) return;
  forms_.push_back(types);
  examples_.push_back(batch);
}

void AsynchronousTrain::RequireWholeResults(const StepProgram& program) {
  if (!program.mixes_in().starts_with("AssignVariableOp")) return;
  throw Error(Code::kInvalidArgument,
              "[strategy.train] where training is asynchronous, a step gives and assigns what is "
              "of the whole batch; got a value for each example in " +
                  program.mixes_in() + "; give means or sums");
}

// Reads a pass once: how long it is, and of which forms its batches are.
void AsynchronousTrain::Scan(int64_t steps) {
  constexpr int64_t kMost = 4096;  // where there is no end
  const BatchSource source = make_();
  int64_t read = 0;
  bool ends = false;
  while (steps < 0 || read < std::min(steps, kMost)) {
    const auto batch = source();
    ends = !batch.has_value();
    if (ends) break;
    CheckBatch(*batch);
    AddForm(*batch);
    ++read;
  }
  if (read == 0 && steps >= 0) throw NoBatches(0);
  if (ends) batches_.set_pass(read);
  // Tasks come and go between two parts; short passes are joined.
  constexpr int64_t kPart = 1024;
  part_ = ends && steps >= 0 ? std::max(read, kPart / read * read) : read;
}

std::shared_ptr<AsynchronousStep> AsynchronousTrain::Step() {
  for (const auto& batch : examples_) programs_.For(batch);  // makes the variables
  std::vector<StepProgram*> programs;
  for (const auto& batch : examples_) programs.push_back(&programs_.For(batch));
  for (const StepProgram* program : programs) RequireWholeResults(*program);
  // As many parts as there are servers when all come here; some may die while others do.
  Communicator& ranks = *strategy_.ranks();
  const std::vector<std::string> counts =
      ranks.journal().Exchange([&] { return std::to_string(ranks.roles().servers().size()); });
  const int servers = std::max(1, std::atoi(counts.at(0).c_str()));
  if (step_ != nullptr && step_->servers() == servers && layout_ == runtime::VariableLayout())
    return step_;
  AsynchronousStep::Options options{.servers = servers};
  for (const Variable& result : results_) options.shown.push_back(CellOf(result));
  std::vector<AsynchronousStep::Form> forms;
  for (const StepProgram* program : programs)
    forms.push_back({&program->graph(), program->options().examples, program->options().has_rows});
  layout_ = runtime::VariableLayout();
  return step_ = std::make_shared<AsynchronousStep>(forms, options);
}

std::vector<Tensor> AsynchronousTrain::Results() const {
  std::vector<Tensor> values;
  for (const Variable& result : results_) values.push_back(result.value());
  return values;
}

AsynchronousBatches AsynchronousTrain::Batches(int64_t first, int64_t count) {
  AsynchronousBatches batches{.count = count};
  const ParameterServerMode& mode = strategy_.mode();
  if (mode.kind() == Kind::kBoundedStaleness) batches.bound = mode.staleness();
  batches.batch = [this, first](int64_t number) {
    std::vector<Tensor> batch = batches_.At(first + number);
    const auto form = std::find(forms_.begin(), forms_.end(), ops::TypesOf(batch));
    if (form == forms_.end()) {
      throw Error(Code::kUnimplemented,
                  "[strategy.train] where training is asynchronous, batches must have the forms of "
                  "those of the first pass; got another one of " +
                      batch.at(0).shape().ToString() + "; let all passes be alike");
    }
    return AsynchronousBatches::Batch{static_cast<size_t>(form - forms_.begin()), std::move(batch)};
  };
  batches.committed = [this, first](int64_t number) {
    if (options_.on_step) options_.on_step(first + number + 1, Results());
  };
  return batches;
}

bool AsynchronousTrain::TrainPart(int64_t steps, TrainResult* result) {
  if (part_ == 0) Scan(steps);
  const int64_t left = steps < 0 ? part_ - result->steps : steps - result->steps;
  if (left <= 0) return false;
  const auto step = Step();
  Communicator& ranks = *strategy_.ranks();
  ranks.journal().Gather();
  const PhaseScope phase(&ranks, collectives::Phase::kStep);
  const auto epoch = std::make_shared<AsynchronousEpoch>(
      ranks, step, Batches(result->steps, std::min(left, part_)));
  ranks.journal().Run(epoch, {}, strategy_.team());
  ranks.journal().Rebase();
  result->steps += static_cast<int64_t>(epoch->run().ledger().committed());
  result->last = Results();
  strategy_.NoteStaleness(epoch->run().ledger().staleness());
  // Whoever waits to come or go is heard of by all, as at the end of a step.
  if (ranks.roster() != nullptr && ranks.roster()->change_waiting())
    ranks.notes().Raise(kChangeNote);
  uint32_t heard = 0;
  for (const std::string& note : ranks.journal().Exchange(
           [&] { return std::string(1, static_cast<char>(ranks.BeginNotes())); }))
    heard |= static_cast<uint8_t>(note.empty() ? 0 : note[0]);
  ranks.notes().set_heard(heard);
  return true;
}

std::unique_ptr<AsynchronousTrain> MakeAsynchronousTrain(Strategy& strategy,
                                                         const BatchSourceFactory& batches,
                                                         const TrainSteps::Body& body,
                                                         const TrainOptions& options) {
  auto* servers = dynamic_cast<ParameterServerStrategy*>(&strategy);
  if (servers == nullptr || strategy.ranks() == nullptr ||
      servers->mode().kind() == Kind::kSynchronous)
    return nullptr;
  if (servers->options().scale_by_staleness) {
    throw Error(Code::kInvalidArgument,
                "[strategy.train] scale_by_staleness needs an optimizer whose rate is known; got a "
                "loop of one's own; train by Fit, or leave it out");
  }
  return std::make_unique<AsynchronousTrain>(*servers, batches, body, options);
}

}  // namespace lockstep::distribute
