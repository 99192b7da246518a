#pragma once

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/executor.h"
#include "base/team.h"
#include "base/termination.h"
#include "distribute/workers/communicator.h"
#include "distribute/workers/kept_arguments.h"
#include "distribute/workers/own_memory.h"
#include "distribute/workers/snapshot.h"
#include "runtime/host_results.h"

namespace lockstep::distribute {

/// Something that ranks run together, for whichever ranks there are.
class Repeatable {
 public:
  virtual ~Repeatable() = default;
  /// Once, over the present ranks. Errors: thrown.
  virtual std::vector<Tensor> RunOnce(std::span<const Tensor> arguments, base::Team& team) = 0;
  /// All variables that it touches, in the same order on all ranks.
  virtual const Snapshot::Cells& cells() const = 0;
};

/// Workers that were lost, and how long that kept the others.
struct Recovery {
  std::vector<std::string> lost;  // "worker 2"
  double detected_ms = 0;         // at most so long after their end
  double resumed_ms = 0;          // from then until the next step was done
};

/// What a program is at, by which it is decided what becomes of a task that was left out.
enum class Activity : uint8_t {
  kProgram,   // calls of its own: LeftOut is thrown
  kTraining,  // LeftOut is thrown to who trains, which enters again
  kLooking,   // nothing is learned: the task does it by itself, if it has all that it takes
};

/// What the ranks have done together since the last snapshot, so that an epoch that ends in the
/// middle of a call takes nothing with it: those who are left open the next one, go back to the
/// snapshot, do again what came after it, each as far as it was, and then the call. As everything
/// gives the same bits over other ranks, nobody who calls sees more than time go by. Assignments by
/// the program between calls are part of it. Snapshots are taken as often as costs little.
/// Without a roster it only hands calls on. docs/membership.md has the rules.
/// Threads: that of the communicator.
class Journal {
 public:
  explicit Journal(Communicator& ranks);
  ~Journal();

  // Calls: all ranks make the same ones in the same order. Errors: of what is called; Aborted when
  // this task was left out (LeftOut); DataLoss when all copies of something are lost, and too much
  // has been done since all was whole.

  std::vector<Tensor> Run(const std::shared_ptr<Repeatable>& program,
                          std::span<const Tensor> arguments, base::Team& team);
  /// Gives every rank all rows of all variables.
  void Gather();
  /// Every rank's bytes, in the order of ranks. `own` is called in each epoch that it takes, unless
  /// somebody has the answer already, which all get then.
  std::vector<std::string> Exchange(const std::function<std::string()>& own);
  /// Lets those in who wait, and lets go who leaves. `state` gives joiners all that they need,
  /// besides what this task's own calls bring about; it is called soon, or never.
  void Admit(const std::function<std::string()>& state);
  /// All is whole here, as after a save: if all copies of something are lost later, it is from here
  /// that everything is done again, and not from the beginning.
  void Rebase();
  /// Goes away, while the others are in `Admit`.
  void Leave();
  /// The last call: all have done all before.
  void End();
  /// The program leaves its activity by an error, `why`, which the others may not meet: they are
  /// told.
  void FailActivity(const std::string& why);
  /// In place of `End`, without any call: this task goes, and the job has not come to its end.
  void GiveUp() { ending_ = true; }

  /// Whether this task comes into a job that has begun without it, or goes on without it; training
  /// begins with `Enter`.
  bool entering() const { return entering_ || ranks_.is_apart(); }
  /// For the communicator: what begins with `first`, which is open if it has a transport.
  void Begin(const Roster::Epoch& first);
  /// Waits to be let in, and gives the others' state; nothing: the job has not begun yet.
  std::optional<std::string> Enter();

  /// Which of its activities the program is in, the same number on all ranks; 0: calls of its own.
  uint64_t activity_number() const {
    return activity_ == Activity::kProgram ? 0 : last_activity_number();
  }
  /// The number of the activity that it began last, whether it is still in it or not.
  uint64_t last_activity_number() const { return trainings_ << 32 | looks_; }
  /// As texts name it: "training".
  static const char* NameOfActivity(uint64_t number) {
    return (number & kLooks) == 0 ? "training" : "evaluation or prediction";
  }
  /// Whether who has left that activity by an error, after so many calls, is missed by this task:
  /// as it is in the activity, or has come to its end by more calls.
  bool Misses(uint64_t activity, uint64_t calls) const;
  /// How many calls there were, the same on all ranks between two of them.
  uint64_t calls() const { return calls_; }
  /// Too few are left to go on: the text says so.
  const std::string& halt() const { return halt_; }
  const std::vector<Recovery>& recoveries() const { return recoveries_; }
  /// For tests: a snapshot after every so many runs; 0: as the times suggest.
  void set_interval(uint64_t runs) { fixed_interval_ = runs; }

 private:
  static constexpr uint64_t kLooks = 0xffffffff;  // of a number: looks_
  enum class Kind { kAssign, kRun, kGather, kExchange, kRebase };
  struct Entry {
    Kind kind;
    uint64_t call = 0;
    std::shared_ptr<Repeatable> program;
    KeptArguments arguments;
    base::Team* team = nullptr;
    std::shared_ptr<runtime::HostResults> host;  // null: none of its ops had effects outside
    uint32_t heard = 0;
    bool reads_follow = true;
    std::vector<std::string> answer;
    std::shared_ptr<runtime::VariableCell> cell;
    Tensor value;
  };
  struct EndedActivity {
    uint64_t number = 0;
    uint64_t calls = 0;
  };
  struct Known {
    std::shared_ptr<runtime::VariableCell> cell;
    uint64_t version = 0;
  };
  struct Kept {
    Snapshot snapshot;
    size_t entries = 0;   // of the log, that come before it
    bool is_base = true;  // of no variable: the log tells them all
    uint64_t runs = 0;    // how many had begun here
    uint64_t meetings = 0;
  };
  struct Header;
  static bool NobodyHasBegun(const std::vector<Header>& headers);
  static int PlaceIn(const Header& header, uint64_t call);

  bool elastic() const { return ranks_.roster() != nullptr; }
  // What a call does within another is part of that.
  bool only_hands_on() const { return !elastic() || depth_ > 0; }
  bool EpochEnded() const;
  void RefuseWhileEntering() const;
  bool GoApart();
  template <typename Attempt>
  void Carry(const Attempt& attempt);
  void Recover();
  std::vector<Header> MeetAgain();
  void GoBack(const std::vector<Header>& headers);
  void GoBackToBase(const std::vector<Header>& headers, const std::string& lacks);
  void PushBase(uint64_t call, size_t entries);
  void Forget(size_t entries);
  void ClearArchive();
  void KeepFrom(size_t first);
  void Repeat();
  void HandState(const std::vector<Header>& headers);
  std::vector<std::string> Answer(const std::vector<std::string>* known,
                                  const std::function<std::string()>& own);
  void NoteNews(const Snapshot::Cells& cells);
  void NoteVersions();
  void NoteEndOfActivity();
  void MaybeTakeSnapshot();
  void Completed(Entry entry);
  uint64_t Suggest() const;

  Communicator& ranks_;
  uint64_t calls_ = 0;  // how many have begun
  std::deque<Kept> snapshots_;
  std::deque<Entry> log_;  // since the first of them
  // What came before, since all was whole; while it takes little memory.
  std::deque<Entry> archive_;
  uint64_t base_ = 0;
  bool has_base_ = true;
  size_t archive_bytes_ = 0;  // without the arguments'
  OwnMemory archive_arguments_;
  bool archive_has_run_ = false;
  std::vector<Known> known_;
  int depth_ = 0;  // of calls under way
  bool recovering_ = false;
  bool is_open_ = false;  // the epoch to recover in
  bool entering_ = false;
  bool is_left_out_ = false;  // and not come in again
  uint64_t went_back_to_ = 0;
  std::map<uint64_t, uint32_t> heard_elsewhere_;  // by call, from this one on
  std::function<std::string()> state_;            // before the newest snapshot
  std::string taken_state_;
  std::string halt_;
  bool ending_ = false;
  bool failed_ = false;
  bool left_activity_ = false;  // the last one, by an error of this task's own

  uint64_t runs_ = 0;  // since the newest snapshot
  uint64_t interval_ = 8;
  uint64_t snapshot_at_ = 8;  // the first run from this call on takes one first
  uint64_t fixed_interval_ = 0;
  std::optional<Snapshot> spare_;
  base::Time last_snapshot_{};
  base::Duration snapshot_took_{};
  base::Duration snapshots_took_{};
  int64_t snapshots_taken_ = 0;
  base::Time began_call_{};
  std::optional<base::Time> detected_;
  std::vector<std::string> lost_;
  std::vector<Recovery> recoveries_;

  friend class ActivityScope;
  Activity activity_ = Activity::kProgram;
  uint64_t trainings_ = 0;  // how many the program has begun
  uint32_t looks_ = 0;      // how many times it has looked since it began the last training
  std::deque<EndedActivity> ended_;  // the last ones, but for those that it has left by an error
};

/// What the program is at while this lives; within another activity that one counts.
class ActivityScope {
 public:
  /// Without ranks it does nothing.
  ActivityScope(Communicator* ranks, Activity activity);
  ~ActivityScope();
  /// Carries the activity out; the others are told of an error that leaves it.
  void Guard(const std::function<void()>& activity);
  void Fail(const std::string& why);
  ActivityScope(const ActivityScope&) = delete;
  ActivityScope& operator=(const ActivityScope&) = delete;

 private:
  Journal* const journal_;
  const Activity before_;
  std::optional<base::TerminationScope> heeds_;
};

}  // namespace lockstep::distribute
