#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "distribute/servers/update_ledger.h"
#include "distribute/servers/update_sequencer.h"
#include "lockstep/base/status.h"
#include "net/transport.h"

namespace lockstep::distribute {

/// One server's share of the variables.
class Shard {
 public:
  virtual ~Shard() = default;
  /// Carries an update out.
  virtual void Apply(const Commit& commit, const net::Payload& push) = 0;
  /// What workers read of it, and updates after `since` have changed; all, for 0.
  virtual net::Payload Values(net::Transport& transport, uint64_t since) = 0;
  /// Everything.
  virtual net::Payload State(net::Transport& transport) = 0;
  virtual void Restore(const net::Payload& state) = 0;
};

/// What the ranks of an asynchronous run work on.
class AsynchronousWork {
 public:
  virtual ~AsynchronousWork() = default;
  /// A share as it is before the first update; the same on every rank.
  virtual std::unique_ptr<Shard> MakeShard(int shard) = 0;
  /// A worker's: takes what a shard's `Values` gave.
  virtual void Take(int shard, const net::Payload& values) = 0;
  /// A worker's: makes of the values the update of each shard.
  virtual std::vector<net::Payload> Compute(net::Transport& transport, int64_t batch) = 0;
  /// A worker's batch counts.
  virtual void Committed(int64_t /*batch*/) {}
};

struct AsynchronousOptions {
  int64_t batches = 0;
  /// How far a worker may be ahead of what all have done; -1: as far as it likes.
  int64_t bound = -1;
  int shards = 1;
  /// A copy gets a share's whole state after so many updates, and keeps what comes in between.
  uint64_t state_every = 16;
};

/// One rank's part in a run over batches that workers take one at a time, each for itself, while
/// servers keep the variables. docs/parameter_servers.md has the rules: every batch counts exactly
/// once; updates and pulls are as if one came after the other; of each share there are two copies,
/// so that who dies takes nothing along that counts. An epoch of the transport may end at any
/// moment: `Enter` goes on in the next one, with those who are left.
/// Threads: that of the transport's executor.
class AsynchronousRun {
 public:
  /// The work lasts as long as the run.
  AsynchronousRun(AsynchronousWork& work, const AsynchronousOptions& options);
  ~AsynchronousRun();
  AsynchronousRun(const AsynchronousRun&) = delete;
  AsynchronousRun& operator=(const AsynchronousRun&) = delete;

  /// Takes part in the transport's present epoch, in which all ranks of `roles` do the same.
  /// `done` is called once: with Ok when the run is over, or with what this rank's work has thrown,
  /// which ends the epoch for all.
  using OnDone = std::function<void(const Status&)>;
  struct Ranks {
    std::vector<int> workers;  // one at least
    std::vector<int> servers;  // none: the workers keep the variables
    uint64_t run = 1;          // tells the runs of an epoch apart; they rise
  };
  void Enter(net::Transport& transport, const Ranks& ranks, OnDone done);
  /// The epoch is over for this rank; what it holds stays.
  void Leave();
  /// No further batch is begun; the run ends when those that are under way count.
  void Stop();

  bool finished() const { return finals_.size() == static_cast<size_t>(options_.shards); }
  /// When finished: every shard's state, and what counts.
  const std::map<int, net::Payload>& finals() const { return finals_; }
  const Ledger& ledger() const { return final_ledger_; }
  /// How often both copies of something were lost, so that all began anew.
  int restarts() const { return restarts_; }
  /// Batches that this rank has computed, whether they came to count or not.
  int64_t computed() const { return computed_; }
  /// For tests: the state of what this rank keeps of `shard`, its log carried out; empty: nothing.
  net::Payload StateOf(int shard, net::Transport& transport);
  uint64_t version() const { return ledger_.committed(); }

 private:
  enum class Kind : uint8_t {
    kHello = 1,
    kState,
    kAsk,
    kPush,
    kHeld,
    kEntry,
    kValues,
    kFinal,
    kStop
  };
  enum class EntryKind : uint8_t { kCommit = 1, kServe, kEnd };
  /// What this rank holds of a shard.
  struct Held {
    bool is_primary = false;
    bool installed = false;
    std::unique_ptr<Shard> live;  // a copy has none
    net::Payload base;            // a copy's state; empty: as before the first update
    uint64_t base_version = 0;
    std::map<int64_t, net::Payload> pushes;  // by batch, not in the state yet
  };
  /// What a rank says when an epoch begins.
  struct Header {
    bool finished = false;
    bool stops = false;
    int restarts = 0;
    uint64_t version = 0;
    uint64_t seen = 0;        // commits that there were, as it has heard
    std::vector<int> shards;  // that it holds
    struct Holding {
      uint64_t covered = 0;          // its state has done all commits up to this one
      std::vector<int64_t> batches;  // whose pushes it has besides
    };
    std::vector<Holding> holdings;  // by place in `shards`
    std::vector<int64_t> pushes;    // that it has computed, and may not count
    std::vector<Commit> tail;
    void Encode(cluster::FieldWriter& writer) const;
    static Header Decode(cluster::FieldReader& reader);
    /// Whether what it holds can carry `commit` out.
    bool CanApply(const Commit& commit) const;
  };
  struct Epoch;
  struct WorkerPush {
    uint64_t pulled = 0;
    std::vector<net::Payload> shards;
  };

  net::Transport& transport() const;
  cluster::FieldWriter Begin(Kind kind) const;
  void Send(int to, const std::string& header, net::Payload body = {});
  void Post(std::function<void()> work);
  template <typename Work>
  void Guard(const Work& work);
  void Fail(const Status& status);
  void Receive(int from, std::string_view header, const net::Payload& body);
  void Handle(int from, std::string_view header, const net::Payload& body);

  // When an epoch begins.
  Header OwnHeader() const;
  void OnHello(int from, cluster::FieldReader& reader);
  void Decide();
  void ForgetEarlierLives();
  void ForgetStale(uint64_t version);
  void Assign();
  bool AnyLost() const;
  void BeginAnew();
  void CatchUp(uint64_t version);
  void HandStates(uint64_t version);
  void SendState(int to, int shard, const net::Payload& state, bool installs);
  void OnState(cluster::FieldReader& reader, const net::Payload& body);
  void MaybeRun();
  void HandFinals();

  // Those who hold something.
  void OnPush(cluster::FieldReader& reader, const net::Payload& body);
  void OnHeld(int from, cluster::FieldReader& reader);
  void BeginSequencer();
  void Announce(EntryKind kind, const std::function<void(cluster::FieldWriter&)>& fields);
  void OnEntry(cluster::FieldReader& reader);
  void Carry(cluster::FieldReader& entry);
  void ApplyCommit(const Commit& commit);
  void SendValues(int worker, uint64_t since, int64_t batch);
  void PutTail(cluster::FieldWriter& writer) const;
  void TakeTail(cluster::FieldReader& reader);
  void SendFinals();
  void Materialise(int shard, Held& held);
  void Forget();

  // Workers.
  void BeginWork();
  void Ask();
  void OnValues(cluster::FieldReader& reader, const net::Payload& body);
  void ComputeBatch(int64_t batch);
  void Push(int64_t batch, const WorkerPush& push);
  void DropPushes(int64_t prefix);
  void MaybeFinish();
  void OnFinal(cluster::FieldReader& reader, const net::Payload& body);

  AsynchronousWork& work_;
  const AsynchronousOptions options_;
  Ledger ledger_;                    // of what this rank holds
  std::map<int, Held> shards_;       // that this rank holds
  std::map<uint64_t, Commit> tail_;  // the newest commits that it has heard of
  std::map<int64_t, WorkerPush> pushes_;
  std::map<int, net::Payload> finals_;
  Ledger final_ledger_;
  bool stops_ = false;
  uint64_t seen_ = 0;  // the newest version whose values it has got
  int restarts_ = 0;
  int64_t computed_ = 0;
  std::shared_ptr<Epoch> epoch_;
};

}  // namespace lockstep::distribute
