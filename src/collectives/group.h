#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/executor.h"
#include "collectives/partial_message.h"
#include "lockstep/base/status.h"
#include "net/transport.h"

namespace lockstep::collectives {

class Group;
class PreparedSums;

/// What a collective gave: whether any leaf contributed. If none did, the output is untouched.
struct Reduced {
  bool present = false;
};
using OnReduced = std::function<void(Result<Reduced>)>;

/// One collective under way on this rank: an event handler that the group feeds.
class Operation {
 public:
  Operation(OpId id, const char* name, base::Duration timeout, OnReduced done)
      : id_(id), name_(name), timeout_(timeout), done_(std::move(done)) {}
  virtual ~Operation() = default;

  /// Sends what can be sent; may finish at once.
  virtual void Begin(Group& group) = 0;
  virtual void Take(Group& group, int from, const PartialMessage& message) = 0;
  /// "none of node [4,6), slice 1, from rank 2; 3 of 4 slices are done"
  virtual std::string Missing(const Group& group) const = 0;

  OpId id() const { return id_; }
  const char* name() const { return name_; }
  base::Duration timeout() const { return timeout_; }
  bool finished() const { return done_ == nullptr; }

 protected:
  /// Hands the result over, as new work of the executor. Only the first call counts.
  void Finish(Group& group, Result<Reduced> result);

 private:
  friend class Group;
  class PreparedSums;
  OpId id_;
  const char* name_;
  base::Duration timeout_;
  OnReduced done_;
  base::Time expires_{};
};

struct GroupOptions {
  /// Partials of collectives that this rank has not begun yet; beyond it their senders wait.
  size_t held_bytes = 64 << 20;
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
  void Abort(Status reason) { transport_.AbortEpoch(std::move(reason)); }
  /// Forgets the names of finished steps: partials below `step` that still come are dropped.
  void RetireBefore(uint64_t step);

  /// For the algorithms: starts an operation, after which it gets its partials.
  void Run(std::unique_ptr<Operation> operation);
  /// For the algorithms: ends `operation` and with it the epoch, for a reason that it found.
  void FailAndAbort(Operation& operation, Status reason);
  void Send(int to, net::Payload payload, net::Payload body);
  /// Memory for bodies.
  net::Block Allocate(size_t bytes) { return transport_.Allocate(bytes); }
  PreparedSums& prepared_sums() { return *prepared_sums_; }
  /// "(rank 0 of 4, epoch 1, step 17, bucket 0)", with `more` before the bracket closes.
  std::string Place(OpId id, const std::string& more = "") const;

 private:
  struct Early {
    int from;
    net::Message message;
  };

  net::Receipt Arrive(int from, const net::Message& message);
  void EndOperations(const net::Abort& abort);
  void ExpireLate();
  void Expire(Operation& operation);
  Status AbortedStatus(const Operation& operation, const net::Abort& abort) const;
  Status NameFault(const Operation& operation) const;
  Operation* FindRunning(OpId id) const;
  void DropFinished(OpId id);
  void WatchDeadline(base::Time expires);

  net::Transport& transport_;
  const GroupOptions options_;
  const net::Epoch epoch_;
  uint64_t oldest_step_ = 0;
  std::vector<std::unique_ptr<Operation>> running_;
  FinishedOperations finished_;  // of oldest_step_ and later
  // One timer for all that run: it is set for the first deadline, and again when it has passed.
  base::Timer deadline_;
  base::Time deadline_at_ = base::Time::max();
  std::map<OpId, std::vector<Early>> early_;
  size_t early_bytes_ = 0;
  const std::unique_ptr<PreparedSums> prepared_sums_;
};

}  // namespace lockstep::collectives
