#pragma once

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "cluster/coordinator.h"
#include "cluster/coordinator_client.h"

namespace lockstep::cluster {

struct MemberOptions {
  /// Of this task: job, index, data addresses, host, process, devices. The rest is filled in.
  Peer self;
  /// Where to look for the job: control addresses of other tasks, the likeliest first.
  std::vector<std::string> contacts;
  /// This task begins the job, unless one of the contacts is in it already. Exactly one task of a
  /// job; false for a task that was started again after the job's first epoch.
  bool founds = false;
  CoordinatorOptions coordinator;
  /// A task that was cut off or stopped, and so was left out, joins again by itself.
  bool rejoins = true;
  /// Without a leader for so long, `OnTrouble` says so.
  base::Duration trouble_after = std::chrono::seconds(2);
};

/// A task's membership in its job: the one object of the control plane that other rooms use.
/// Threads: everything on the executor of `rpc`, callbacks too; `SetProgress` from any.
class Member final : private Coordinator::Listener {
 public:
  using Done = std::function<void(const Status&)>;
  using EpochCallback = std::function<void(const Membership& membership, int rank)>;

  Member(net::Rpc& rpc, base::Randomness& randomness, MemberOptions options);
  ~Member() override;

  /// Looks for the job and waits to be let in. `first` is called once: with the first epoch that
  /// has this task as a member, or FailedPrecondition (another build, program, ...),
  /// Unauthenticated (token).
  void Join(std::function<void(const Result<Membership>&)> first);
  /// Before `Join`: whether anybody within reach knows an epoch of the job.
  void AskWhetherBegun(const std::function<void(bool begun)>& tell);
  /// Every epoch that this task enters, the first too. The past epoch is over when it is called.
  void OnEpoch(EpochCallback callback) { on_epoch_ = std::move(callback); }
  /// Others want to join or leave: agree on a step, and say `ReadyForJoiners` before it.
  void OnChangeWaiting(std::function<void(int joiners, int leavers)> callback) {
    on_change_ = std::move(callback);
  }
  /// What the task can do nothing about: Unavailable (no majority in reach: keep memory, commit
  /// nothing), Aborted (it was left out and joins again), FailedPrecondition (refused).
  void OnTrouble(Done callback) { on_trouble_ = std::move(callback); }

  const Membership& membership() const { return membership_; }
  int rank() const { return membership_.RankOf(self_.incarnation); }
  const Peer& self() const { return self_; }

  /// The peer of this rank is out of reach. `certain`: it has ended, as the kernel says; else it is
  /// asked, and if it lives the membership begins a new epoch with it.
  void ReportDead(int rank, const std::string& reason, bool certain);
  /// The epoch is of no use any more though nobody is known to be dead; a new one begins.
  void ReportBroken(const std::string& reason);
  /// This task stands before `step`: joiners and leavers may come and go. The next epoch begins
  /// when all members have said so.
  void ReadyForJoiners(uint64_t step);
  /// Leaves the job; `done` once the others go on without this task.
  void Leave(Done done);

  /// All members of the present epoch meet. Errors: Aborted (the epoch ended), DeadlineExceeded
  /// naming who is missing, and how that task is.
  void Barrier(const std::string& name, base::Duration timeout, Done done);

  // The key-value store. Errors: Unavailable (no leader in time), Aborted (the epoch ended, for
  // Scope::kEpoch), ResourceExhausted (too long).
  void Set(const std::string& key, const std::string& value, Scope scope, Done done);
  void Delete(const std::string& key, Scope scope, Done done);
  /// Null if there is none.
  void Get(const std::string& key, Scope scope,
           std::function<void(const Result<std::optional<std::string>>&)> done);
  /// As soon as there is a value; DeadlineExceeded if there is none in time.
  void Wait(const std::string& key, Scope scope, base::Duration timeout,
            std::function<void(const Result<std::string>&)> done);
  /// Whether `key` held `expected` (nothing: was absent), and holds `value` now.
  void CompareAndSet(const std::string& key, std::optional<std::string> expected,
                     const std::string& value, Scope scope,
                     std::function<void(const Result<bool>&)> done);

  void SetProgress(const Progress& progress);
  /// How all members are, as the leader hears of them.
  void Health(std::function<void(const Result<std::vector<TaskHealth>>&)> done);
  /// Who is here and who is missing, or what keeps this task from joining.
  std::string Board() const;
  /// Whether somebody leads the job, and was heard lately.
  bool is_led() const;
  /// Whether this task looks for a leader in vain because the others have ended: at least one task
  /// of the last membership refuses connections, and each other one does so, too, or answers that
  /// it has no leader, either. False while any of them is silent, as it is behind a network that is
  /// cut.
  bool OthersHaveEnded() const;
  /// Whether all members of an epoch have met at the barrier `name`, as this task was told; it need
  /// not be one of them.
  bool HasHeardOf(const std::string& name) const;
  /// What is known of the others after nobody leads any more. `tell` gets whether all that took
  /// part at last have ended, and whether the job has come to its end; never, if nobody can know.
  void AskHowItEnded(std::function<void(bool all_ended, bool has_finished)> tell);
  bool leads() const { return coordinator_ != nullptr && coordinator_->replica().leads(); }
  const Coordinator* coordinator() const { return coordinator_.get(); }

 private:
  // Coordinator::Listener
  void Committed(const std::shared_ptr<const State>& state) override;
  void LeaderChanged() override;
  void JobIsElsewhere(const std::string& address) override;
  Progress MyProgress() override;

  void BeginLife();
  void EndLife(const Status& why);
  /// Whether any contact knows an epoch of the job.
  void AskContacts(base::Duration limit, const std::function<void(bool begun)>& tell);
  void LookBeforeFounding();
  void Tick();
  void TryToJoin();
  void TakeJoinReply(const std::string& address, const Result<std::string>& result);
  void Seek();
  void TakeWhereReply(const std::string& address, const Result<std::string>& result);
  void Watch(const Peer& leader);
  void MeetVoters(const std::vector<Peer>& voters);
  void EnterIfMember(const State& state);
  void CheckLeft(const State& state);
  bool Leads() const;
  base::Duration CallLimit() const;
  std::string LeaderAddress() const;
  std::vector<std::string> Addresses() const;
  void SubmitPlain(Command command, Done done);
  void Tell(const Report& report);
  void TellAgain();
  template <typename F>
  auto WhileAlive(F work);

  net::Rpc& rpc_;
  base::Randomness& randomness_;
  const MemberOptions options_;
  Peer self_;
  Membership membership_;  // the newest that this task has entered
  std::function<void(const Result<Membership>&)> first_;
  EpochCallback on_epoch_;
  std::function<void(int, int)> on_change_;
  Done on_trouble_;
  Done left_;

  bool joining_ = false;
  bool known_ = false;  // to the coordinators, as a member or a joiner
  bool has_lived_ = false;
  std::string hint_;   // where the leader was said to be
  std::string fault_;  // of the last try to join
  size_t next_address_ = 0;
  base::Time next_join_{};
  base::Time next_seek_{};
  base::Time led_until_{};  // when a leader was heard last
  bool told_trouble_ = false;
  // How tasks answered last since a leader was heard, by address.
  enum class Answer : uint8_t { kSilence, kRefusal, kHasNoLeader };
  std::map<std::string, Answer> answers_;
  // Who waits to come or go, in which epoch: told in each epoch anew.
  struct Change {
    uint64_t epoch = 0;
    size_t joiners = 0;
    size_t leavers = 0;
    bool operator==(const Change&) const = default;
  };
  Change told_change_;
  std::set<Incarnation> met_;    // voters that this task has a connection to
  std::vector<Report> reports_;  // of this epoch
  base::Duration reporting_{};   // for how long
  base::Timer tell_again_;
  base::Timer tick_;
  base::Timer goodbye_;
  mutable std::mutex progress_mutex_;
  Progress progress_;  // guarded by progress_mutex_
  std::unique_ptr<Coordinator> coordinator_;
  std::unique_ptr<CoordinatorClient> client_;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);  // replaced with each life
};

}  // namespace lockstep::cluster
