#pragma once

#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/randomness.h"
#include "net/rpc.h"
#include "remote/ended_runs.h"
#include "remote/messages.h"
#include "remote/resources.h"
#include "remote/run_queue.h"
#include "remote/wire.h"
#include "runtime/rendezvous.h"
#include "runtime/session_callable.h"

namespace lockstep::remote {

struct WorkerOptions {
  std::string job = "localhost";
  int index = 0;
  /// All tasks of the cluster, this one too.
  std::vector<HelloAnswer::Task> tasks;
  /// After so long without a word from a run's client, the tasks decide about it.
  base::Duration patience = std::chrono::seconds(10);
  /// After so long without a word from a client, its graphs are freed, and what else it has made.
  base::Duration keeping = std::chrono::minutes(10);
};

/// What a server does: keeps the values of variables, registers graphs, and runs them by handle. An
/// event handler on the executor of `rpc`, which outlives it. A part of a run on several tasks
/// keeps its variables until the client says how the run has ended, and takes back what it has
/// written if it has failed; so a run takes place on all tasks or on none. Promise: a message that
/// comes twice changes nothing.
class Worker {
 public:
  Worker(net::Rpc& rpc, base::Randomness& randomness, WorkerOptions options);
  ~Worker();
  Worker(const Worker&) = delete;
  Worker& operator=(const Worker&) = delete;

  /// Serves clients that come another way, too. `rpc` may go at any time.
  void Serve(net::Rpc& rpc);

  int num_variables() const { return resources_.num_variables(); }
  int num_graphs() const { return static_cast<int>(graphs_.size()); }
  /// Runs that have begun or wait here.
  int num_runs() const { return static_cast<int>(runs_.size()); }

 private:
  struct Owner;
  struct Registered;
  struct Run;
  using Number = uint64_t;

  void Hello(const net::Rpc::Answer& answer) const;
  void Register(const std::string& request, const net::Rpc::Answer& answer);
  void Begin(const net::Parcel& parcel, const net::Rpc::ParcelAnswer& answer);
  void Put(const net::Parcel& parcel, const net::Rpc::ParcelAnswer& answer);
  std::vector<Fate> End(const std::vector<Finish>& finishes);
  Fate EndOne(const Finish& finish);

  // The graph that was not run for the longest time: its client registers it anew if it is needed.
  void RemoveOldestGraph();
  void Release(const std::string& owner);
  const std::shared_ptr<Owner>& Heard(const std::string& name);
  void Watch(const std::string& name, Owner& owner, base::Duration left);
  Run& RunFor(Number number);
  void Start(Number number);
  void Carry(Run& run);
  std::vector<Tensor> RunAlone(Run& run);
  bool Advance(Run& run);
  static void NoteReads(Run& run, const std::vector<Tensor>& values);
  static void LogReads(const Run& run, const std::vector<Tensor>& values);
  void StartLate(Run& run);
  const std::shared_ptr<tensor::Buffer>& LastOf(const runtime::VariableCell& cell) const;
  bool Hold(Run& run);
  void Keep(Run& run);
  void TryAgain(Number number);
  void Done(Number number, Result<std::vector<Tensor>> results);
  void Reply(Run& run, const Status& status, bool again, std::vector<Tensor> results);
  void Forget(Number number, bool committed = false);
  Fate FateOf(Number number) const;
  void Expect(Run& run);
  void AskOthers(Number number);
  void Decide(Run& run, const std::vector<Fate>& fates);
  void Undo(Run& run);
  void Receive(Run& run, const std::string& key);
  void WaitFor(Run& run, const graph::Node& node);
  void WatchClient(Run& run, bool again = false);
  bool ClientLives(const Run& run) const;
  void SendTo(Run& run, const std::string& key, const Tensor& value);
  void Post(Run& run);

  net::Rpc& rpc_;
  const WorkerOptions options_;
  const uint64_t first_graph_;  // handles of another process of this task are none of ours
  uint64_t latest_ = 0;         // timestamp
  Resources resources_;
  std::unordered_map<uint64_t, std::shared_ptr<Registered>> graphs_;
  std::unordered_map<std::string, uint64_t> handles_;  // by the digest of what was registered
  uint64_t next_graph_ = 0;
  static constexpr size_t kMostGraphs = 2048;                       // of all clients
  uint64_t uses_ = 0;                                               // of graphs, in their order
  std::unordered_map<std::string, std::shared_ptr<Owner>> owners_;  // those that keep things
  std::unordered_map<Number, std::unique_ptr<Run>> runs_;
  EndedRuns over_;  // for as long as somebody may ask
  RunQueue queue_;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);  // what comes later looks at it
};

}  // namespace lockstep::remote
