#include "remote/client.h"

#include <algorithm>
#include <set>

#include "graph/partition.h"
#include "lockstep/graph/device.h"
#include "remote/wire.h"
#include "runtime/body_tracer.h"

namespace lockstep::remote {

namespace {

constexpr base::Duration kLongest = std::chrono::hours(24);
constexpr base::Duration kConnecting = std::chrono::seconds(10);
constexpr base::Duration kAnswering = std::chrono::seconds(1);
constexpr base::Duration kBetweenTellings = std::chrono::milliseconds(100);  // two attempts to tell
// Servers give a run up that waits for others while its client says nothing for some of these.
constexpr base::Duration kSignOfLife = std::chrono::seconds(3);

constexpr char kLost[] = "[session] the tasks of a run must live; got ";
constexpr char kWasLost[] = ", which was lost";

bool Holds(const graph::Graph& graph, RunMode mode) {
  if (mode == RunMode::kLate) {
    runtime::ResourceSet writes;
    runtime::CollectWrites(graph, &writes);
    return !writes.empty();
  }
  return std::any_of(graph.nodes().begin(), graph.nodes().end(), [](const graph::Node& node) {
    return std::any_of(node.outputs.begin(), node.outputs.end(),
                       [](const ops::TensorType& type) { return type.dtype == DType::kResource; });
  });
}

}  // namespace

struct Client::Run {
  std::shared_ptr<RemoteGraph> graph;
  std::vector<Tensor> feeds;
  std::function<void(Outcome)> done;
  bool may_be_done_again = false;
  RunOrder order;
  uint64_t number = 0;  // of the attempt
  size_t waiting = 0;   // parts that have not answered
  bool again = false;
  std::vector<Tensor> results;
  Asker asker;
  std::vector<runtime::RaceFinding> findings;
  base::Timer pause;
  int attempts = 0;
};

Client::Client(net::Rpc& rpc, base::Randomness& randomness, std::string owner)
    : rpc_(rpc),
      randomness_(randomness),
      nonce_(randomness.Next() << 32),
      owner_(owner.empty() ? std::to_string(nonce_) : std::move(owner)) {}

Client::~Client() = default;

void Client::Connect(const std::string& address, std::function<void(Result<HelloAnswer>)> done) {
  Ask(address, [this, done = std::move(done)](Result<HelloAnswer> hello) {
    if (hello.ok()) cluster_ = *hello;
    done(std::move(hello));
  });
}

void Client::Ask(const std::string& address, std::function<void(Result<HelloAnswer>)> done) {
  const auto answered = [alive = std::weak_ptr<int>(alive_), address,
                         done = std::move(done)](const Result<std::string>& answer) {
    if (alive.expired()) return;
    if (!answer.ok()) {
      const Code code = answer.status().code();
      done(Status(code == Code::kDeadlineExceeded ? Code::kUnavailable : code,
                  "[session] a server must be there; got none at " + address + ": " +
                      answer.status().message()));
      return;
    }
    done(HelloAnswer::Read(*answer));
  };
  rpc_.Call(address, kHello, "", kConnecting, answered);
}

void Client::Register(const graph::Graph& whole, RunMode mode, OnGraph done) {
  graph::Graph graph = whole;
  for (int id = 0; id < graph.num_nodes(); ++id) {
    DeviceSpec device = DeviceSpec::Parse(graph.node(id).device).OrThrow();
    device.type.reset();
    device.index.reset();
    graph.node(id).device = device.ToString();
  }
  auto remote = std::make_shared<RemoteGraph>();
  remote->num_results = graph.results().size();
  remote->mode = mode;
  int holders = 0;
  const std::string own = TaskName(cluster_.job, cluster_.index);
  for (auto& [task, part] : graph::PartitionByDevice(graph, own)) {
    const auto place = std::find_if(cluster_.tasks.begin(), cluster_.tasks.end(),
                                    [&, name = task](const HelloAnswer::Task& one) {
                                      return TaskName(one.job, one.index) == name;
                                    });
    if (place == cluster_.tasks.end()) {
      done(Status(Code::kInternal, "[session] ops are on tasks of the cluster; got " + task));
      return;
    }
    holders += Holds(part.graph, mode);
    cluster::FieldWriter writer;
    writer.PutText(owner_);
    const Status status = PutGraph(part.graph, &writer);
    if (!status.ok()) {
      done(status);
      return;
    }
    remote->parts.push_back(
        {task, place->address, writer.Take(), 0, part.parameters, part.results});
  }
  remote->one_holder = holders <= 1;
  if (remote->parts.empty()) {
    done(remote);
    return;
  }
  struct Waiting {
    size_t parts;
    OnGraph done;
  };
  auto waiting = std::make_shared<Waiting>(Waiting{remote->parts.size(), std::move(done)});
  for (size_t i = 0; i < remote->parts.size(); ++i) {
    const auto answered = [this, alive = std::weak_ptr<int>(alive_), remote, waiting,
                           i](const Result<std::string>& answer) {
      if (alive.expired() || waiting->done == nullptr) return;
      RemoteGraph::Part& part = remote->parts[i];
      if (!answer.ok()) {
        std::exchange(waiting->done, nullptr)(Lost(part, answer.status()));
        return;
      }
      cluster::FieldReader reader(*answer);
      part.handle = reader.Take<uint64_t>();
      if (--waiting->parts == 0) std::exchange(waiting->done, nullptr)(remote);
    };
    rpc_.Call(remote->parts[i].address, kRegister, remote->parts[i].bytes, kLongest, answered);
  }
}

std::string Client::LostTaskIn(const Status& status) {
  const std::string& text = status.message();
  if (!text.starts_with(kLost)) return "";
  const size_t begin = std::char_traits<char>::length(kLost);
  return text.substr(begin, text.find(' ', begin) - begin);
}

Status Client::NeverThere(const Status& status) {
  const std::string& text = status.message();
  return Status(status.code(), text.substr(0, text.find(kWasLost)) +
                                   ", which has not been there yet; start the task, or wait longer "
                                   "for it (SessionOptions::patience)");
}

// One text for all clients, whichever call has noticed it.
Status Client::Lost(const RemoteGraph::Part& part, const Status& status) const {
  if (status.code() != Code::kUnavailable && status.code() != Code::kDeadlineExceeded) {
    return status;
  }
  return Status(Code::kUnavailable,
                kLost + part.task + " at " + part.address + kWasLost +
                    "; what the run has written elsewhere is taken back; start the task again");
}

uint64_t Client::Start(const std::shared_ptr<RemoteGraph>& graph, const std::vector<Tensor>& feeds,
                       OnResults done, Asker asker) {
  auto run = std::make_unique<Run>();
  run->asker = std::move(asker);
  run->graph = graph;
  run->done = [done = std::move(done)](Outcome outcome) { done(std::move(outcome.results)); };
  return Begin(std::move(run), feeds);
}

uint64_t Client::Carry(const std::shared_ptr<RemoteGraph>& graph, const std::vector<Tensor>& feeds,
                       std::function<void(Outcome)> done, Asker asker) {
  auto run = std::make_unique<Run>();
  run->asker = std::move(asker);
  run->graph = graph;
  run->done = std::move(done);
  run->may_be_done_again = true;
  return Begin(std::move(run), feeds);
}

uint64_t Client::Begin(std::unique_ptr<Run> run, const std::vector<Tensor>& feeds) {
  const uint64_t id = nonce_ + ++next_number_;
  run->feeds = feeds;
  run->order = {++timestamp_, id};
  runs_[id] = std::move(run);
  Send(id);
  return id;
}

// What ends by itself can't be asked how it has ended.
bool Client::Alone(const Run& run) {
  return run.graph->parts.size() == 1 && !run.may_be_done_again;
}

void Client::Send(uint64_t id) {
  Run& run = *runs_.at(id);
  run.number = nonce_ + ++next_number_;
  run.again = false;
  run.findings.clear();
  run.results.assign(run.graph->num_results, Tensor());
  run.waiting = run.graph->parts.size();
  ++run.attempts;
  if (run.waiting == 0) {
    rpc_.executor().Post([this, alive = std::weak_ptr<int>(alive_), id] {
      if (!alive.expired() && runs_.contains(id)) End(id, {runs_.at(id)->results}, true);
    });
    return;
  }
  for (size_t i = 0; i < run.graph->parts.size(); ++i) {
    const RemoteGraph::Part& part = run.graph->parts[i];
    RunRequest request;
    request.graph = part.handle;
    request.number = run.number;
    request.order = run.order;
    request.alone = Alone(run);
    request.holds_alone = run.graph->one_holder;
    request.relaxed = run.graph->mode == RunMode::kRelaxed;
    request.late = run.graph->mode == RunMode::kLate;
    for (const RemoteGraph::Part& other : run.graph->parts) {
      if (&other != &part) request.others.push_back(other.address);
    }
    request.finishes = untold_[part.address];
    request.asker = run.asker;
    for (int parameter : part.parameters) request.feeds.push_back(run.feeds[parameter]);
    const auto answered = [this, alive = std::weak_ptr<int>(alive_), id, number = run.number,
                           i](const Result<net::Parcel>& answer) {
      if (!alive.expired()) Answered(id, number, i, answer);
    };
    rpc_.CallParcel(part.address, kRun, request.Write(), kLongest, answered);
  }
  if (!shows_life_) ShowLife();
}

// Says to the servers of runs that their client lives, for as long as there are any.
void Client::ShowLife() {
  shows_life_ = true;
  life_.StartAfter(rpc_.executor(), kSignOfLife, [this] {
    std::set<std::string> addresses;
    for (const auto& [id, run] : runs_) {
      for (const RemoteGraph::Part& part : run->graph->parts) addresses.insert(part.address);
    }
    for (const std::string& address : addresses) {
      rpc_.Call(address, kKeep, owner_, kAnswering, [](const Result<std::string>&) {});
    }
    shows_life_ = !addresses.empty();
    if (shows_life_) ShowLife();
  });
}

void Client::Answered(uint64_t id, uint64_t number, size_t index,
                      const Result<net::Parcel>& parcel) {
  const auto place = runs_.find(id);
  if (place == runs_.end() || place->second->number != number) return;  // it is over
  Run& run = *place->second;
  const RemoteGraph::Part& part = run.graph->parts[index];
  if (!parcel.ok()) {
    const Status status = Lost(part, parcel.status());
    End(id, {status, status.code() == Code::kUnavailable ? part.task : ""}, false);
    return;
  }
  Result<RunAnswer> answer = RunAnswer::Read(*parcel);
  if (!answer.ok()) {
    End(id, {answer.status()}, false);
    return;
  }
  timestamp_ = std::max(timestamp_, answer->timestamp);
  if (answer->released) {
    Renew(id, number, index);
    return;
  }
  if (answer->again) {
    Again(id);
    return;
  }
  run.findings.insert(run.findings.end(), answer->findings.begin(), answer->findings.end());
  const Status& status = answer->status;
  if (!status.ok()) {
    // A value that cannot be sent: its receiver is lost.
    const bool lost = status.code() == Code::kUnavailable;
    const auto receiver = std::find_if(
        run.graph->parts.begin(), run.graph->parts.end(), [&](const RemoteGraph::Part& other) {
          return status.message().find("(" + other.task + " at ") != std::string::npos;
        });
    if (lost && receiver != run.graph->parts.end()) {
      End(id, {Lost(*receiver, status), receiver->task}, false);
    } else {
      End(id, {status, answer->forgotten ? part.task : "", answer->forgotten}, false);
    }
    return;
  }
  for (size_t i = 0; i < part.results.size() && i < answer->results.size(); ++i) {
    run.results[part.results[i]] = std::move(answer->results[i]);
  }
  if (--run.waiting == 0) End(id, {std::move(run.results)}, true);
}

// The server has freed the graph, as it had not heard of this client for long: the run goes on with
// a new one.
void Client::Renew(uint64_t id, uint64_t number, size_t index) {
  const std::shared_ptr<RemoteGraph> graph = runs_.at(id)->graph;
  const RemoteGraph::Part& part = graph->parts[index];
  const auto answered = [this, alive = std::weak_ptr<int>(alive_), id, number, graph,
                         index](const Result<std::string>& answer) {
    if (alive.expired()) return;
    RemoteGraph::Part& renewed = graph->parts[index];
    const Result<uint64_t> handle = answer.ok() ? ReadNumber(*answer) : answer.status();
    if (handle.ok()) renewed.handle = *handle;
    const auto place = runs_.find(id);
    if (place == runs_.end() || place->second->number != number) return;  // it is over
    if (handle.ok()) return Again(id);
    const Status status = Lost(renewed, handle.status());
    End(id, {status, status.code() == Code::kUnavailable ? renewed.task : ""}, false);
  };
  rpc_.Call(part.address, kRegister, part.bytes, kLongest, answered);
}

// Gives back what the attempt has, and tries again as the same run, which grows older.
void Client::Again(uint64_t id) {
  Run& run = *runs_.at(id);
  ++num_retries_;
  for (const RemoteGraph::Part& part : run.graph->parts) Tell(part.address, {run.number, false});
  run.number = 0;
  const uint64_t most =
      std::min<uint64_t>(20'000'000, uint64_t{200'000} << std::min(run.attempts, 8));
  const auto pause = base::Duration(static_cast<int64_t>(randomness_.Below(most)));
  run.pause.StartAfter(rpc_.executor(), pause, [this, id] { Send(id); });
}

void Client::End(uint64_t id, Outcome outcome, bool commits) {
  const auto place = runs_.find(id);
  const std::unique_ptr<Run> run = std::move(place->second);
  runs_.erase(place);
  const Status told = TellFindings(run->findings);
  if (!outcome.results.ok() && !told.ok()) outcome.results = told;  // says more
  const bool waits = run->may_be_done_again && !outcome.lost.empty();
  struct Ending {
    Outcome outcome;
    std::function<void(Outcome)> done;
    int waiting = 1;
    void Step() {
      if (--waiting == 0) std::exchange(done, nullptr)(std::move(outcome));
    }
  };
  const std::string lost = outcome.lost;
  const auto ending = std::make_shared<Ending>(Ending{std::move(outcome), std::move(run->done)});
  for (const RemoteGraph::Part& part : run->graph->parts) {
    if (run->number == 0 || (Alone(*run) && commits)) continue;
    if (!waits || part.task == lost) {
      Tell(part.address, {run->number, commits});
      continue;
    }
    ++ending->waiting;
    Tell(part.address, {run->number, commits}, [ending, task = part.task](Result<Fate> fate) {
      if (!fate.ok()) ending->outcome.unknown = task;
      if (fate.ok() && *fate == Fate::kCommitted) ending->outcome.written = true;
      ending->Step();
    });
  }
  ending->Step();
}

void Client::Cancel(uint64_t id, const Status& status) {
  if (runs_.contains(id)) End(id, {status}, false);
}

// Until it is acknowledged, every request to the task says it, too, so that a later run of this
// client never meets what an earlier one has left.
void Client::Tell(const std::string& address, Finish finish, OnFate told) {
  untold_[address].push_back(finish);
  TellNow(address, finish, 0, told);
}

void Client::WhenTold(std::function<void()> done) {
  told_ = std::move(done);
  SayIfTold();
}

void Client::SayIfTold() {
  for (const auto& [address, finishes] : untold_) {
    if (!finishes.empty()) return;
  }
  if (told_ != nullptr) std::exchange(told_, nullptr)();
}

void Client::TellNow(const std::string& address, Finish finish, int attempt, const OnFate& told) {
  constexpr int kMost = 8;
  const auto answered = [this, alive = std::weak_ptr<int>(alive_), address, finish, attempt,
                         told](const Result<std::string>& answer) {
    if (alive.expired()) return;
    if (!answer.ok() && attempt < kMost) {
      rpc_.executor().PostAfter(kBetweenTellings, [this, alive, address, finish, attempt, told] {
        if (!alive.expired()) TellNow(address, finish, attempt + 1, told);
      });
      return;
    }
    std::erase_if(untold_[address], [&](const Finish& one) { return one.number == finish.number; });
    if (told != nullptr) {
      const auto fates = answer.ok() ? ReadFates(*answer) : answer.status();
      told(fates.ok() && fates->size() == 1
               ? Result<Fate>((*fates)[0])
               : Status(Code::kUnavailable, "[session] a task must say how a run has ended"));
    }
    SayIfTold();
  };
  rpc_.Call(address, kFinish, WriteFinishes({finish}), kAnswering, answered);
}

}  // namespace lockstep::remote
