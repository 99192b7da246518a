#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <shared_mutex>
#include <string>
#include <vector>

#include "base/event_loop.h"
#include "base/hash.h"
#include "base/randomness.h"
#include "base/recent_cache.h"
#include "remote/client.h"
#include "remote/dispatcher.h"
#include "remote/roads.h"
#include "runtime/placed_variable.h"

namespace lockstep::remote {

struct ChiefOptions {
  base::Duration connecting = std::chrono::seconds(60);
  base::Duration patience = std::chrono::seconds(60);
  bool trusted_network = false;
};

/// A process that has variables on servers and gives functions to workers: a client and a
/// dispatcher on a thread of their own. Threads: all members from any other thread.
class Chief : public std::enable_shared_from_this<Chief> {
 public:
  /// Waits until all tasks but workers have answered. Errors (thrown): InvalidArgument,
  /// Unavailable.
  Chief(const std::vector<HelloAnswer::Task>& tasks, const ChiefOptions& options);
  /// The tasks as the server at `address` tells them.
  Chief(const std::string& address, const ChiefOptions& options);
  /// What it has made on servers is freed.
  ~Chief();
  /// The same while others still refer to it. Once; not on the executor.
  void Close();

  base::Executor& executor() { return thread_->executor(); }
  /// On the executor.
  Dispatcher& dispatcher() { return *dispatcher_; }
  const std::vector<HelloAnswer::Task>& tasks() const { return cluster_.tasks; }
  /// Full names of the devices of tasks that have variables.
  const std::vector<std::string>& servers() const { return servers_; }
  int num_workers() const { return num_workers_; }
  /// A name on the wire that no other variable has.
  std::string WireName(const std::string& name);
  /// Runs a graph, what nothing binds on `device`. FailedPrecondition on the chief's own thread.
  std::vector<Tensor> Run(const graph::Graph& graph, const std::vector<Tensor>& arguments,
                          const std::string& device);
  /// The same for a graph that is run often; it is looked up once. Threads: several at a time.
  struct Prepared {
    graph::Graph graph;
    std::string device;
    std::mutex mutex;
    std::weak_ptr<RemoteGraph> registered;  // guarded by mutex
  };
  std::vector<Tensor> Run(Prepared* prepared, const std::vector<Tensor>& arguments);

 private:
  void Open(const ChiefOptions& options);
  HelloAnswer AskFirst(const std::string& address, const ChiefOptions& options);
  void Connect(const std::string& address, const std::string& what, const ChiefOptions& options);
  void Begin(const ChiefOptions& options);
  void KeepAlive();
  void RequireOpen() const;
  std::vector<Tensor> Start(const std::shared_ptr<RemoteGraph>& graph,
                            const std::vector<Tensor>& arguments);
  std::shared_ptr<RemoteGraph> RegisteredFor(const graph::Graph& graph, const std::string& device);

  base::SystemRandomness randomness_;
  HelloAnswer cluster_;
  std::vector<std::string> servers_;
  int num_workers_ = 0;
  std::string owner_;
  std::shared_mutex open_;  // shared by who runs something
  std::mutex mutex_;
  uint64_t next_name_ = 0;  // guarded by mutex_
  struct BytesHash {
    uint64_t operator()(const std::string& bytes) const { return base::Hash64(bytes); }
  };
  // Guarded by mutex_; by their bytes. Programs may ask for a graph for each shape of their values.
  base::RecentCache<std::string, std::shared_ptr<RemoteGraph>, BytesHash> graphs_{
      {.entries = 1024}};
  std::unique_ptr<net::Rpc> rpc_;
  std::unique_ptr<Roads> roads_;
  std::unique_ptr<Client> client_;
  std::unique_ptr<Dispatcher> dispatcher_;
  base::Timer keep_;
  std::unique_ptr<base::EventThread> thread_;
};

/// A variable on a server of a chief's cluster.
class ServerVariable : public runtime::PlacedVariable {
 public:
  explicit ServerVariable(std::shared_ptr<Chief> chief) : chief_(std::move(chief)) {}
  std::vector<Tensor> Run(const graph::Graph& graph,
                          const std::vector<Tensor>& arguments) override {
    return chief_->Run(graph, arguments, device);
  }
  Call Prepare(graph::Graph graph) override {
    const auto prepared = std::make_shared<Chief::Prepared>();
    prepared->graph = std::move(graph);
    prepared->device = device;
    return [chief = chief_, prepared](const std::vector<Tensor>& arguments) {
      return chief->Run(prepared.get(), arguments);
    };
  }

 private:
  const std::shared_ptr<Chief> chief_;
};

}  // namespace lockstep::remote
