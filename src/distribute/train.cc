#include <nlohmann/json.hpp>
#include <utility>

#include "checkpoint/packed_state.h"
#include "distribute/context.h"
#include "distribute/servers/asynchronous_train.h"
#include "distribute/train_steps.h"
#include "distribute/workers/change_workers.h"
#include "lockstep/distribute/strategy.h"
#include "runtime/replica.h"

namespace lockstep {

namespace {

// One call of Train: where it stands, and the way there.
class TrainLoop {
 public:
  TrainLoop(const BatchSourceFactory& batches, distribute::TrainSteps& programs,
            distribute::Communicator* ranks)
      : batches_(batches), programs_(programs), ranks_(ranks), source_(batches()) {}

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

  bool IsEntering() const { return ranks_ != nullptr && ranks_->journal().entering(); }
  // Takes over from those who have trained so far.
  void Enter() {
    if (const auto first = source_()) programs_.For(*first);  // makes the variables
    const auto packed = ranks_->journal().Enter();
    if (!packed) return BeginPass();  // the job begins with this worker
    const SavedState state = checkpoint::UnpackState(*packed);
    const auto about = nlohmann::json::parse(state.metadata);
    if (about.value("kind", "") != "train") {
      throw Error(Code::kFailedPrecondition,
                  "[strategy.train] a worker that joins must run the others' program; got a state "
                  "of " +
                      about.value("kind", "nothing") + "; call what they are in first");
    }
    for (const auto& [name, cell] : programs_.Variables()) {
      const Tensor* value = state.Find(name);
      if (value == nullptr) {
        throw Error(Code::kFailedPrecondition,
                    "[strategy.train] a worker that joins must have the others' variables; got " +
                        name + ", which they do not have; run one program on all workers");
      }
      cell->Assign(*value);
    }
    result.steps = about.value("steps", int64_t{0});
    result.last.clear();
    for (size_t i = 0; const Tensor* value = state.Find("last/" + std::to_string(i)); ++i)
      result.last.push_back(*value);
    BeginPass(about.value("taken", int64_t{0}));
  }
  // At the end of a step; false: all want to leave.
  bool Change() {
    if (ranks_ == nullptr || ranks_->roster() == nullptr) return true;
    const bool heard = (ranks_->heard() & distribute::kChangeNote) != 0;
    if (ranks_->roster()->change_waiting()) ranks_->Raise(distribute::kChangeNote);
    return !heard || distribute::ChangeWorkers(*ranks_, result.steps, [this] { return State(); });
  }

 private:
  SavedState State() {
    ranks_->journal().Gather();
    SavedState state;
    for (const auto& [name, cell] : programs_.Variables())
      state.tensors.push_back({name, cell->Read()});
    for (size_t i = 0; i < result.last.size(); ++i)
      state.tensors.push_back({"last/" + std::to_string(i), result.last[i]});
    state.metadata =
        nlohmann::json{{"kind", "train"}, {"steps", result.steps}, {"taken", taken_}}.dump();
    return state;
  }

  const BatchSourceFactory& batches_;
  distribute::TrainSteps& programs_;
  distribute::Communicator* const ranks_;
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
  const distribute::ActivityScope activity(ranks(), distribute::Activity::kTraining);
  const auto asynchronous = distribute::MakeAsynchronousTrain(*this, batches, body, options);
  distribute::TrainSteps own(body, *this, options.shards);
  distribute::TrainSteps& programs = asynchronous != nullptr ? asynchronous->programs() : own;
  TrainLoop loop(batches, programs, ranks());
  distribute::PhaseScope phase(ranks(), collectives::Phase::kInput);
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
  return std::move(loop.result);
}

}  // namespace lockstep
