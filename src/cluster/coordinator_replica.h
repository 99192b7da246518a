#pragma once

#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "base/randomness.h"
#include "cluster/coordinator_messages.h"
#include "cluster/coordinator_state.h"
#include "net/rpc.h"

namespace lockstep::cluster {

/// The times of the control plane. Between hosts the defaults fit; inside a host deaths are
/// reported and nothing waits for silence.
struct Timing {
  base::Duration beat = std::chrono::milliseconds(100);
  /// A leader that was silent for so long, up to twice of it, is replaced; one that hears no
  /// majority for so long gives up.
  base::Duration election = std::chrono::milliseconds(300);
  /// A task that was silent for so long is taken for dead.
  base::Duration silence = std::chrono::seconds(1);
  /// The least that `silence` may become for a task that has answered steadily, ten times its
  /// longest gap of late; never above `silence`.
  base::Duration steady_silence = std::chrono::seconds(1);
  /// The same for one whose machine refuses connections.
  base::Duration refusal = std::chrono::milliseconds(100);
  /// An epoch that is said to be broken is begun anew after this, unless a death explains it.
  base::Duration settle = std::chrono::milliseconds(20);
  /// How long a call of the control plane may take.
  base::Duration call = std::chrono::milliseconds(400);

  /// For a process whose timers come so late as a rule, as it gets little of its machine: where
  /// nobody can answer in time, leaders would follow each other for ever.
  Timing At(base::Duration lateness) const;
};

/// One task's part in keeping the state of the coordinators: Raft's elections and commitment on
/// whole states instead of a log, in memory only. Voters accept states, a majority of them commits;
/// every other task is told what was committed. docs/membership.md has the rules.
/// Threads: everything on the executor of `rpc`.
class Replica {
 public:
  class Owner {
   public:
    virtual ~Owner() = default;
    /// `committed()` is another state now.
    virtual void Committed() = 0;
    /// Who leads has changed; a new leader may propose from here.
    virtual void RoleChanged() = 0;
    /// What the leader is told of this task with each answer to its beat, and the leader's side.
    virtual std::string Report() = 0;
    virtual void Answered(const Peer& peer, const std::string& report) = 0;
    /// A beat was not answered; NotFound: another life of the task answers at its address.
    virtual void Failed(const Peer& peer, const Status& status) = 0;
  };

  Replica(net::Rpc& rpc, Peer self, const Timing& timing, base::Randomness& randomness,
          Owner& owner);
  ~Replica();

  const Peer& self() const { return self_; }
  /// Begins a new group with this task as its one voter.
  void Found(State first);

  bool leads() const { return leads_; }
  /// As it was given, or longer for a process that gets little of its machine.
  const Timing& timing() const { return timing_; }
  /// A timer of this process came so late.
  void NoteLateness(base::Duration late);
  /// Whether a proposal can be made: one at a time.
  bool may_propose() const { return leads_ && !in_round_; }
  /// Whether something of this leader's own term is committed: before that it may not change the
  /// voters.
  bool settled() const { return settled_; }
  /// Carries the commands out on the present state and has the voters accept the result.
  void Propose(const std::vector<Command>& commands);

  /// The newest state known here, committed or not, and the newest that is known to be committed.
  const std::shared_ptr<const State>& accepted() const { return accepted_; }
  const std::shared_ptr<const State>& committed() const { return committed_; }
  /// Null if none is known, or the one known is doubted.
  const Peer* leader() const { return leader_ && !doubted_ ? &*leader_ : nullptr; }
  base::Time leader_heard() const { return leads_ ? rpc_.executor().Now() : leader_heard_; }

  /// The leader was found dead (`certain`) or out of reach: an election begins at once.
  void LeaderEnded(Incarnation leader, bool certain);
  /// Lets another voter take the lead, if it has everything; the leader's goodbye.
  void HandOver(Incarnation to);
  bool HasEverything(Incarnation peer) const;
  /// Goes on without a majority: all of `survivors` must agree, and everybody else of the last
  /// known membership, a majority of the voters included, must have ended for good.
  void FoundAnew(const std::vector<Peer>& survivors, const std::string& reason);

 private:
  struct Follower {
    Peer peer;
    Stamp accepted;
    Stamp told;  // the newest committed state that it knows of
    base::Time heard{};
    int in_flight = 0;
    std::optional<base::Time> leaving;  // no peer any more; it is told so for a while
  };
  struct Election {
    VoteKind kind = VoteKind::kProbe;
    uint64_t number = 0;
    base::Time since{};
    std::set<Incarnation> granted;
    std::vector<Peer> survivors;  // of FoundAnew
    std::string reason;
  };

  bool IsVoter() const { return FindPeer(accepted_->voters, self_.incarnation) != nullptr; }
  size_t Majority() const { return accepted_->voters.size() / 2 + 1; }
  bool HearsLeader() const;

  void ArmElection();
  void ElectionDue();
  void StartElection(VoteKind kind);
  void AskForVotes(const std::vector<Peer>& peers);
  void TakeVote(const Peer& peer, uint64_t election, const VoteReply& reply);
  void CountVotes();
  void BecomeLeader();
  void BecomeFollower(uint64_t term, const std::optional<Peer>& leader);
  bool IsFounding() const;
  void EndFounding();

  void HandleVote(const std::string& request, const net::Rpc::Answer& answer);
  bool Grants(const VoteRequest& request);
  void HandleAppend(const std::string& request, const net::Rpc::Answer& answer);
  void Accept(const AppendRequest& request);
  void CommitIfAccepted(const Stamp& stamp);

  void Beat();
  void SyncFollowers();
  void SendAppends();
  void SendTo(Follower& follower, bool hand_over = false);
  void TakeAppendReply(Incarnation from, base::Time sent, const Stamp& told,
                       const Result<std::string>& result);
  void CheckCommit();
  // Runs `then` with the answer, if this object still lives.
  template <typename F>
  void Call(const Peer& peer, const char* method, std::string request, F then);

  net::Rpc& rpc_;
  const Peer self_;
  const Timing given_timing_;
  Timing timing_;  // as the process comes to its work
  base::Duration lateness_{};
  base::Randomness& randomness_;
  Owner& owner_;
  uint64_t term_ = 0;
  Incarnation voted_for_ = 0;  // in term_
  std::shared_ptr<const State> accepted_ = std::make_shared<State>();
  std::shared_ptr<const State> committed_ = accepted_;

  std::optional<Peer> leader_;
  base::Time leader_heard_{};
  bool doubted_ = false;
  base::Time hasty_until_{};
  Incarnation ended_leader_ = 0;
  std::optional<Election> election_;
  uint64_t elections_ = 0;
  base::Timer election_timer_;

  bool leads_ = false;
  bool in_round_ = false;
  bool settled_ = false;
  Stamp base_;                     // the state before accepted_, and
  std::vector<Command> commands_;  // what led from it to accepted_
  std::map<Incarnation, Follower> followers_;
  base::Timer beat_timer_;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);
};

}  // namespace lockstep::cluster
