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
  TrainLoop(const BatchSourceFactory& batches, distribute::TrainSteps& programs,
            StepBoundary& boundary)
      : batches_(batches), programs_(programs), boundary_(boundary), source_(batches()) {}

  TrainResult result;

  /// Nothing: the end of a pass.
  std::optional<std::vector<Tensor>> Next() {
    auto batch = source_();
    if (batch) {
      ++taken_;
      distribute::CheckBatch(*batch);
    }
    return batch;
  }
  int64_t taken() const { return taken_; }
  void BeginPass(int64_t skipped = 0) {
    source_ = batches_();
    for (taken_ = 0; taken_ < skipped && source_(); ++taken_) {
    }
  }

  bool IsEntering() const { return boundary_.entering(); }
  // Takes over from those who have trained so far.
  void Enter() {
    if (const auto first = source_()) programs_.For(*first);  // makes the variables
    const auto state = boundary_.Enter(programs_.Variables());
    if (!state) return BeginPass();  // the job begins with this worker
    const auto about = nlohmann::json::parse(state->metadata);
    result.steps = about.value("steps", int64_t{0});
    result.last.clear();
    for (size_t i = 0; const Tensor* value = state->Find("last/" + std::to_string(i)); ++i)
      result.last.push_back(*value);
    BeginPass(about.value("taken", int64_t{0}));
  }
  // At the end of a step; false: all want to leave.
  bool Change() {
    return boundary_.Pass(result.steps, [this] {
      StepBoundary::Passed passed{.variables = programs_.Variables()};
      for (size_t i = 0; i < result.last.size(); ++i)
        passed.position.tensors.push_back({"last/" + std::to_string(i), result.last[i]});
      passed.position.metadata = nlohmann::json{{"steps", result.steps}, {"taken", taken_}}.dump();
      return passed;
    });
  }

 private:
  const BatchSourceFactory& batches_;
  distribute::TrainSteps& programs_;
  StepBoundary& boundary_;
  BatchSource source_;
  int64_t taken_ = 0;  // of this pass
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
  const auto asynchronous = distribute::MakeAsynchronousTrain(*this, batches, body, options);
  distribute::TrainSteps own(body, *this, options.shards);
  distribute::TrainSteps& programs = asynchronous != nullptr ? asynchronous->programs() : own;
  TrainLoop loop(batches, programs, boundary);
  distribute::PhaseScope phase(ranks(), collectives::Phase::kInput);
  boundary.Guard([&] {
    bool enters = loop.IsEntering();
    while (enters || steps < 0 || loop.result.steps < steps) {
      try {
        if (std::exchange(enters, false)) {
          loop.Enter();
          continue;
        }
        if (asynchronous != nullptr) {
          if (!asynchronous->TrainPart(steps, &loop.result) || !loop.Change()) break;
          continue;
        }
        phase.Then(collectives::Phase::kInput);
        const auto batch = loop.Next();
        if (!batch) {
          if (steps < 0) break;
          if (loop.taken() == 0) {
            throw Error(
                Code::kOutOfRange,
                "[strategy.train] there must be batches for all steps; got none in a pass after " +
                    std::to_string(loop.result.steps) + " of " + std::to_string(steps) + " steps");
          }
          loop.BeginPass();
          continue;
        }
        phase.Then(collectives::Phase::kStep);
        loop.result.last = programs.For(*batch).Run(*batch, team());
        ++loop.result.steps;
        phase.Then(collectives::Phase::kCallback);
        if (options.on_step) options.on_step(loop.result.steps, loop.result.last);
        if (!loop.Change()) break;
      } catch (const distribute::LeftOut&) {
        enters = true;
      }
    }
  });
  return std::move(loop.result);
}

}  // namespace lockstep
