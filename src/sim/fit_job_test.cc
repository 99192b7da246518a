#include "sim/fit_job_test.h"

#include <algorithm>
#include <cstdlib>
#include <utility>

#include "base/hash.h"
#include "distribute/workers/connect_workers.h"
#include "distribute/workers/journal.h"
#include "lockstep/nn/callbacks.h"
#include "lockstep/nn/layers.h"
#include "lockstep/nn/optimizers.h"
#include "lockstep/ops/activation.h"
#include "lockstep/ops/random.h"
#include "sim/simulated_site.h"

namespace lockstep::sim {
namespace {

constexpr int64_t kBatch = 16;
constexpr base::Duration kLimit = std::chrono::seconds(60);

// Thousands of epochs begin, and each is logged.
[[maybe_unused]] const int kQuiet = setenv("LOCKSTEP_LOG", "off", /*overwrite=*/0);

uint64_t HashOf(const std::vector<Variable>& variables) {
  uint64_t hash = 0;
  for (const Variable& variable : variables) {
    const Tensor value = variable.value();
    hash = hash * 31 + base::Hash64({static_cast<const char*>(value.raw_data()),
                                     static_cast<size_t>(value.num_bytes())});
  }
  return hash;
}

// Says how far the training is, and changes the rate between steps, as a schedule would.
class Observer final : public Callback {
 public:
  explicit Observer(std::function<void(int64_t, uint64_t)> on_step)
      : on_step_(std::move(on_step)) {}
  void OnTrainBatchEnd(int64_t batch, const LogsSource&) override {
    if (on_step_) on_step_(model->position().steps, HashOf(model->variables()));
    if (batch == 1)
      model->compiled().optimizer->variables()[1].Assign(Scalar<float>(rate_ *= 0.9f));
  }
  std::string name() const override { return "observer"; }
  std::vector<NamedTensor> State() const override { return {{"rate", Scalar<float>(rate_)}}; }
  void SetState(const SavedState& state) override { rate_ = state.Find("rate")->scalar<float>(); }

 private:
  const std::function<void(int64_t, uint64_t)> on_step_;
  float rate_ = 0.01f;
};

class Saver final : public Callback {
 public:
  Saver(int64_t every, std::function<void(int64_t, const Status&)> saved)
      : every_(every), saved_(std::move(saved)) {}
  void OnTrainBatchEnd(int64_t, const LogsSource&) override {
    const int64_t step = model->position().steps;
    if (step % every_ != 0) return;
    Status status;
    try {
      model->SaveTraining(kSaves);
    } catch (const distribute::LeftOut&) {
      throw;
    } catch (const Error& error) {
      // What the disk says; all else ends the training.
      if (error.code() != Code::kResourceExhausted) throw;
      status = error.status();
    }
    saved_(step, status);
  }

 private:
  const int64_t every_;
  const std::function<void(int64_t, const Status&)> saved_;
};

}  // namespace

CallbackPtr MakeSaver(int64_t every, std::function<void(int64_t, const Status&)> saved) {
  return std::make_shared<Saver>(every, std::move(saved));
}

Trained Train(Strategy& strategy, const Training& training) {
  const auto scope = strategy.scope();
  // The first weights are more than a tile, so that ranks divide their update.
  Sequential model{Dense(400, DenseOptions{.activation = relu}), Dropout(0.1), Dense(4)};
  model.Compile({.optimizer = optimizers::Get("adam"),
                 .loss = losses::SparseCategoricalCrossentropy(/*from_logits=*/true),
                 .metrics = {metrics::SparseCategoricalAccuracy("accuracy")}});
  std::vector<CallbackPtr> callbacks{std::make_shared<Observer>(training.on_step)};
  callbacks.insert(callbacks.end(), training.callbacks.begin(), training.callbacks.end());
  const History history = model.Fit(Features(), Labels(),
                                    {.batch_size = kBatch,
                                     .epochs = training.epochs,
                                     .validation_data = {Features(), Labels()},
                                     .verbose = Verbosity::kSilent,
                                     .callbacks = callbacks,
                                     .shards = 4,
                                     .digest_check = 5});
  return EndOf(model, history);
}

const Truth& TruthOf(int epochs) {
  static std::map<int, Truth> truths;
  if (const auto known = truths.find(epochs); known != truths.end()) return known->second;
  SetRandomSeed(7);
  Truth& truth = truths[epochs];
  MirroredStrategy strategy({.devices = 1, .replicas = 1});
  truth.trained =
      Train(strategy, {.epochs = epochs, .on_step = [&](int64_t step, uint64_t weights) {
                         truth.weights[step] = weights;
                       }});
  return truth;
}

void EndsArbiter::Ask(const std::vector<cluster::Peer>& peers, std::function<void(Verdict)> done) {
  Verdict verdict;
  verdict.newest_epoch = newest_epoch;
  verdict.has_finished = has_finished;
  for (const cluster::Peer& peer : peers)
    if (ended.contains(peer.process)) verdict.ended.push_back(peer.incarnation);
  done(std::move(verdict));
}

FitJob::FitJob(World& world, FitJobSettings settings)
    : world_(world), settings_(std::move(settings)), truth_(TruthOf(settings_.epochs)) {
  SetRandomSeed(7);
}

FitJob::~FitJob() {
  for (auto& [rank, program] : programs_) program.reset();
}

void FitJob::Fail(const Life& life, const std::string& what) {
  if (fault_.empty()) fault_ = "rank " + std::to_string(life.rank) + ": " + what;
}

void FitJob::Start(int rank) {
  auto life = std::make_unique<Life>();
  life->rank = rank;
  if (const auto before = newest_.find(rank); before != newest_.end())
    life->number = lives_[before->second]->number + 1;
  newest_[rank] = lives_.size();
  Life& own = *life;
  lives_.push_back(std::move(life));
  programs_[rank] = std::make_unique<Program>(
      world_, rank, [this, &own](Program& program) { Run(program, own); },
      [this, &own] { Ended(own); });
}

void FitJob::Restart(int rank) {
  if (world_.alive(rank) || !life(rank).was_killed) return;
  programs_[rank].reset();
  world_.Restart(rank);
  Start(rank);
}

// A process that has ended by itself stays ended.
void FitJob::Ended(Life& life) {
  arbiter_.ended.insert(1 + life.rank * 1000 + life.number);
  world_.Kill(life.rank);
}

void FitJob::Kill(int rank) {
  if (!world_.alive(rank)) return;
  Life& life = *lives_[newest_.at(rank)];
  life.was_killed = true;
  if (life.end == End::kNone) life.end = End::kKilled;
  arbiter_.ended.insert(1 + life.rank * 1000 + life.number);
  world_.Kill(rank);
  strategies_.erase(rank);
  programs_[rank].reset();
  bool any_member = decided_.empty();
  for (const auto& [other, index] : newest_) {
    const Life& left = *lives_[index];
    any_member = any_member || (left.end == End::kNone && left.epoch == newest_epoch());
  }
  if (any_member) return;
  // What begins now is another job, with numbers of its own.
  is_lost_ = true;
  decided_.clear();
}

void FitJob::AskToLeave(int rank) {
  const auto found = strategies_.find(rank);
  if (found == strategies_.end()) return;
  lives_[newest_.at(rank)]->was_asked_to_leave = true;
  found->second->ranks()->AskToLeave();
}

void FitJob::Committed(Life& life, const cluster::Membership& membership, int64_t step,
                       uint64_t weights) {
  const auto [place, is_new] = decided_.try_emplace(membership.epoch, membership);
  if (!is_new && place->second != membership)
    Fail(life, "two decisions: " + ToString(place->second) + " and " + ToString(membership));
  if (membership.epoch < life.epoch) Fail(life, "an epoch fell: " + ToString(membership));
  life.epoch = membership.epoch;
  life.members = membership.peers.size();
  const auto truth = truth_.weights.find(step);
  if (truth == truth_.weights.end()) return Fail(life, "a step too many: " + std::to_string(step));
  if (truth->second != weights)
    Fail(life, "step " + std::to_string(step) + " was committed with other weights in epoch " +
                   std::to_string(membership.epoch));
  if (step <= life.last_step)
    Fail(life, "step " + std::to_string(step) + " comes after " + std::to_string(life.last_step));
  life.last_step = step;
  if (step <= last_step_) return;
  last_step_ = step;
  if (settings_.on_step) settings_.on_step(step);
}

void FitJob::Saved(const Life& life, int64_t step, Code code) {
  const auto [place, is_new] = saves_.try_emplace(step, code);
  if (!is_new && place->second != code)
    Fail(life, "the save after step " + std::to_string(step) + " went otherwise on another task");
}

void FitJob::Run(Program& program, Life& life) {
  const int rank = life.rank;
  program.set_longest_compute(settings_.longest_compute);
  try {
    auto site = std::make_unique<SimulatedSite>(program, settings_.wire);
    cluster::MemberOptions member;
    member.self.job = "worker";
    member.self.index = rank;
    member.self.data = {site->data_address()};
    member.self.host = "host";
    member.self.process = 1 + rank * 1000 + life.number;
    member.founds = rank == 0;
    member.coordinator.min_members = settings_.min_members;
    member.coordinator.max_members = world_.num_ranks();
    member.coordinator.start_wait =
        life.number > 0 ? base::Duration(std::chrono::hours(9999)) : kLimit;
    member.coordinator.timing.silence = std::chrono::seconds(2);
    member.coordinator.timing.refusal = std::chrono::seconds(2);
    if (settings_.has_arbiter) member.coordinator.arbiter = &arbiter_;
    for (int other = 0; other < world_.num_ranks(); ++other) {
      const std::string address = "rank:" + std::to_string(other);
      member.coordinator.expected.push_back({"worker", other, address});
      member.contacts.push_back(address);
    }
    const auto roster =
        std::make_shared<distribute::MembershipRoster>(std::move(site), member, kLimit);
    roster->LeaveWhen(settings_.leaves);
    auto ranks = distribute::ConnectOver(
        roster, {.expected = world_.num_ranks(), .comes_again = life.number > 0});
    ranks->journal().set_interval(settings_.interval);
    MultiWorkerMirroredStrategy strategy(std::move(ranks), {.devices = 1, .replicas = 1});
    strategies_[rank] = &strategy;
    Training training{.epochs = settings_.epochs};
    std::optional<base::HookedFiles> files;
    std::optional<base::FilesScope> disk;
    if (settings_.disk != nullptr) {
      files.emplace(SlowFiles(*settings_.disk, program, settings_.disk_delays));
      disk.emplace(*files);
    }
    if (settings_.disk != nullptr) {
      training.callbacks.push_back(
          MakeSaver(settings_.save_every,
                    [&](int64_t step, const Status& status) { Saved(life, step, status.code()); }));
    }
    training.on_step = [&](int64_t step, uint64_t weights) {
      Committed(life, roster->present(), step, weights);
    };
    const Trained trained = settings_.body ? (settings_.body(strategy, program), truth_.trained)
                                           : Train(strategy, training);
    strategy.ranks()->journal().End();
    strategies_.erase(rank);
    life.end = End::kTrained;
    // Who leaves last ends the training early.
    if (!(trained == truth_.trained) && !life.was_asked_to_leave)
      Fail(life, "it ends with other bits than one process");
  } catch (const distribute::Left& left) {
    life.end = End::kLeft;
    life.why = left.what();
  } catch (const Error& error) {
    life.end = End::kFailed;
    life.why = error.what();
  }
  strategies_.erase(rank);
}

bool FitJob::AllEnded() const {
  return std::all_of(newest_.begin(), newest_.end(),
                     [&](const auto& life) { return lives_[life.second]->end != End::kNone; });
}

int FitJob::Count(End end) const {
  return static_cast<int>(std::count_if(lives_.begin(), lives_.end(),
                                        [end](const auto& life) { return life->end == end; }));
}

std::string FitJob::Describe() const {
  constexpr const char* kEnds[] = {"runs", "trained", "left", "failed", "killed"};
  std::string text = fault_ + "\n";
  for (const auto& life : lives_) {
    text += "rank " + std::to_string(life->rank) + ", life " + std::to_string(life->number) + ": " +
            kEnds[static_cast<int>(life->end)] + " after step " + std::to_string(life->last_step) +
            " in epoch " + std::to_string(life->epoch) + " of " + std::to_string(life->members) +
            (life->why.empty() ? "" : "; " + life->why) + "\n";
  }
  return text;
}

}  // namespace lockstep::sim
