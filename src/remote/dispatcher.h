#pragma once

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "graph/graph.h"
#include "net/rpc.h"
#include "remote/client.h"

namespace lockstep::remote {

/// A function that workers carry out: traced, its variables' ops with devices, the rest without.
struct DispatchedFunction {
  graph::Graph graph;
  RunMode mode = RunMode::kLate;
  std::string name;  // for error texts
};

struct DispatcherOptions {
  /// The job whose tasks carry functions out; variables are on the others.
  std::string job = "worker";
  /// How long functions wait while no worker is there.
  base::Duration patience = std::chrono::seconds(60);
  /// Between two questions whether a lost worker is back, at first; it doubles up to a second.
  base::Duration between = std::chrono::milliseconds(50);
  /// Called when a worker has been found, also anew; may be empty.
  std::function<void(const std::string& address, std::function<void()> done)> attach;
};

/// Gives functions to workers: a queue, from which each worker that is free takes the next one.
/// A function whose worker is lost goes to another one, once all servers have taken back what it
/// has written; so what it writes takes place once. Workers may come late, go, and come back as new
/// processes. The first error ends all that waits and runs, which is Cancelled. An event handler on
/// the executor of `rpc`, which outlives it, as `client` does.
class Dispatcher {
 public:
  using Results = Result<std::vector<Tensor>>;
  /// The last feeds, once the worker is known: `life` counts its processes, from 1. Called once for
  /// each call, also when it is done again elsewhere.
  struct Drawn {
    std::vector<Tensor> feeds;
    std::shared_ptr<const DispatchedFunction> function;  // in the place of the call's, if any
  };
  using Draw = std::function<Result<Drawn>(int worker, int life)>;
  struct Call {
    std::shared_ptr<const DispatchedFunction> function;
    std::vector<Tensor> arguments;
    /// Then results of resources: which, and which of its results.
    std::vector<std::pair<int, int>> resources;
    Draw draw;
    std::string where;  // " scheduled at step.cc:12", for error texts
    Asker asker;
    /// Called once.
    std::function<void(Results)> done;
  };

  Dispatcher(net::Rpc& rpc, Client& client, const HelloAnswer& cluster, DispatcherOptions options);
  ~Dispatcher();
  Dispatcher(const Dispatcher&) = delete;
  Dispatcher& operator=(const Dispatcher&) = delete;

  void Schedule(Call call);
  /// Something that each worker makes for itself, without arguments, before the first call that
  /// takes it, and again when it has been started again; its number.
  int AddResource(std::shared_ptr<const DispatchedFunction> function);
  /// Calls `idle` when nothing waits or runs.
  void WhenIdle(std::function<void()> idle);
  bool idle() const { return queue_.empty() && running_.empty(); }
  size_t num_waiting() const { return queue_.size(); }
  /// The first error since it was last asked for.
  Status TakeError() { return std::exchange(error_, Status::Ok()); }
  const Status& error() const { return error_; }
  int num_workers() const { return static_cast<int>(workers_.size()); }
  int num_free() const;
  /// How often a call has been done again.
  int num_repeats() const { return num_repeats_; }

 private:
  struct Worker;
  struct Running;
  using OnOutcome = std::function<void(Client::Outcome)>;

  void Probe(Worker& worker);
  void Joined(Worker& worker, uint64_t incarnation);
  void Lose(Worker& worker, const Status& why);
  void Give();
  void Assign(Worker& worker, std::unique_ptr<Running> running);
  void Advance(uint64_t number);
  void MakeResource(uint64_t number, int resource);
  void Carry(Worker& worker, const std::shared_ptr<const DispatchedFunction>& function,
             std::vector<Tensor> feeds, uint64_t number, OnOutcome done);
  void Ended(uint64_t number, Client::Outcome outcome);
  bool Interrupted(uint64_t number, const Client::Outcome& outcome);
  void AskServer(uint64_t number, const std::string& task, const Status& status, bool may_repeat);
  void Again(uint64_t number);
  void Finish(uint64_t number, Results results);
  void Fail(const Status& status);
  void Starve();
  void SayIfIdle();

  net::Rpc& rpc_;
  Client& client_;
  const HelloAnswer cluster_;
  const DispatcherOptions options_;
  std::vector<std::unique_ptr<Worker>> workers_;
  std::deque<Worker*> free_;  // the one that has waited longest first
  std::deque<std::unique_ptr<Running>> queue_;
  std::map<uint64_t, std::unique_ptr<Running>> running_;
  std::vector<std::shared_ptr<const DispatchedFunction>> resources_;
  std::map<std::string, uint64_t> incarnations_;  // of servers, by task
  uint64_t next_number_ = 0;
  int num_repeats_ = 0;
  Status error_;
  base::Timer starving_;
  std::vector<std::function<void()>> on_idle_;
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);
};

}  // namespace lockstep::remote
