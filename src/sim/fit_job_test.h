#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/memory_files.h"
#include "cluster/arbiter.h"
#include "distribute/workers/membership_roster.h"
#include "lockstep/distribute/strategy.h"
#include "lockstep/nn/model.h"
#include "nn/trained_test.h"
#include "sim/program.h"
#include "sim/slow_files.h"
#include "sim/world.h"

/// A job whose tasks are ranks of a simulated world and train by Model::Fit, and everything that
/// must never happen to it.
namespace lockstep::sim {

/// The training that all jobs carry out: a small model, some steps an epoch, the last one uneven.
/// `on_step` is called after each step, with a hash of the weights.
struct Training {
  int epochs = 6;
  std::vector<CallbackPtr> callbacks;
  std::function<void(int64_t step, uint64_t weights)> on_step;
};
Trained Train(Strategy& strategy, const Training& training);

/// What one process makes of it: the truth. `weights[n]` after step n.
struct Truth {
  Trained trained;
  std::map<int64_t, uint64_t> weights;
};
const Truth& TruthOf(int epochs);

/// Saves the training after every so many steps, and tells how that went.
CallbackPtr MakeSaver(int64_t every, std::function<void(int64_t step, const Status&)> saved);
inline constexpr char kSaves[] = "saves";

/// Knows which lives are over, as a launcher that waits for its children.
class EndsArbiter final : public cluster::Arbiter {
 public:
  void Ask(const std::vector<cluster::Peer>& peers, std::function<void(Verdict)> done) override;
  void NoteEpoch(uint64_t epoch) override { newest_epoch = std::max(newest_epoch, epoch); }
  void NoteFinished() override { has_finished = true; }

  std::set<int64_t> ended;  // by number of process
  uint64_t newest_epoch = 0;
  bool has_finished = false;
};

struct FitJobSettings {
  int epochs = 6;
  bool has_arbiter = false;
  int min_members = 1;
  /// Runs between snapshots; 0: as the times suggest.
  uint64_t interval = 3;
  net::ReliableOptions wire;
  base::Duration longest_compute = std::chrono::microseconds(200);
  /// Called when a step is done for the first time, by the first rank that has done it.
  std::function<void(int64_t step)> on_step;
  /// The disk of all tasks, and after how many steps the training is saved there; none: never.
  base::MemoryFiles* disk = nullptr;
  int64_t save_every = 5;
  DiskDelays disk_delays;
  /// What tasks do in the place of the training; what comes of it is not looked at.
  std::function<void(Strategy& strategy, Program& program)> body;
  /// Asked by a task that waits for others: whether it shall leave.
  std::function<bool()> leaves;
};

class FitJob {
 public:
  enum class End { kNone, kTrained, kLeft, kFailed, kKilled };
  struct Life {
    int rank = 0;
    int number = 0;  // of the rank's lives
    bool was_asked_to_leave = false;
    bool was_killed = false;
    End end = End::kNone;
    std::string why;
    int64_t last_step = 0;
    uint64_t epoch = 0;
    size_t members = 0;
  };

  FitJob(World& world, FitJobSettings settings);
  ~FitJob();

  void Start(int rank);
  /// A process that was killed is started again.
  void Restart(int rank);
  void Kill(int rank);
  void AskToLeave(int rank);

  const std::vector<std::unique_ptr<Life>>& lives() const { return lives_; }
  /// The present or last life of a rank.
  const Life& life(int rank) const { return *lives_[newest_.at(rank)]; }
  /// What must not happen, and did; empty: nothing.
  const std::string& fault() const { return fault_; }
  bool AllEnded() const;
  int Count(End end) const;
  int64_t last_step() const { return last_step_; }
  /// Whether at some time nobody was left who remembered the newest epoch.
  bool is_lost() const { return is_lost_; }
  /// How the save after each step went, as all tasks were told.
  const std::map<int64_t, Code>& saves() const { return saves_; }
  uint64_t newest_epoch() const { return decided_.empty() ? 0 : decided_.rbegin()->first; }
  std::string Describe() const;

 private:
  void Run(Program& program, Life& life);
  void Ended(Life& life);
  void Committed(Life& life, const cluster::Membership& membership, int64_t step, uint64_t weights);
  void Fail(const Life& life, const std::string& what);
  void Saved(const Life& life, int64_t step, Code code);

  World& world_;
  const FitJobSettings settings_;
  const Truth& truth_;
  EndsArbiter arbiter_;
  std::vector<std::unique_ptr<Life>> lives_;
  std::map<int, size_t> newest_;  // by rank
  std::map<int, std::unique_ptr<Program>> programs_;
  std::map<int, Strategy*> strategies_;  // of those who train
  std::map<uint64_t, cluster::Membership> decided_;
  std::map<int64_t, Code> saves_;
  std::string fault_;
  int64_t last_step_ = 0;
  bool is_lost_ = false;
};

}  // namespace lockstep::sim
