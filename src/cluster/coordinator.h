#pragma once

#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "cluster/arbiter.h"
#include "cluster/coordinator_replica.h"
#include "cluster/health.h"
#include "cluster/join_board.h"
#include "cluster/membership_plan.h"
#include "cluster/membership_requests.h"

namespace lockstep::cluster {

struct CoordinatorOptions {
  Timing timing;
  Hello hello;
  /// Tasks of the description; the first epoch waits for all of them.
  std::vector<ExpectedTask> expected;
  int min_members = 1;
  int max_members = 1 << 30;
  /// How long the first epoch waits for all tasks; after that, more than half and at least
  /// `min_members` are enough.
  base::Duration start_wait = std::chrono::minutes(10);
  /// How long a leaver waits for the others to be ready.
  base::Duration leave_wait = std::chrono::seconds(1);
  /// No progress for so long, while others make some, is "stuck".
  base::Duration stuck = std::chrono::seconds(10);
  /// May be null; outlives the task.
  Arbiter* arbiter = nullptr;
};

/// The part of the control plane that every task carries, and that works while its replica leads:
/// hears who is alive, answers what tasks ask, and decides on the next epoch.
/// Threads: everything on the executor of `rpc`.
class Coordinator final : public Replica::Owner {
 public:
  class Listener {
   public:
    virtual ~Listener() = default;
    virtual void Committed(const std::shared_ptr<const State>& state) = 0;
    virtual void LeaderChanged() = 0;
    /// While this task tries to begin the job, another was found to be in it already.
    virtual void JobIsElsewhere(const std::string& address) = 0;
    /// For the leader's health table.
    virtual Progress MyProgress() = 0;
  };

  Coordinator(net::Rpc& rpc, Peer self, CoordinatorOptions options, base::Randomness& randomness,
              Listener& listener);
  ~Coordinator() override;

  /// Begins the job's group of coordinators. Only one task of a job may do so, and only once.
  void Found();
  const Replica& replica() const { return replica_; }
  /// Takes note of a task that has ended for certain, and does what follows.
  void TaskEnded(Incarnation who, const std::string& reason);
  /// A call to it failed: nobody was there, or the connection broke.
  void OutOfReach(const Peer& peer);
  /// Asks the arbiter whether this task may go on without a majority, and does so if it may.
  /// `alone`: how long it has heard no leader; the survivors try one after another.
  void TryToFoundAnew(base::Duration alone);
  /// "3 of 4 here; missing worker 2 at ..., connection refused, for 12 s"
  std::string board() const { return board_.Text(rpc_.executor().Now()); }

 private:
  struct Asked {
    Command command;
    net::Rpc::Answer answer;
    base::Time since{};
  };
  struct OpenQuery {
    Query query;
    net::Rpc::Answer answer;
    base::Time since{};
  };

  // Replica::Owner
  void Committed() override;
  void RoleChanged() override;
  std::string Report() override;
  void Answered(const Peer& peer, const std::string& report) override;
  void Failed(const Peer& peer, const Status& status) override;

  void Serve();
  void HandleJoin(const std::string& request, const net::Rpc::Answer& answer);
  void HandleSubmit(const std::string& request, const net::Rpc::Answer& answer);
  void HandleQuery(const std::string& request, const net::Rpc::Answer& answer);
  void HandleReport(const std::string& request, const net::Rpc::Answer& answer);
  void HandleWhere(const std::string& request, const net::Rpc::Answer& answer);
  void HandleWatch(const net::Rpc::Answer& answer);
  // Answers with where the leader is, if that is not here.
  bool Redirect(const net::Rpc::Answer& answer) const;

  void Tick();
  void Reconcile();
  // What membership is decided by, as this task sees it now.
  Situation Look();
  // Who has ended, refuses connections or is silent.
  void FindDead(base::Time now, Situation& situation);
  // What members say of each other, once it had time to settle: who broke the epoch, and who goes
  // of two that complain epoch after epoch.
  void HearSuspicions(base::Time now, Situation& situation);
  std::vector<Peer> Everybody() const;
  void ForgetSuspicions(uint64_t epoch);
  void NoteSuspicion(const cluster::Report& report);
  void HandOverIfLeaving();
  void AnswerAsked();
  void AnswerQueries();
  // Nothing while the query must wait.
  std::optional<Result<std::string>> TryQuery(const Query& query) const;
  Status Expired(const OpenQuery& open) const;
  void FoundAnew(base::Duration alone, uint64_t newest_epoch);
  void AskArbiter(const std::vector<Peer>& peers);
  void Probe();

  net::Rpc& rpc_;
  const CoordinatorOptions options_;
  Listener& listener_;
  std::map<Incarnation, std::string> ended_;  // for certain, and how it is known
  std::set<std::string> refused_;             // joiners that were refused, by text: said once
  JoinBoard board_;
  HealthTable health_;
  base::Time founded_{};

  // While this task leads:
  std::vector<Asked> asked_;           // for the next round
  std::vector<Asked> in_round_;        // of the present one
  std::vector<OpenQuery> asking_;      // since the present round began
  std::vector<OpenQuery> confirming_;  // before it began
  std::vector<OpenQuery> open_;        // this task led after they came
  std::vector<net::Rpc::Answer> watchers_;
  struct Suspicion {
    cluster::Report report;
    base::Time since{};
  };
  std::vector<Suspicion> suspicions_;                            // of the present epoch
  std::map<std::pair<Incarnation, Incarnation>, int> quarrels_;  // epochs that a pair complained in
  uint64_t suspected_epoch_ = 0;
  std::map<Incarnation, base::Time> leaving_since_;
  base::Time next_probe_{};
  std::optional<base::Time> ticked_;  // at last
  base::Timer tick_;
  Replica replica_;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);
};

}  // namespace lockstep::cluster
