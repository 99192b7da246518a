#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/randomness.h"
#include "graph/graph.h"
#include "net/rpc.h"
#include "remote/messages.h"

namespace lockstep::remote {

/// What a run's parts see of other runs. kLate: what is read is of one moment on each task, what is
/// written is held from the first write to the end.
enum class RunMode : uint8_t { kSerializable, kRelaxed, kLate };

/// The parts of a graph on the tasks of a cluster, each registered with its server.
class RemoteGraph {
 public:
  struct Part {
    std::string task;  // "/job:ps/replica:0/task:0"
    std::string address;
    std::string bytes;  // the graph, for a server that has freed it
    uint64_t handle = 0;
    std::vector<int> parameters;
    std::vector<int> results;
  };
  std::vector<Part> parts;
  size_t num_results = 0;
  RunMode mode = RunMode::kSerializable;
  bool one_holder = false;  // at most one part holds variables
};

/// Asks servers to run graphs: partitions, registers, and then one request to each task and run,
/// all at the same time. An event handler on the executor of `rpc`, which outlives it.
class Client {
 public:
  /// `owner`: whose the graphs are that it registers; a name of its own where it is empty.
  Client(net::Rpc& rpc, base::Randomness& randomness, std::string owner = "");
  ~Client();
  Client(const Client&) = delete;
  Client& operator=(const Client&) = delete;

  /// Learns of the cluster from the server at `address`. Errors: Unavailable, naming it.
  void Connect(const std::string& address, std::function<void(Result<HelloAnswer>)> done);
  /// Asks the server at `address` who it is.
  void Ask(const std::string& address, std::function<void(Result<HelloAnswer>)> done);
  /// For clients that know the cluster.
  void SetCluster(HelloAnswer cluster) { cluster_ = std::move(cluster); }
  /// Cuts `graph`, whose nodes have full names of devices of the cluster, by tasks, and registers
  /// the parts. `Connect` has been done. Errors: what servers say, naming the task.
  using OnGraph = std::function<void(Result<std::shared_ptr<RemoteGraph>>)>;
  void Register(const graph::Graph& graph, RunMode mode, OnGraph done);

  /// The task that an error of `Register` says was lost; empty where it says nothing of the kind.
  static std::string LostTaskIn(const Status& status);
  /// The same of a task that nothing has been heard of yet.
  static Status NeverThere(const Status& status);

  /// Runs the graph; the results are those of the graph that was registered. Gives a number for
  /// `Cancel`. Errors: what ops throw; Unavailable, the same for all clients, when a task is lost;
  /// Aborted when one has been started again.
  using OnResults = std::function<void(Result<std::vector<Tensor>>)>;
  uint64_t Start(const std::shared_ptr<RemoteGraph>& graph, const std::vector<Tensor>& feeds,
                 OnResults done, Asker asker = {});
  /// How a run has ended, for callers that do it again when a task was lost.
  struct Outcome {
    Result<std::vector<Tensor>> results;
    std::string lost = {};       // the task, or empty
    bool started_again = false;  // it lives, and has forgotten the graph
    std::string unknown = {};    // a task that does not say whether the run's writes hold there
    bool written = false;        // they hold, though the client says that they do not
  };
  /// The same as `Start` for a run whose end is known before `done` is called: if a task was lost,
  /// all others have said that they have taken back what it has written. So it may be done again.
  /// `asker`: whom servers name in reports of races; they are told here.
  uint64_t Carry(const std::shared_ptr<RemoteGraph>& graph, const std::vector<Tensor>& feeds,
                 std::function<void(Outcome)> done, Asker asker = {});
  /// Ends the run on all tasks; it is as if it had never been. `done` gets `status`.
  void Cancel(uint64_t run, const Status& status);
  /// Calls `done` when all servers know how this client's runs have ended.
  void WhenTold(std::function<void()> done);
  const std::string& owner() const { return owner_; }
  int num_retries() const { return num_retries_; }

 private:
  struct Run;
  static bool Alone(const Run& run);
  void Send(uint64_t id);
  void ShowLife();
  void Answered(uint64_t id, uint64_t number, size_t part, const Result<net::Parcel>& answer);
  void Renew(uint64_t id, uint64_t number, size_t part);
  void Again(uint64_t id);
  void End(uint64_t id, Outcome outcome, bool commits);
  using OnFate = std::function<void(Result<Fate>)>;
  void Tell(const std::string& address, Finish finish, OnFate told = nullptr);
  void SayIfTold();
  void TellNow(const std::string& address, Finish finish, int attempt, const OnFate& told);
  uint64_t Begin(std::unique_ptr<Run> run, const std::vector<Tensor>& feeds);
  Status Lost(const RemoteGraph::Part& part, const Status& status) const;

  net::Rpc& rpc_;
  base::Randomness& randomness_;
  const uint64_t nonce_;
  const std::string owner_;
  uint64_t next_number_ = 0;
  uint64_t timestamp_ = 0;
  int num_retries_ = 0;
  HelloAnswer cluster_;
  std::map<uint64_t, std::unique_ptr<Run>> runs_;
  base::Timer life_;
  bool shows_life_ = false;  // its time is running
  std::function<void()> told_;
  std::map<std::string, std::vector<Finish>> untold_;  // by address: not yet acknowledged
  std::shared_ptr<int> alive_ = std::make_shared<int>(0);
};

}  // namespace lockstep::remote
