#include <nlohmann/json.hpp>
#include <utility>

#include "distribute/context.h"
#include "distribute/servers/asynchronous_train.h"
#include "distribute/train_steps.h"
#include "distribute/workers/journal.h"
#include "lockstep/distribute/step_boundary.h"
#include "lockstep/distribute/strategy.h"
#include "runtime/replica.h"

namespace lockstep {

namespace {

// One call of Train: where it stands, and the way there.
class TrainLoop {
 public:
  // `asynchronous`: null, or what computes the steps. `steps` < 0: one pass.
  TrainLoop(Strategy& strategy, const BatchSourceFactory& batches, int64_t steps,
            const TrainOptions& options, distribute::TrainSteps& programs,
            distribute::AsynchronousTrain* asynchronous, StepBoundary& boundary)
      : strategy_(strategy),
        batches_(batches),
        steps_(steps),
        options_(options),
        programs_(programs),
        asynchronous_(asynchronous),
        boundary_(boundary),
        phase_(strategy.ranks(), Phase::kInput),
        source_(batches()) {}

  TrainResult Run() {
    bool enters = boundary_.entering();
    while (!TrainToTheEnd(enters)) enters = true;
    return std::move(result_);
  }

 private:
  using Phase = collectives::Phase;

  // False: this worker was left out.
  bool TrainToTheEnd(bool enters) {
    try {
      if (enters) Enter();
      while (steps_ < 0 || result_.steps < steps_) {
        const bool goes_on = asynchronous_ == nullptr
                                 ? TakeStep()
                                 : asynchronous_->TrainPart(steps_, &result_) && Change();
        if (!goes_on) break;
      }
      return true;
    } catch (const distribute::LeftOut&) {
      return false;
    }
  }

  // Or begins the next pass. False: this was the last one, or all want to leave.
  bool TakeStep() {
    phase_.Then(Phase::kInput);
    const auto batch = source_();
    if (!batch) {
      if (steps_ < 0) return false;
      if (taken_ == 0) {
        throw Error(Code::kOutOfRange,
                    "[strategy.train] there must be batches for all steps; got none in a pass "
                    "after " +
                        std::to_string(result_.steps) + " of " + std::to_string(steps_) + " steps");
      }
      BeginPass();
      return true;
    }
    ++taken_;
    distribute::CheckBatch(*batch);
    phase_.Then(Phase::kStep);
    result_.last = programs_.For(*batch).Run(*batch, strategy_.team());
    ++result_.steps;
    phase_.Then(Phase::kCallback);
    if (options_.on_step) options_.on_step(result_.steps, result_.last);
    return Change();
  }

  void BeginPass(int64_t skipped = 0) {
    source_ = batches_();
    for (taken_ = 0; taken_ < skipped && source_(); ++taken_) {
    }
  }

  // Takes over from those who have trained so far.
  void Enter() {
    if (const auto first = source_()) programs_.For(*first);  // makes the variables
    const auto state = boundary_.Enter(programs_.Variables());
    if (!state) return BeginPass();  // the job begins with this worker
    const auto about = nlohmann::json::parse(state->metadata);
    result_.steps = about.value("steps", int64_t{0});
    result_.last.clear();
    for (size_t i = 0; const Tensor* value = state->Find("last/" + std::to_string(i)); ++i)
      result_.last.push_back(*value);
    BeginPass(about.value("taken", int64_t{0}));
  }

  // At the end of a step; false: all want to leave.
  bool Change() {
    return boundary_.Pass(result_.steps, [this] {
      StepBoundary::Passed passed{.variables = programs_.Variables()};
      for (size_t i = 0; i < result_.last.size(); ++i)
        passed.position.tensors.push_back({"last/" + std::to_string(i), result_.last[i]});
      passed.position.metadata = nlohmann::json{{"steps", result_.steps}, {"taken", taken_}}.dump();
      return passed;
    });
  }

  Strategy& strategy_;
  const BatchSourceFactory& batches_;
  const int64_t steps_;
  const TrainOptions& options_;
  distribute::TrainSteps& programs_;
  distribute::AsynchronousTrain* const asynchronous_;
  StepBoundary& boundary_;
  distribute::PhaseScope phase_;
  BatchSource source_;
  int64_t taken_ = 0;  // of this pass
  TrainResult result_;
};

}  // namespace

TrainResult Strategy::Train(
    const BatchSourceFactory& batches, int64_t steps,
    const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& body,
    const TrainOptions& options) {
  distribute::RequireCrossReplica("strategy.train");
  distribute::RequireStrategy("strategy.train", id_, name_);
  const distribute::CrossReplicaScope scope(*this);
  StepBoundary boundary(*this, "strategy.train");
  TrainResult result;
  boundary.Guard([&] {
    const auto asynchronous = distribute::MakeAsynchronousTrain(*this, batches, body, options);
    distribute::TrainSteps own(body, *this, options.shards);
    distribute::TrainSteps& programs = asynchronous != nullptr ? asynchronous->programs() : own;
    result =
        TrainLoop(*this, batches, steps, options, programs, asynchronous.get(), boundary).Run();
  });
  return result;
}

}  // namespace lockstep
