// Sessions whose target is a cluster: "lockstep://host:port" of any of its servers.

#include <algorithm>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <utility>

#include "base/log.h"
#include "base/randomness.h"
#include "graph/partition.h"
#include "graph/placement.h"
#include "lockstep/graph/device.h"
#include "remote/client.h"
#include "remote/grpc_options.h"
#include "remote/roads.h"
#include "remote/staged_run.h"
#include "remote/stages.h"
#include "runtime/graph_builder.h"
#include "runtime/graph_export.h"
#include "runtime/host_ops.h"
#include "runtime/loop_driver.h"
#include "runtime/random_streams.h"
#include "runtime/session_callable.h"
#include "runtime/session_target.h"
#include "runtime/waiting.h"

namespace lockstep::remote {

namespace {

using Clock = std::chrono::steady_clock;
constexpr auto kBetweenAttempts = std::chrono::milliseconds(50);
constexpr auto kSilence = std::chrono::seconds(3);  // before it is said who is waited for

// Tasks of a cluster start in any order: who comes first waits, and says for whom.
class Patience {
 public:
  Patience(runtime::LoopDriver& driver, std::chrono::nanoseconds length)
      : driver_(driver), length_(length) {}

  // Whether to try again after `status`. Throws where `control` ends what waits.
  bool Waits(const Status& status, const runtime::RunControl& control = {}) {
    control.Check().OrThrow();
    if (status.code() != Code::kUnavailable) return false;
    const auto waited = Clock::now() - begin_;
    if (waited >= length_) return false;
    if (!said_ && waited >= kSilence) {
      said_ = true;
      base::Log(base::Severity::kWarning,
                "[session] waiting for a task (" + status.message() + ")");
    }
    runtime::LookWhileWaiting();
    driver_.Await(
        [this](const runtime::OnDone& done) { driver_.loop().PostAfter(kBetweenAttempts, done); });
    return true;
  }

 private:
  runtime::LoopDriver& driver_;
  const std::chrono::nanoseconds length_;
  const Clock::time_point begin_ = Clock::now();
  bool said_ = false;
};

// A client, and the loop that whoever waits for it runs.
class Connection {
 public:
  Connection(const std::string& address, const SessionOptions& options) {
    Patience patience(driver_, options.patience);
    Result<HelloAnswer> hello = Connect(address, options.trusted_network);
    while (!hello.ok() && patience.Waits(hello.status())) hello = Ask(address);
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
  // All tasks forget what they keep.
  void Reset() {
    Status status;
    driver_.Await([&](const runtime::OnDone& done) {
      TellAll(kReset, [&status, done](const Status& told) {
        status = told;
        done();
      });
    });
    status.OrThrow();
  }

 private:
  Result<HelloAnswer> Connect(const std::string& address, bool trusted_network) {
    Status opened;
    driver_.Run([&] {
      auto rpc = net::MakeGrpcRpc(driver_.loop(), OptionsFor("127.0.0.1:0", trusted_network, ""));
      opened = rpc.status();
      if (!rpc.ok()) return;
      rpc_ = std::move(*rpc);
      roads_ = std::make_unique<Roads>(*rpc_, driver_.loop(), randomness_);
      client_ = std::make_unique<Client>(*roads_, randomness_);
    });
    if (!opened.ok()) return opened;
    return Ask(address);
  }

  Result<HelloAnswer> Ask(const std::string& address) {
    Result<HelloAnswer> hello = Status(Code::kInternal, "[session] not connected");
    driver_.Await([&](const runtime::OnDone& done) {
      client_->Connect(address, [&hello, done](Result<HelloAnswer> answer) {
        hello = std::move(answer);
        done();
      });
    });
    return hello;
  }

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
    TellAll(kRelease, [done](const Status&) { done(); });
  }

  // Calls `done` when all tasks have answered, with the first error.
  void TellAll(const char* method, const std::function<void(const Status&)>& done) {
    const auto failed = std::make_shared<Status>();
    const auto waiting = std::make_shared<int>(1);
    const auto step = [waiting, failed, done](const Result<std::string>& answer) {
      if (!answer.ok() && failed->ok()) *failed = answer.status();
      if (--*waiting == 0) done(*failed);
    };
    for (const HelloAnswer::Task& task : cluster_.tasks) {
      ++*waiting;
      roads_->Call(task.address, method, client_->owner(), std::chrono::seconds(2), step);
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
            size_t num_fetches, graph::Graph part, std::string own_device)
      : connection_(std::move(connection)),
        graph_(std::move(graph)),
        num_fetches_(num_fetches),
        part_(std::move(part)),
        own_device_(std::move(own_device)) {}

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

  std::vector<RunMetadata::PartitionGraph> PartitionGraphs() const override {
    std::vector<RunMetadata::PartitionGraph> partitions;
    for (const auto& [device, one] : graph::PartitionByDevice(part_, own_device_))
      partitions.push_back(runtime::ExportPartition(device, one.graph));
    return partitions;
  }

 private:
  const std::shared_ptr<Connection> connection_;
  const std::shared_ptr<RemoteGraph> graph_;
  const size_t num_fetches_;
  const graph::Graph part_;
  const std::string own_device_;
};

// What compiles for the servers; runs in stages outlive their session's target.
class Servers {
 public:
  Servers(const std::string& address, const SessionOptions& options)
      : connection_(std::make_shared<Connection>(address, options)), options_(options) {}

  graph::PlacementOptions devices() const {
    const HelloAnswer& cluster = connection_->cluster();
    graph::PlacementOptions placement{
        .default_device = TaskName(cluster.job, cluster.index) + "/device:CPU:0",
        .soft = options_.soft_placement};
    for (const HelloAnswer::Task& task : cluster.tasks) {
      const std::string device = TaskName(task.job, task.index) + "/device:CPU:0";
      if (device == placement.default_device || IsWanted(device))
        placement.devices.push_back(device);
    }
    return placement;
  }

  std::shared_ptr<runtime::SessionRun> Compile(const graph::Graph& part, size_t num_fetches,
                                               runtime::SessionMode mode,
                                               const runtime::RunControl& control) {
    Patience patience(connection_->driver(), options_.patience);
    Result<std::shared_ptr<RemoteGraph>> graph = Register(part, mode, control);
    while (!graph.ok()) {
      const std::string lost = Client::LostTaskIn(graph.status());
      if (!lost.empty() && !Known(lost)) graph = Client::NeverThere(graph.status());
      if (Known(lost) || !patience.Waits(graph.status(), control)) break;
      graph = Register(part, mode, control);
    }
    if (graph.ok()) {
      const std::lock_guard lock(mutex_);
      for (const RemoteGraph::Part& one : (*graph)->parts) known_.insert(one.task);
    }
    return std::make_shared<RemoteRun>(connection_, graph.OrThrow(), num_fetches, part,
                                       devices().default_device);
  }

  void Reset() { connection_->Reset(); }
  const std::string& owner() const { return connection_->client().owner(); }

 private:
  bool IsWanted(const std::string& device) const {
    const DeviceSpec spec = DeviceSpec::Parse(device).OrThrow();
    return options_.device_filters.empty() ||
           std::any_of(options_.device_filters.begin(), options_.device_filters.end(),
                       [&](const std::string& filter) {
                         return DeviceSpec::Parse(filter).OrThrow().Matches(spec);
                       });
  }

  Result<std::shared_ptr<RemoteGraph>> Register(const graph::Graph& part, runtime::SessionMode mode,
                                                const runtime::RunControl& control) {
    // The answer of a server that is silent may come when nobody waits for it any more.
    struct Asked {
      Result<std::shared_ptr<RemoteGraph>> graph =
          Status(Code::kInternal, "[session] not compiled");
      runtime::OnDone done;
      void Give(Result<std::shared_ptr<RemoteGraph>> given) {
        if (done == nullptr) return;
        graph = std::move(given);
        std::exchange(done, nullptr)();
      }
    };
    const auto asked = std::make_shared<Asked>();
    // A run that waits for another one must not keep variables meanwhile that this one needs.
    const bool relaxed = mode.consistency == Consistency::kRelaxed || runtime::MayWait(part);
    connection_->driver().Await(
        [&](const runtime::OnDone& done) {
          asked->done = done;
          connection_->client().Register(part, relaxed ? RunMode::kRelaxed : RunMode::kSerializable,
                                         [asked](Result<std::shared_ptr<RemoteGraph>> given) {
                                           asked->Give(std::move(given));
                                         });
        },
        &control, [asked](const Status& status) { asked->Give(status); });
    return std::move(asked->graph);
  }

  bool Known(const std::string& task) {
    const std::lock_guard lock(mutex_);
    return known_.contains(task);
  }

  const std::shared_ptr<Connection> connection_;
  const SessionOptions options_;
  std::mutex mutex_;
  std::set<std::string> known_;  // tasks that have been there; guarded by mutex_
};

class RemoteTarget : public runtime::SessionTarget {
 public:
  RemoteTarget(const std::string& address, const SessionOptions& options)
      : servers_(std::make_shared<Servers>(address, options)) {}

  graph::PlacementOptions devices() const override { return servers_->devices(); }

  std::shared_ptr<runtime::SessionRun> Compile(const graph::Graph& given, size_t num_fetches,
                                               runtime::SessionMode mode,
                                               const runtime::RunControl& control) override {
    runtime::RequireRunnable(given, mode.consistency);
    const graph::Graph part =
        runtime::WithResources(given, [this](const Tensor& handle) { return StreamFor(handle); });
    if (!NeedsThisProcess(part)) return servers_->Compile(part, num_fetches, mode, control);
    const auto compile = [servers = servers_, mode](const graph::Graph& stage, size_t results,
                                                    const runtime::RunControl& asking) {
      graph::Graph placed = stage;
      graph::Place(&placed, servers->devices());
      return servers->Compile(placed, results, mode, asking);
    };
    return MakeStagedRun(part, num_fetches, compile);
  }

  void Reset() override { servers_->Reset(); }

 private:
  // How far a random op's stream has come is kept on its server, for this session: a variable that
  // begins where the op was made.
  Tensor StreamFor(const Tensor& handle) {
    auto* stream = dynamic_cast<runtime::VariableCell*>(handle.object().get());
    if (stream == nullptr || !runtime::IsRandomStream(*stream)) return Tensor();
    const std::lock_guard lock(mutex_);
    auto& [kept, named] = streams_[stream];
    if (!named.defined()) {
      kept = handle;
      auto variable = std::make_shared<runtime::GraphVariable>();
      variable->name =
          "@" + servers_->owner() + "/" + stream->name() + "/" + std::to_string(streams_.size());
      variable->trainable = false;
      variable->begins_with = stream->Read();
      named = Tensor::FromObject(std::move(variable), DType::kResource, handle.shape(),
                                 handle.element_dtype());
    }
    return named;
  }

  const std::shared_ptr<Servers> servers_;
  std::mutex mutex_;
  std::map<const runtime::VariableCell*, std::pair<Tensor, Tensor>> streams_;  // kept, named
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
