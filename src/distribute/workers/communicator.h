#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/cores.h"
#include "base/termination.h"
#include "base/trace.h"
#include "collectives/group.h"
#include "collectives/plan.h"
#include "distribute/workers/crowded_hosts.h"
#include "distribute/workers/failures.h"
#include "distribute/workers/flight.h"
#include "distribute/workers/followers.h"
#include "distribute/workers/notes.h"
#include "distribute/workers/roles.h"
#include "distribute/workers/roster.h"
#include "distribute/workers/watch.h"
#include "lockstep/tensor/tensor.h"
#include "net/in_process.h"
#include "net/transport.h"

namespace lockstep::distribute {

class Journal;
class Speculation;

/// The ranks that train together, as one of them sees them. Every rank carries out the same
/// collectives in the same order. With a roster it lives through epochs, each with other ranks:
/// see docs/membership.md.
/// Threads: one, which is also the one that runs the transport's executor.
class Communicator {
 public:
  /// Lets the executor's work go on until `done`; not called from this work.
  using Wait = std::function<void(const std::function<bool()>& done)>;

  /// One epoch for ever. `keeper` holds what the transport and the wait need; they go with the
  /// communicator. `roles`: of no rank: all are workers.
  Communicator(net::Transport& transport, Wait wait, std::shared_ptr<void> keeper = nullptr,
               Roles roles = {});
  /// Begins with the epoch `first`; without a transport in it, this task enters a job that has
  /// begun, of about `expected` ranks, when training begins; as a server, or as a worker.
  Communicator(std::shared_ptr<Roster> roster, const Roster::Epoch& first, Roles expected,
               Wait wait, bool is_server = false);
  ~Communicator();
  Communicator(const Communicator&) = delete;
  Communicator& operator=(const Communicator&) = delete;

  /// In the present epoch. Who has not entered yet is not the first.
  int rank() const { return transport_ != nullptr ? transport_->rank() : expected_rank_; }
  int num_ranks() const { return roles_.num_ranks(); }
  /// Which of the present ranks are workers, and which are servers.
  const Roles& roles() const { return roles_; }
  bool is_server() const { return roles_.IsServer(rank()); }
  /// The same ranks as those who share out a step see them: with those resting that their host has
  /// no core for, once `FindWhoRests` has been called in this epoch (crowded_hosts.h).
  const Roles& sharers() const { return sharers_; }
  /// Asks all ranks where they run, once an epoch; all call it alike. Errors: as AllGather.
  void FindWhoRests();
  /// For tests: where each rank runs, instead.
  void set_host_places(std::vector<HostPlace> places) { host_places_ = std::move(places); }
  base::Executor& executor() { return *executor_; }
  net::Transport& transport() { return *transport_; }
  /// The collectives of the current epoch.
  collectives::Group& group() { return *group_; }
  void WaitUntil(const std::function<bool()>& done) { wait_(done); }
  /// The task's flight recorder. `Doing` says what it does from now on, besides collectives.
  const std::shared_ptr<Flight>& flight() const { return flight_; }
  void Doing(collectives::Phase phase);
  /// What it has waited for and sent.
  Watch& watch() { return watch_; }
  /// As `WaitUntil`, for an operation that nothing goes on beside; `last_from` says who ended it.
  void AwaitPeers(const std::string& what, const std::function<bool()>& done, const int& last_from);
  /// The name of the next run of anything with collectives, the same on all ranks.
  uint64_t NextStep();

  /// What is done together, so that it can be done again in another epoch.
  Journal& journal() { return *journal_; }
  Roster* roster() { return roster_.get(); }
  /// Grows with each epoch: what was made for the ranks of another is to be made anew.
  uint64_t generation() const { return generation_; }
  uint64_t epoch() const { return epoch_; }
  /// Why the epoch has ended, if it has.
  const net::Abort* aborted() const {
    return transport_ != nullptr ? transport_->aborted() : nullptr;
  }
  /// From now on ranks that are slow are helped; to be said before the first run, on all ranks.
  void Speculate();
  /// Tells the others when this task's program has left a training by an error.
  Failures& failures() { return failures_; }
  /// Null: nobody is helped.
  Speculation* speculation() { return speculation_.get(); }
  /// Of a task whose program names none.
  int default_devices() const { return default_devices_; }
  void set_default_devices(int devices) { default_devices_ = devices; }
  /// Which rank has which leaves in the program that was made last; nobody yet: none.
  const collectives::Division& division() const { return division_; }
  void set_division(const collectives::Division& division) { division_ = division; }
  /// All ranks divide leaves another way from here on.
  void DivideAnew() { ++generation_; }
  /// Whether the ranks of this generation have not compared a program of this hash yet; from now on
  /// they have.
  bool IsNewProgram(uint64_t hash);
  /// Ends the present epoch's collectives, and what waits for them.
  void Close();
  void Open(const Roster::Epoch& epoch);
  /// Until `Open` this task is all ranks by itself, and yet not the first worker of the job.
  void OpenApart();
  bool is_apart() const { return apart_ != nullptr; }

  /// What the ranks tell each other with the messages of runs.
  Notes& notes() { return notes_; }
  /// What any rank had raised before the run that ended last: the same on all ranks.
  uint32_t heard() const { return num_ranks() > 1 ? notes_.heard() : notes_.own(); }
  /// For programs: begins a run, and gives what it is to tell.
  uint32_t BeginNotes(bool rests = false) {
    static_cast<void>(leaving());
    return notes_.BeginRun(rests);
  }
  /// Whether variables may be read by anything but further runs of steps once a run is over, so
  /// that those who rest are to have their values too: unless said otherwise. The same on all
  /// ranks.
  bool reads_follow() const { return reads_follow_; }
  /// Where somebody rests: how far those are behind.
  Followers& followers() { return followers_; }

  /// This task wants to leave the job at the end of a step in which all have heard of it.
  void AskToLeave() {
    leaving_ = true;
    notes_.Raise(kChangeNote);
  }
  /// While it trains, a SIGTERM that the program does not handle asks this task to leave.
  void HeedTermination();
  bool heeds_termination() const { return heeds_termination_; }
  bool leaving() {
    if (!leaving_ && heeds_termination_ && base::ToldToEnd()) AskToLeave();
    return leaving_;
  }
  /// A variable of which each rank has only its rows up to date; or, where some are behind, these
  /// have nothing, and all others have everything.
  struct Part {
    Tensor handle;
    std::vector<int64_t> borders;   // of the ranks' rows
    std::vector<bool> behind = {};  // by rank; empty: nobody
    bool IsOf(const Part& other) const { return handle.object() == other.handle.object(); }
  };
  const std::vector<Part>& parts() const { return parts_; }
  /// Grows whenever `parts` changes.
  uint64_t parts_version() const { return parts_version_; }
  /// Whether any was not among them yet.
  bool AddParts(const std::vector<Part>& parts);
  /// Nobody is behind with these any more.
  void CatchUpWith(const std::vector<Part>& parts);
  void ClearParts();
  bool AnybodyIsBehind() const { return num_behind_ > 0; }
  bool IsBehind() const;

  /// How often this task has come with this text before, since it has made so many calls.
  int TimesOf(const std::string& text, uint64_t calls) {
    if (std::exchange(counted_since_, calls) != calls) times_.clear();
    return times_[text]++;
  }

  /// Every rank's bytes, in the order of ranks, in this epoch. Errors: as collectives::AllToAll,
  /// thrown. For programs: `Journal::Exchange`, which outlives the epoch.
  std::vector<std::string> AllGather(const std::string& own);

 private:
  std::shared_ptr<void> keeper_;
  std::shared_ptr<Roster> roster_;
  net::Transport* transport_ = nullptr;
  base::Executor* executor_ = nullptr;
  Roles roles_;
  Roles sharers_;
  bool knows_sharers_ = false;
  std::vector<HostPlace> host_places_;  // empty: they are asked for
  int expected_rank_ = 0;
  Wait wait_;
  const std::shared_ptr<Flight> flight_ = std::make_shared<Flight>();
  Watch watch_;
  std::unique_ptr<net::InProcessNetwork> apart_;  // of this task alone
  std::unique_ptr<collectives::Group> group_;
  uint64_t generation_ = 0;
  uint64_t compared_in_ = 0;  // the generation of `compared_`
  std::set<uint64_t> compared_;
  uint64_t epoch_ = 0;
  uint64_t step_ = 0;
  Notes notes_;
  Followers followers_{*this};
  Failures failures_{*this};
  bool leaving_ = false;
  bool heeds_termination_ = false;
  int default_devices_ = base::Cores();
  std::vector<Part> parts_;
  size_t num_behind_ = 0;  // of them
  uint64_t parts_version_ = 1;
  bool reads_follow_ = true;
  friend class ReadsScope;
  std::map<std::string, int> times_;
  uint64_t counted_since_ = 0;
  std::unique_ptr<Journal> journal_;
  std::unique_ptr<Speculation> speculation_;
  collectives::Division division_ = collectives::Division::Even(0, 1);
};

/// Says, while it lives, what `reads_follow` does. Without ranks it does nothing.
class ReadsScope {
 public:
  ReadsScope(Communicator* ranks, bool reads_follow)
      : ranks_(ranks), before_(ranks == nullptr || ranks->reads_follow_) {
    if (ranks_ != nullptr) ranks_->reads_follow_ = reads_follow;
  }
  ~ReadsScope() {
    if (ranks_ != nullptr) ranks_->reads_follow_ = before_;
  }
  ReadsScope(const ReadsScope&) = delete;
  ReadsScope& operator=(const ReadsScope&) = delete;

 private:
  Communicator* const ranks_;
  const bool before_;
};

/// While it lives, the task does something, as its flight recorder says; then what it did before.
class PhaseScope {
 public:
  /// Without ranks it is only told to who profiles.
  PhaseScope(Communicator* ranks, collectives::Phase phase) : ranks_(ranks) {
    if (ranks_ != nullptr) before_ = ranks_->flight()->recorder().phase();
    Then(phase);
  }
  ~PhaseScope() { Then(before_); }
  PhaseScope(const PhaseScope&) = delete;
  PhaseScope& operator=(const PhaseScope&) = delete;
  void Then(collectives::Phase phase) {
    if (ranks_ != nullptr) ranks_->Doing(phase);
    if (auto* trace = base::TraceRecorder::Current(); trace != nullptr)
      trace->Enter(phase == collectives::Phase::kProgram ? "" : collectives::PhaseName(phase));
  }

 private:
  Communicator* const ranks_;
  collectives::Phase before_ = collectives::Phase::kProgram;
};

}  // namespace lockstep::distribute
