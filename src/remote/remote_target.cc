// Sessions whose target is a cluster: "lockstep://host:port" of any of its servers.

#include <memory>

#include "base/randomness.h"
#include "graph/partition.h"
#include "remote/client.h"
#include "remote/grpc_options.h"
#include "remote/roads.h"
#include "runtime/graph_dot.h"
#include "runtime/loop_driver.h"
#include "runtime/session_callable.h"
#include "runtime/session_target.h"

namespace lockstep::remote {

namespace {

// A client, and the loop that whoever waits for it runs.
class Connection {
 public:
  Connection(const std::string& address, bool trusted_network) {
    Result<HelloAnswer> hello = Status(Code::kInternal, "[session] not connected");
    driver_.Await([&](const runtime::OnDone& done) {
      auto rpc = net::MakeGrpcRpc(driver_.loop(), OptionsFor("127.0.0.1:0", trusted_network, ""));
      if (!rpc.ok()) {
        hello = rpc.status();
        done();
        return;
      }
      rpc_ = std::move(*rpc);
      roads_ = std::make_unique<Roads>(*rpc_, driver_.loop(), randomness_);
      client_ = std::make_unique<Client>(*roads_, randomness_);
      client_->Connect(address, [&hello, done](Result<HelloAnswer> answer) {
        hello = std::move(answer);
        done();
      });
    });
    if (!hello.ok()) {
      Close();
      hello.status().OrThrow();
    }
    cluster_ = *hello;
    for (const HelloAnswer::Task& task : cluster_.tasks) {
      if (!net::IsLocalAddress(task.address)) continue;
      driver_.Await([&](const runtime::OnDone& done) { roads_->Attach(task.address, done); });
    }
  }
  ~Connection() { Close(); }

  runtime::LoopDriver& driver() { return driver_; }
  Client& client() { return *client_; }
  const HelloAnswer& cluster() const { return cluster_; }

 private:
  // Who goes leaves no run open.
  void Close() {
    runtime::RunControl control;
    control.begin = runtime::RunControl::Clock::now();
    control.deadline = control.begin + std::chrono::seconds(2);
    if (client_ != nullptr) {
      std::function<void()> told;
      driver_.Await(
          [&](const runtime::OnDone& done) {
            told = done;
            client_->WhenTold([this, done] { Release(done); });
          },
          &control, [&](const Status&) { told(); });
    }
    driver_.Run([this] {
      client_.reset();
      roads_.reset();
      rpc_.reset();
    });
  }

  // The servers free the graphs; the variables are all sessions'.
  void Release(const runtime::OnDone& done) {
    const auto waiting = std::make_shared<int>(1);
    const auto step = [waiting, done](const Result<std::string>&) {
      if (--*waiting == 0) done();
    };
    for (const HelloAnswer::Task& task : cluster_.tasks) {
      ++*waiting;
      roads_->Call(task.address, kRelease, client_->owner(), std::chrono::seconds(2), step);
    }
    step(std::string());
  }

  runtime::LoopDriver driver_;
  base::SystemRandomness randomness_;
  std::unique_ptr<net::Rpc> rpc_;
  std::unique_ptr<Roads> roads_;
  std::unique_ptr<Client> client_;
  HelloAnswer cluster_;
};

class RemoteRun : public runtime::SessionRun {
 public:
  RemoteRun(std::shared_ptr<Connection> connection, std::shared_ptr<RemoteGraph> graph,
            size_t num_fetches, std::vector<RunMetadata::PartitionGraph> partitions)
      : connection_(std::move(connection)),
        graph_(std::move(graph)),
        num_fetches_(num_fetches),
        partitions_(std::move(partitions)) {}

  std::vector<Tensor> Run(std::span<const Tensor> feeds, runtime::RunControl& control,
                          RunMetadata*) override {
    control.Check().OrThrow();
    Result<std::vector<Tensor>> results = Status(Code::kInternal, "[session] not run");
    uint64_t run = 0;
    const Asker asker = Asker::Current();
    const std::vector<Tensor> values(feeds.begin(), feeds.end());
    connection_->driver().Await(
        [&](const runtime::OnDone& done) {
          run = connection_->client().Start(
              graph_, values,
              [&results, done](Result<std::vector<Tensor>> given) {
                results = std::move(given);
                done();
              },
              asker);
        },
        &control, [&](const Status& status) { connection_->client().Cancel(run, status); });
    std::vector<Tensor> fetched = results.OrThrow();
    fetched.resize(num_fetches_);
    return fetched;
  }

  std::vector<RunMetadata::PartitionGraph> PartitionGraphs() const override { return partitions_; }

 private:
  const std::shared_ptr<Connection> connection_;
  const std::shared_ptr<RemoteGraph> graph_;
  const size_t num_fetches_;
  const std::vector<RunMetadata::PartitionGraph> partitions_;
};

class RemoteTarget : public runtime::SessionTarget {
 public:
  RemoteTarget(const std::string& address, const SessionOptions& options)
      : connection_(std::make_shared<Connection>(address, options.trusted_network)),
        options_(options) {}

  graph::PlacementOptions devices() const override {
    const HelloAnswer& cluster = connection_->cluster();
    graph::PlacementOptions placement{
        .default_device = TaskName(cluster.job, cluster.index) + "/device:CPU:0",
        .soft = options_.soft_placement};
    for (const HelloAnswer::Task& task : cluster.tasks) {
      placement.devices.push_back(TaskName(task.job, task.index) + "/device:CPU:0");
    }
    return placement;
  }

  std::shared_ptr<runtime::SessionRun> Compile(const graph::Graph& part, size_t num_fetches,
                                               runtime::SessionMode mode) override {
    runtime::RequireRunnable(part, mode.consistency);
    Result<std::shared_ptr<RemoteGraph>> graph = Status(Code::kInternal, "[session] not compiled");
    connection_->driver().Await([&](const runtime::OnDone& done) {
      const bool relaxed = mode.consistency == Consistency::kRelaxed;
      connection_->client().Register(part, relaxed ? RunMode::kRelaxed : RunMode::kSerializable,
                                     [&graph, done](Result<std::shared_ptr<RemoteGraph>> given) {
                                       graph = std::move(given);
                                       done();
                                     });
    });
    std::vector<RunMetadata::PartitionGraph> partitions;
    for (const auto& [device, one] : graph::PartitionByDevice(part, devices().default_device)) {
      partitions.push_back({device, runtime::GraphToDot(one.graph, device)});
    }
    return std::make_shared<RemoteRun>(connection_, graph.OrThrow(), num_fetches,
                                       std::move(partitions));
  }

 private:
  const std::shared_ptr<Connection> connection_;
  const SessionOptions options_;
};

const runtime::RegisterSessionOpener kLockstep(
    "lockstep",
    [](const std::string& target,
       const SessionOptions& options) -> std::unique_ptr<runtime::SessionTarget> {
      return std::make_unique<RemoteTarget>(target.substr(std::string("lockstep://").size()),
                                            options);
    });

}  // namespace

}  // namespace lockstep::remote
