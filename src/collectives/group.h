#pragma once

#include <array>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/executor.h"
#include "collectives/call.h"
#include "collectives/call_texts.h"
#include "collectives/network_cost.h"
#include "collectives/partial_message.h"
#include "lockstep/base/status.h"
#include "net/transport.h"

namespace lockstep::collectives {

class FlightRecorder;
class Group;
class PreparedSums;

/// What a collective gave: whether any leaf contributed. If none did, the output is untouched.
struct Reduced {
  bool present = false;
  int last_from = -1;  // whose message came last, while this rank was already in it; -1: nobody's
};
using OnReduced = std::function<void(Result<Reduced>)>;

/// One collective under way on this rank: an event handler that the group feeds.
class Operation {
 public:
  Operation(OpId id, Call call, base::Duration timeout, OnReduced done)
      : id_(id), call_(std::move(call)), timeout_(timeout), done_(std::move(done)) {}
  virtual ~Operation() = default;

  /// Sends what can be sent; may finish at once.
  virtual void Begin(Group& group) = 0;
  /// A message of a call that agrees with this one.
  virtual void Take(Group& group, int from, const PartialMessage& message) = 0;
  /// "none of node [4,6), slice 1, from rank 2; 3 of 4 slices are done"
  virtual std::string Missing(const Group& group) const = 0;

  OpId id() const { return id_; }
  const Call& call() const { return call_; }
  const char* name() const { return OpKindName(call_.kind); }
  base::Duration timeout() const { return timeout_; }
  bool finished() const { return done_ == nullptr; }

 protected:
  /// Hands the result over, as new work of the executor. Only the first call counts.
  void Finish(Group& group, Result<Reduced> result);
  /// What all messages of this operation have in common.
  PartialHeader Header() const;
  void Send(Group& group, int to, const PartialHeader& header, net::Payload body) const;

 private:
  friend class Group;
  OpId id_;
  Call call_;
  base::Duration timeout_;
  OnReduced done_;
  base::Time expires_{};
  base::Time begun_{};
  base::Time stalls_{};  // when to tell that it still runs
  uint64_t record_ = 0;  // of the flight recorder
  uint32_t text_ = kNoText;
  int taking_from_ = -1;
};

struct GroupOptions {
  /// Partials of collectives that this rank has not begun yet; beyond it their senders wait.
  size_t held_bytes = 64 << 20;
  /// Where operations are recorded; it outlives the group.
  FlightRecorder* recorder = nullptr;
  /// Called for an operation that runs for so long, and again each time that has doubled.
  base::Duration stall_after = std::chrono::seconds(2);
  std::function<void(OpId)> on_stall;
  /// Called once, when the epoch is aborted here, or was elsewhere; not where a rank goes home and
  /// no collective runs here, as at the end of a job.
  std::function<void()> on_abort;
};

/// The names of operations that are over. Steps mostly rise, so that new ones go to the end.
class FinishedOperations {
 public:
  void Insert(OpId id);
  bool Contains(OpId id) const;
  void EraseBefore(uint64_t step);

 private:
  struct Step {
    uint64_t step = 0;
    uint64_t low_buckets = 0;  // bit b: bucket b is over
    std::set<uint32_t> high_buckets;
  };
  std::deque<Step> steps_;  // ascending
};

/// The collectives of one epoch over all ranks of a transport: runs them side by side, keeps what
/// comes early, and ends them all when the epoch is aborted, which every wait of theirs watches.
/// Lifetime: one group at a time per transport, for its current epoch; the transport outlives it.
/// What is under way when the group goes ends with Cancelled.
/// Threads: everything on the transport's executor.
class Group {
 public:
  explicit Group(net::Transport& transport, const GroupOptions& options = {});
  Group(const Group&) = delete;
  ~Group();

  int rank() const { return transport_.rank(); }
  int num_ranks() const { return transport_.num_ranks(); }
  net::Epoch epoch() const { return epoch_; }
  base::Executor& executor() const { return transport_.executor(); }

  /// Ends the epoch on every rank that can be reached; whatever is under way ends with Aborted.
  void Abort(Status reason);
  /// Forgets the names of finished steps: partials below `step` that still come are dropped.
  void RetireBefore(uint64_t step);

  /// For the algorithms: starts an operation, after which it gets its partials.
  void Run(std::unique_ptr<Operation> operation);
  /// For the algorithms: ends `operation` and with it the epoch, for a reason that it found.
  void FailAndAbort(Operation& operation, Status reason);
  /// Memory for bodies.
  net::Block Allocate(size_t bytes) { return transport_.Allocate(bytes); }
  bool SharesMemoryWith(int peer) const { return transport_.SharesMemoryWith(peer); }
  bool IsShared(std::span<const std::byte> bytes) const { return transport_.IsShared(bytes); }
  /// What algorithms are chosen by; the same on every rank.
  const NetworkCost& network_cost() const { return network_cost_; }
  PreparedSums& prepared_sums() { return *prepared_sums_; }
  /// "(rank 0 of 4, epoch 1, step 17, bucket 0)", with `more` before the bracket closes.
  std::string Place(OpId id, const std::string& more = "") const;

 private:
  friend class Operation;
  struct Early {
    int from;
    net::Message message;
  };

  // A call that is over, to be compared with what still comes of it.
  struct Past {
    OpId id;
    Call call;
  };

  void Send(int to, net::Payload payload, net::Payload body);
  net::Receipt Arrive(int from, const net::Message& message);
  void TakeInto(Operation& operation, int from, const PartialMessage& message);
  Status Compare(OpId id, const Call& call, int from, const PartialMessage& message) const;
  void CompareWithPast(int from, const PartialMessage& message);
  void EndOperations(const net::Abort& abort);
  void ExpireLate();
  void Expire(Operation& operation);
  Status AbortedStatus(const Operation& operation, const net::Abort& abort) const;
  Status NameFault(const Operation& operation) const;
  Operation* FindRunning(OpId id) const;
  void DropFinished(OpId id);
  void WatchDeadline(base::Time expires);
  void TellAbort(bool is_leave);
  void WatchStall(base::Time stalls);
  void TellStalls();

  net::Transport& transport_;
  const GroupOptions options_;
  const net::Epoch epoch_;
  uint64_t oldest_step_ = 0;
  std::vector<std::unique_ptr<Operation>> running_;
  FinishedOperations finished_;  // of oldest_step_ and later
  std::array<Past, 32> past_;    // the last that are over; next_past_ is written next
  size_t next_past_ = 0;
  // One timer for all that run: it is set for the first deadline, and again when it has passed.
  base::Timer deadline_;
  base::Time deadline_at_ = base::Time::max();
  bool told_abort_ = false;
  base::Timer stall_;  // likewise
  base::Time stall_at_ = base::Time::max();
  std::map<OpId, std::vector<Early>> early_;
  size_t early_bytes_ = 0;
  CallTexts texts_;
  const NetworkCost& network_cost_;
  const std::unique_ptr<PreparedSums> prepared_sums_;
};

/// For the algorithms: answers a call that they refuse, as new work of the executor.
template <typename Done>
void Refuse(Group& group, Done done, Status fault) {
  group.executor().Post([done = std::move(done), fault = std::move(fault)] { done(fault); });
}

}  // namespace lockstep::collectives
