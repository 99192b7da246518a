#include "remote/chief.h"

#include <algorithm>

#include "graph/placement.h"
#include "remote/beside_variables.h"
#include "remote/grpc_options.h"
#include "remote/wire.h"
#include "runtime/await.h"
#include "runtime/run_control.h"

namespace lockstep::remote {

namespace {

constexpr base::Duration kKeeping = std::chrono::seconds(30);
constexpr base::Duration kEnding = std::chrono::seconds(2);

thread_local bool on_own_thread = false;  // of any chief

std::string Hex(uint64_t number) {
  static constexpr char kDigits[] = "0123456789abcdef";
  std::string text;
  for (int shift = 60; shift >= 0; shift -= 4) text += kDigits[number >> shift & 15];
  return text;
}

}  // namespace

Chief::Chief(const std::vector<HelloAnswer::Task>& tasks, const ChiefOptions& options) {
  cluster_.tasks = tasks;
  Open(options);
  Begin(options);
}

Chief::Chief(const std::string& address, const ChiefOptions& options) {
  Open(options);
  try {
    cluster_ = AskFirst(address, options);
  } catch (...) {
    Close();
    throw;
  }
  Begin(options);
}

void Chief::Open(const ChiefOptions& options) {
  owner_ = Hex(randomness_.Next());
  thread_ = std::make_unique<base::EventThread>();
  Status status;
  runtime::RunOn(executor(), [&] {
    on_own_thread = true;
    auto rpc = net::MakeGrpcRpc(executor(), OptionsFor("127.0.0.1:0", options.trusted_network, ""));
    status = rpc.status();
    if (!rpc.ok()) return;
    rpc_ = std::move(*rpc);
    roads_ = std::make_unique<Roads>(*rpc_, thread_->loop(), randomness_);
    client_ = std::make_unique<Client>(*roads_, randomness_, owner_);
  });
  status.OrThrow();
}

// Asks again and again, as servers may come up later than the chief.
HelloAnswer Chief::AskFirst(const std::string& address, const ChiefOptions& options) {
  const auto end = executor().Now() + options.connecting;
  while (true) {
    Result<HelloAnswer> hello = Status(Code::kInternal, "[coordinator] not connected");
    runtime::AwaitOn(executor(), [&](const runtime::OnDone& done) {
      client_->Ask(address, [&hello, done](Result<HelloAnswer> answer) {
        hello = std::move(answer);
        done();
      });
    });
    if (hello.ok() || executor().Now() > end) return hello.OrThrow();
    runtime::AwaitOn(executor(), [&](const runtime::OnDone& done) {
      executor().PostAfter(std::chrono::milliseconds(50), done);
    });
  }
}

void Chief::Connect(const std::string& address, const std::string& what,
                    const ChiefOptions& options) {
  try {
    AskFirst(address, options);
  } catch (const Error& error) {
    throw Error(error.code(), "[coordinator] the servers of variables must be there; got none of " +
                                  what + " (" + error.status().message() +
                                  "); start it: lockstep serve, or Server(...).Join()");
  }
  if (!net::IsLocalAddress(address)) return;
  runtime::AwaitOn(executor(), [&](const runtime::OnDone& done) { roads_->Attach(address, done); });
}

void Chief::Begin(const ChiefOptions& options) {
  try {
    for (const HelloAnswer::Task& task : cluster_.tasks) {
      num_workers_ += task.job == "worker";
      if (task.job == "ps") servers_.push_back(TaskName(task.job, task.index) + kDevice);
    }
    if (servers_.empty() || num_workers_ == 0) {
      throw Error(Code::kInvalidArgument,
                  "[coordinator] a cluster must have tasks of the jobs ps and worker; got " +
                      std::to_string(servers_.size()) + " and " + std::to_string(num_workers_));
    }
    std::erase_if(cluster_.tasks, [](const HelloAnswer::Task& task) {
      return task.job != "ps" && task.job != "worker";
    });
    for (const HelloAnswer::Task& task : cluster_.tasks) {
      if (task.job == "ps") Connect(task.address, TaskName(task.job, task.index), options);
    }
  } catch (...) {
    Close();
    throw;
  }
  cluster_.job = "ps";
  cluster_.index = 0;
  DispatcherOptions dispatching;
  dispatching.patience = options.patience;
  dispatching.attach = [this](const std::string& address, std::function<void()> done) {
    net::IsLocalAddress(address) ? roads_->Attach(address, std::move(done)) : done();
  };
  runtime::RunOn(executor(), [&] {
    client_->SetCluster(cluster_);
    dispatcher_ = std::make_unique<Dispatcher>(*roads_, *client_, cluster_, dispatching);
    KeepAlive();
  });
}

// Servers free what a chief has made that they have not heard of for long.
void Chief::KeepAlive() {
  for (const HelloAnswer::Task& task : cluster_.tasks) {
    roads_->Call(task.address, kKeep, owner_, kKeeping, [](const Result<std::string>&) {});
  }
  keep_.StartAfter(executor(), kKeeping, [this] { KeepAlive(); });
}

Chief::~Chief() { Close(); }

// Who goes leaves no run open, and nothing behind.
void Chief::Close() {
  const std::unique_lock closed(open_);
  if (thread_ == nullptr) return;
  if (client_ != nullptr) {
    runtime::RunControl control;
    control.timeout = kEnding;
    control.deadline = runtime::RunControl::Clock::now() + kEnding;
    std::function<void()> told;
    const auto release = [&](const runtime::OnDone& done) {
      told = done;
      keep_.Stop();
      dispatcher_.reset();
      client_->WhenTold([this, done] {
        const auto waiting = std::make_shared<int>(1);
        const auto step = [waiting, done](const Result<std::string>&) {
          if (--*waiting == 0) done();
        };
        for (const HelloAnswer::Task& task : cluster_.tasks) {
          if (task.job != "ps" && task.job != "worker") continue;
          ++*waiting;
          roads_->Call(task.address, kRelease, owner_, kEnding, step);
        }
        step(std::string());
      });
    };
    runtime::AwaitOn(executor(), release, &control, [&](const Status&) { told(); });
  }
  runtime::RunOn(executor(), [this] {
    dispatcher_.reset();
    client_.reset();
    roads_.reset();
    rpc_.reset();
  });
  thread_.reset();
}

std::string Chief::WireName(const std::string& name) {
  const std::lock_guard lock(mutex_);
  return "@" + owner_ + "/" + std::to_string(next_name_++) + "/" + name;
}

std::shared_ptr<RemoteGraph> Chief::RegisteredFor(const graph::Graph& graph,
                                                  const std::string& device) {
  cluster::FieldWriter writer;
  PutGraph(graph, &writer).OrThrow();
  const std::string key = device + writer.Take();
  {
    const std::lock_guard lock(mutex_);
    if (auto known = graphs_.Find(key)) return known;
  }
  graph::Graph placed = graph;
  PlaceBesideVariables(&placed);
  graph::PlacementOptions options{.default_device = device};
  for (const HelloAnswer::Task& task : cluster_.tasks) {
    options.devices.push_back(TaskName(task.job, task.index) + kDevice);
  }
  graph::Place(&placed, options);
  Result<std::shared_ptr<RemoteGraph>> registered =
      Status(Code::kInternal, "[coordinator] not registered");
  runtime::AwaitOn(executor(), [&](const runtime::OnDone& done) {
    client_->Register(placed, RunMode::kSerializable,
                      [&registered, done](Result<std::shared_ptr<RemoteGraph>> given) {
                        registered = std::move(given);
                        done();
                      });
  });
  const std::shared_ptr<RemoteGraph> made = registered.OrThrow();
  const std::lock_guard lock(mutex_);
  if (auto known = graphs_.Find(key)) return known;  // another thread has come first
  graphs_.Insert(key, made);
  return made;
}

void Chief::RequireOpen() const {
  if (thread_ == nullptr || on_own_thread) {
    throw Error(Code::kFailedPrecondition,
                thread_ == nullptr
                    ? "[coordinator] variables of servers live as long as their coordinator; got "
                      "one whose coordinator has gone"
                    : "[coordinator] a function that is traced while it is given to a worker may "
                      "neither make nor run anything on servers; got one that does, as a batch has "
                      "another size than the first; let all batches have one size");
  }
}

std::vector<Tensor> Chief::Run(const graph::Graph& graph, const std::vector<Tensor>& arguments,
                               const std::string& device) {
  const std::shared_lock open(open_);
  RequireOpen();
  return Start(RegisteredFor(graph, device), arguments);
}

std::vector<Tensor> Chief::Run(Prepared* prepared, const std::vector<Tensor>& arguments) {
  const std::shared_lock open(open_);
  RequireOpen();
  std::shared_ptr<RemoteGraph> graph;
  {
    const std::lock_guard lock(prepared->mutex);
    graph = prepared->registered.lock();
    if (graph == nullptr)
      prepared->registered = graph = RegisteredFor(prepared->graph, prepared->device);
  }
  return Start(graph, arguments);
}

std::vector<Tensor> Chief::Start(const std::shared_ptr<RemoteGraph>& graph,
                                 const std::vector<Tensor>& arguments) {
  Result<std::vector<Tensor>> results = Status(Code::kInternal, "[coordinator] not run");
  const Asker asker = Asker::Current();
  runtime::AwaitOn(executor(), [&](const runtime::OnDone& done) {
    const auto ended = [&results, done](Result<std::vector<Tensor>> given) {
      results = std::move(given);
      done();
    };
    client_->Start(graph, arguments, ended, asker);
  });
  return results.OrThrow();
}

}  // namespace lockstep::remote
