#include "remote/worker.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

#include "base/hash.h"
#include "base/log.h"
#include "base/shared_team.h"
#include "remote/part_ops.h"
#include "remote/snapshot_reads.h"
#include "remote/wire.h"
#include "remote/wire_origins.h"
#include "runtime/body_tracer.h"
#include "runtime/compiled.h"
#include "runtime/host_ops.h"
#include "runtime/program.h"
#include "runtime/run_control.h"
#include "runtime/shared_object.h"
#include "tensor/origins.h"

namespace lockstep::remote {

namespace {

constexpr int kRemembered = 6;  // times the patience: ends of runs
// Signs of life may wait to be read, behind an op that has taken long.
constexpr base::Duration kUnread = std::chrono::seconds(1);
constexpr size_t kTogether = 64 << 10;  // bytes of values that wait for others to the same task

Status NoGraph(const WorkerOptions& options) {
  return Status(Code::kAborted,
                "[remote] a server knows the graphs that were registered with it; got one that " +
                    TaskName(options.job, options.index) +
                    " does not know: it was started again, and its variables are without values; "
                    "run their initializers, or restore them");
}

Status FeedsFit(const graph::Graph& graph, const std::vector<Tensor>& feeds) {
  const auto& parameters = graph.parameters();
  bool fits = parameters.size() == feeds.size();
  for (size_t i = 0; fits && i < feeds.size(); ++i) {
    const ops::TensorType& type = graph.type(parameters[i]);
    fits = type.dtype == feeds[i].dtype() && type.shape.CompatibleWith(feeds[i].shape());
  }
  if (fits) return Status::Ok();
  return Status(Code::kInvalidArgument, "[remote] a run feeds what its graph takes; got " +
                                            std::to_string(feeds.size()) +
                                            " values of other types for " +
                                            std::to_string(parameters.size()) + " parameters");
}

// A part that holds its variables late: what it reads before its first write, and what it never
// writes, gets the values of one moment.
struct LatePart {
  explicit LatePart(SnapshotReads reads)
      : snapshots(std::move(reads.cells)), program(reads.graph) {}
  std::vector<std::shared_ptr<runtime::VariableCell>> snapshots;
  runtime::Program program;
};

// A part that meets no other: what it never writes is read where it lies.
struct AlonePart {
  explicit AlonePart(SnapshotReads reads)
      : snapshots(std::move(reads.cells)), compiled(reads.graph) {
    compiled.UndoFailures();
  }
  std::vector<std::shared_ptr<runtime::VariableCell>> snapshots;
  runtime::Compiled compiled;
};

// "from;to;edge": where a value is to go.
std::string ReceiverOf(const std::string& key) {
  const size_t first = key.find(';');
  const size_t second = key.find(';', first + 1);
  return key.substr(first + 1, second - first - 1);
}

}  // namespace

// Who keeps things here, and when a word of it came last.
struct Worker::Owner {
  base::Time heard;
  base::Timer lease;
};

// A part of a graph, ready to run.
struct Worker::Registered {
  std::string owner, digest;
  std::shared_ptr<Owner> keeper;
  graph::Graph graph;
  std::unique_ptr<AlonePart> alone;           // where it meets no other part
  std::unique_ptr<runtime::Program> program;  // else
  std::unique_ptr<LatePart> late;             // made when somebody asks for it
  std::vector<runtime::VariableUse> uses;
  std::vector<runtime::VariableUse> writes;  // those of `uses` that are written
  std::vector<runtime::ValueNeed> needs;
  uint64_t used = 0;  // when it was registered or run last
};

struct Worker::Run {
  enum class State { kUnknown, kWaiting, kRunning, kDone };
  Number number = 0;
  RunOrder order;
  State state = State::kUnknown;  // values may come before the run does
  bool alone = true;
  bool holds_alone = true;
  bool relaxed = false;
  bool late = false;     // it takes its variables when it comes to write
  bool queues = false;   // and waits for them now
  bool aborted = false;  // by the client, while it runs
  bool failed = false;
  bool forgotten = false;  // its graph
  bool released = false;   // the same, by this process
  std::shared_ptr<Registered> graph;
  std::vector<Tensor> feeds;
  std::vector<std::string> others;
  Asker asker;
  std::vector<runtime::RaceFinding> findings;
  net::Rpc::ParcelAnswer answer;
  std::optional<net::Parcel> answered;  // for a request that comes twice
  std::unique_ptr<runtime::Execution> execution;
  bool at_end = false;  // of the execution
  struct Outgoing {
    std::vector<std::string> keys;
    std::vector<Tensor> values;
  };
  std::map<std::string, Outgoing> outgoing;  // by the receiving task
  size_t outgoing_bytes = 0;
  int unsent = 0;  // messages that are on their way
  // An op of a queue or an accumulator that has begun.
  runtime::SharedObject* waits_for = nullptr;
  runtime::SharedObject::Ticket ticket = 0;
  base::Timer watch;  // looks whether its client lives meanwhile
  runtime::Rendezvous rendezvous;
  std::unordered_set<std::string> received;  // keys
  struct Kept {
    std::shared_ptr<runtime::VariableCell> cell;
    std::shared_ptr<tensor::Buffer> buffer;
    uint64_t version;
  };
  std::vector<Kept> kept;
  base::Timer lease;
};

Worker::Worker(net::Rpc& rpc, base::Randomness& randomness, WorkerOptions options)
    : rpc_(rpc),
      options_(std::move(options)),
      first_graph_(randomness.Next()),
      resources_(TaskName(options_.job, options_.index)),
      over_(kRemembered * options_.patience) {
  Serve(rpc_);
}

void Worker::Serve(net::Rpc& rpc) {
  rpc.Serve(kHello, [this](std::string, const net::Rpc::Answer& answer) { Hello(answer); });
  rpc.Serve(kRegister, [this](std::string request, const net::Rpc::Answer& answer) {
    Register(request, answer);
  });
  rpc.ServeParcels(kRun, [this](const net::Parcel& request, const net::Rpc::ParcelAnswer& answer) {
    Begin(request, answer);
  });
  rpc.ServeParcels(kPut, [this](const net::Parcel& request, const net::Rpc::ParcelAnswer& answer) {
    Put(request, answer);
  });
  rpc.Serve(kFate, [this](std::string request, const net::Rpc::Answer& answer) {
    const auto number = ReadNumber(request);
    answer(number.ok() ? Result<std::string>(WriteNumber(static_cast<uint64_t>(FateOf(*number))))
                       : number.status());
  });
  rpc.Serve(kKeep, [this](std::string owner, const net::Rpc::Answer& answer) {
    Heard(owner);
    answer(std::string());
  });
  rpc.Serve(kRelease, [this](std::string owner, const net::Rpc::Answer& answer) {
    Release(owner);
    answer(std::string());
  });
  rpc.Serve(kReset, [this](const std::string&, const net::Rpc::Answer& answer) {
    graphs_.clear();
    handles_.clear();
    resources_.Release("");
    answer(std::string());
  });
  rpc.Serve(kFinish, [this](std::string request, const net::Rpc::Answer& answer) {
    const auto finishes = ReadFinishes(request);
    answer(finishes.ok() ? Result<std::string>(WriteFates(End(*finishes))) : finishes.status());
  });
}

Worker::~Worker() {
  for (const char* method : {kHello, kRegister, kFinish, kFate, kKeep, kRelease, kReset})
    rpc_.Serve(method, nullptr);
  for (const char* method : {kRun, kPut}) rpc_.ServeParcels(method, nullptr);
}

void Worker::Hello(const net::Rpc::Answer& answer) const {
  answer(HelloAnswer{options_.job, options_.index, first_graph_, options_.tasks}.Write());
}

void Worker::Register(const std::string& request, const net::Rpc::Answer& answer) {
  base::Digest digest;
  digest.Add(request);
  cluster::FieldReader reader(request);
  const std::string owner = reader.TakeText();
  const auto known = handles_.find(digest.Hex());
  if (known != handles_.end()) {
    Heard(owner);
    answer(WriteNumber(known->second));
    return;
  }
  Result<graph::Graph> graph =
      TakeGraph(&reader, {[this](const WireVariable& one) { return resources_.VariableFor(one); },
                          [this](const WireObject& one) { return resources_.ObjectFor(one); }});
  if (!graph.ok()) {
    answer(graph.status());
    return;
  }
  auto registered = std::make_shared<Registered>();
  registered->owner = owner;
  registered->digest = digest.Hex();
  try {
    registered->uses = runtime::UsesOf(*graph);
    for (const runtime::VariableUse& use : registered->uses) {
      if (use.writes) registered->writes.push_back(use);
    }
    registered->needs = runtime::NeededValues(*graph);
    registered->graph = *graph;
    if (Stops(*graph)) {
      registered->program = std::make_unique<runtime::Program>(*graph);
    } else {
      registered->alone = std::make_unique<AlonePart>(ReadSnapshots(*graph, false));
    }
  } catch (const Error& error) {
    answer(error.status());
    return;
  }
  if (graphs_.size() >= kMostGraphs) RemoveOldestGraph();
  registered->used = ++uses_;
  const uint64_t handle = first_graph_ + next_graph_++;
  graphs_[handle] = std::move(registered);
  graphs_[handle]->keeper = Heard(owner);
  handles_[digest.Hex()] = handle;
  answer(WriteNumber(handle));
}

void Worker::RemoveOldestGraph() {
  const auto older = [](const auto& a, const auto& b) { return a.second->used < b.second->used; };
  const auto oldest = std::min_element(graphs_.begin(), graphs_.end(), older);
  handles_.erase(oldest->second->digest);
  graphs_.erase(oldest);
}

// The graphs of who goes, and the variables that are its own by their names. What runs goes on.
void Worker::Release(const std::string& owner) {
  std::erase_if(graphs_, [&](const auto& entry) {
    if (entry.second->owner != owner) return false;
    handles_.erase(entry.second->digest);
    return true;
  });
  const std::string prefix = "@" + owner + "/";
  resources_.Release(prefix);
  const auto place = owners_.find(owner);
  if (place == owners_.end()) return;
  place->second->lease.Stop();  // runs that go on may keep it
  owners_.erase(place);
}

const std::shared_ptr<Worker::Owner>& Worker::Heard(const std::string& name) {
  std::shared_ptr<Owner>& owner = owners_[name];
  if (owner == nullptr) {
    owner = std::make_shared<Owner>();
    Watch(name, *owner, options_.keeping);
  }
  owner->heard = rpc_.executor().Now();
  return owner;
}

// Each run is a word, too, so it sets no timer.
void Worker::Watch(const std::string& name, Owner& owner, base::Duration left) {
  owner.lease.StartAfter(rpc_.executor(), left, [this, name, &owner] {
    const std::string who = name;  // the timer's work goes with what it frees
    const base::Time end = owner.heard + options_.keeping;
    const base::Time now = rpc_.executor().Now();
    if (now < end) return Watch(who, owner, end - now);
    base::Log(base::Severity::kWarning,
              "[remote] a client has not been heard of for long; what it has made here is freed");
    Release(who);
  });
}

Worker::Run& Worker::RunFor(Number number) {
  std::unique_ptr<Run>& run = runs_[number];
  if (run == nullptr) {
    run = std::make_unique<Run>();
    run->number = number;
    // Of a client that is gone.
    run->lease.StartAfter(rpc_.executor(), options_.patience, [this, number] {
      if (runs_.at(number)->state == Run::State::kUnknown) Forget(number);
    });
  }
  return *run;
}

void Worker::Begin(const net::Parcel& parcel, const net::Rpc::ParcelAnswer& answer) {
  Result<RunRequest> request = RunRequest::Read(parcel);
  if (!request.ok()) {
    answer(request.status());
    return;
  }
  End(request->finishes);
  const Number number = request->number;
  if (over_.Contains(number)) {
    answer(Status(Code::kCancelled, "[remote] a run that is over does not begin again; got one"));
    return;
  }
  latest_ = std::max(latest_, request->order.timestamp);
  Run& run = RunFor(number);
  run.answer = answer;
  if (run.state != Run::State::kUnknown) {  // the request comes twice
    if (run.answered) answer(*run.answered);
    return;
  }
  run.order = request->order;
  run.alone = request->alone;
  run.holds_alone = request->alone || request->holds_alone;
  run.relaxed = request->relaxed;
  run.feeds = std::move(request->feeds);
  run.others = std::move(request->others);
  run.asker = std::move(request->asker);
  const auto graph = graphs_.find(request->graph);
  if (graph == graphs_.end()) {
    // Handles of this process, of which this one was freed: its client may register it again.
    run.released = request->graph - first_graph_ < next_graph_;
    run.forgotten = !run.released;
    Reply(run, run.released ? Status::Ok() : NoGraph(options_), run.released, {});
    Forget(number);
    return;
  }
  const Status fits = FeedsFit(graph->second->graph, run.feeds);
  if (!fits.ok()) {
    Reply(run, fits, false, {});
    Forget(number);
    return;
  }
  run.graph = graph->second;
  run.graph->used = ++uses_;
  run.graph->keeper->heard = rpc_.executor().Now();
  run.late = request->late && !run.alone && !run.relaxed;
  run.state = Run::State::kWaiting;
  run.lease.Stop();
  if (!run.alone) Expect(run);
  if (run.relaxed || run.late) {
    Start(number);
    return;
  }
  const RunQueue::Turn turn = queue_.Enter(
      run.order, number, run.holds_alone, run.graph->uses,
      {.begin = [this, number] { Start(number); }, .again = [this, number] { TryAgain(number); }});
  if (turn == RunQueue::Turn::kNow) Start(number);
  if (turn == RunQueue::Turn::kAgain) TryAgain(number);
}

void Worker::TryAgain(Number number) {
  Reply(*runs_.at(number), Status::Ok(), true, {});
  Forget(number);
}

void Worker::Start(Number number) {
  Run& run = *runs_.at(number);
  run.state = Run::State::kRunning;
  for (const runtime::ValueNeed& need : run.graph->needs) {
    if (need.cell->initialized()) continue;
    Done(number, runtime::NoValue(need));
    return;
  }
  if (!run.late) Keep(run);
  try {
    if (run.late) StartLate(run);
  } catch (const Error& error) {
    Done(number, error.status());
    return;
  }
  Carry(run);
}

void Worker::StartLate(Run& run) {
  std::unique_ptr<LatePart>& late = run.graph->late;
  if (late == nullptr) late = std::make_unique<LatePart>(ReadSnapshots(run.graph->graph, true));
  std::vector<Tensor> values = run.feeds;
  for (const auto& cell : late->snapshots) {
    values.push_back(Tensor::FromBuffer(LastOf(*cell), cell->dtype(), cell->shape()));
  }
  run.execution = std::make_unique<runtime::Execution>(late->program, values,
                                                       runtime::Stops::kAtMeetingsAndWaits);
}

// The value before what a run has written that may still be taken back.
const std::shared_ptr<tensor::Buffer>& Worker::LastOf(const runtime::VariableCell& cell) const {
  for (const auto& [number, run] : runs_) {
    for (const Run::Kept& kept : run->kept) {
      if (kept.cell.get() == &cell) return kept.buffer;
    }
  }
  return cell.buffer();
}

void Worker::Keep(Run& run) {
  if (run.relaxed || run.alone) return;  // a failure is taken back by itself
  for (const runtime::VariableUse& use : run.graph->writes) {
    run.kept.push_back({use.cell, use.cell->buffer(), use.cell->version()});
  }
}

// The run comes to its first write: whether it goes on now.
bool Worker::Hold(Run& run) {
  if (!run.late) return true;
  const Number number = run.number;
  const auto begin = [this, number] {
    Run& own = *runs_.at(number);
    own.queues = false;
    Keep(own);
    own.execution->Answer({});
    Carry(own);
  };
  run.queues = true;
  const RunQueue::Turn turn =
      queue_.Enter(run.order, number, run.holds_alone, run.graph->writes,
                   {.begin = begin, .again = [this, number] { TryAgain(number); }});
  if (turn == RunQueue::Turn::kAgain) TryAgain(number);
  if (turn != RunQueue::Turn::kNow) return false;
  run.queues = false;
  Keep(run);
  return true;
}

std::vector<Tensor> Worker::RunAlone(Run& run) {
  const AskerScope scope(run.asker, &run.findings);
  AlonePart& part = *run.graph->alone;
  std::vector<Tensor> values = run.feeds;
  for (const auto& cell : part.snapshots)
    values.push_back(Tensor::FromBuffer(cell->buffer(), cell->dtype(), cell->shape()));
  std::vector<Tensor> results = part.compiled.Run(values, base::DefaultTeam());
  LogReads(run, results);
  return results;
}

// To its next meeting, or its end.
bool Worker::Advance(Run& run) {
  const AskerScope scope(run.asker, &run.findings);
  return run.execution->Advance(base::DefaultTeam());
}

// What goes away from here was read for whoever asks.
void Worker::NoteReads(Run& run, const std::vector<Tensor>& values) {
  const bool any = std::any_of(values.begin(), values.end(), tensor::HasOrigin);
  if (!run.asker.follows() || !any) return;
  const AskerScope scope(run.asker, &run.findings);
  LogReads(run, values);
}

// The same for who acts already.
void Worker::LogReads(const Run& run, const std::vector<Tensor>& values) {
  if (!runtime::FollowsAccesses()) return;
  for (const runtime::VariableUse& use : run.graph->uses) {
    for (const Tensor& value : values) {
      const auto version = tensor::VersionIn(value, use.cell->number());
      if (version) use.cell->log().Read(*version, {});
    }
  }
}

// The parts of a run follow the order of the program, which is one for all of them: a part waits
// only for what comes earlier, so the first op that nobody has carried out can always be.
void Worker::Carry(Run& run) {
  const Number number = run.number;
  runtime::RunControl control;
  const runtime::RunControlScope scope(&control);
  try {
    if (run.graph->alone != nullptr && !run.late) {
      Done(number, RunAlone(run));
      return;
    }
    if (run.execution == nullptr) {
      run.execution = std::make_unique<runtime::Execution>(*run.graph->program, run.feeds,
                                                           runtime::Stops::kAtMeetingsAndWaits);
    }
    while (Advance(run)) {
      const graph::Node& node = run.execution->meeting();
      if (node.spec->name == "_Hold") {
        Post(run);
        if (!Hold(run)) return;
        run.execution->Answer({});
        continue;
      }
      if (runtime::MayWait(node)) {
        Post(run);
        WaitFor(run, node);
        return;
      }
      const std::string& key = node.attributes.Get<std::string>("key");
      if (node.spec->name == "_Recv") {
        Post(run);
        Receive(run, key);
        return;
      }
      SendTo(run, key, run.execution->brought()[0]);
      run.execution->Answer({});
    }
    Post(run);
  } catch (const Error& error) {
    Done(number, error.status());
    return;
  }
  run.at_end = true;
  if (run.unsent == 0) Done(number, run.execution->results());
}

void Worker::Receive(Run& run, const std::string& key) {
  run.rendezvous.Receive(
      key, rpc_.executor(),
      [this, alive = std::weak_ptr<int>(alive_), number = run.number](const Result<Tensor>& value) {
        if (alive.expired() || !runs_.contains(number)) return;
        Run& own = *runs_.at(number);
        if (!value.ok()) {
          Done(number, value.status());
          return;
        }
        own.execution->Answer({*value});
        Carry(own);
      });
}

// What ends the wait may be the run itself, or another one that is being carried out now.
void Worker::WaitFor(Run& run, const graph::Node& node) {
  std::vector<Tensor> inputs = run.execution->brought();
  run.waits_for = runtime::SharedObjectOf(inputs[0]);
  inputs.erase(inputs.begin());
  const auto ended = [this, alive = std::weak_ptr<int>(alive_),
                      number = run.number](Result<std::vector<Tensor>> result) {
    if (alive.expired()) return;
    rpc_.executor().Post([this, alive, number, result = std::move(result)]() mutable {
      if (alive.expired() || !runs_.contains(number)) return;
      Run& own = *runs_.at(number);
      own.waits_for = nullptr;
      own.watch.Stop();
      if (!result.ok()) {
        Done(number, result.status());
        return;
      }
      own.execution->Answer(*std::move(result));
      Carry(own);
    });
  };
  run.ticket = run.waits_for->Start(node.spec->name, node.attributes, inputs, ended);
  WatchClient(run);
}

// A client that is gone takes nothing from a queue that others wait for, too.
void Worker::WatchClient(Run& run, bool again) {
  const base::Duration after = again ? kUnread : options_.patience;
  run.watch.StartAfter(rpc_.executor(), after, [this, again, number = run.number] {
    Run& own = *runs_.at(number);
    if (own.waits_for == nullptr) return;
    const bool lives = ClientLives(own);
    if (lives || !again) {
      WatchClient(own, !lives);
    } else {
      own.waits_for->Cancel(own.ticket);
    }
  });
}

bool Worker::ClientLives(const Run& run) const {
  return run.graph->keeper->heard + options_.patience > rpc_.executor().Now();
}

// What goes to one task goes together, until the part waits for something or it is much.
void Worker::SendTo(Run& run, const std::string& key, const Tensor& value) {
  NoteReads(run, {value});
  Run::Outgoing& outgoing = run.outgoing[ReceiverOf(key)];
  outgoing.keys.push_back(key);
  outgoing.values.push_back(value);
  run.outgoing_bytes += value.num_bytes();
  if (run.outgoing_bytes >= kTogether) Post(run);
}

void Worker::Post(Run& run) {
  run.outgoing_bytes = 0;
  for (auto& [receiver, outgoing] : std::exchange(run.outgoing, {})) {
    const auto task =
        std::find_if(options_.tasks.begin(), options_.tasks.end(),
                     [&, to = receiver](const auto& t) { return to == TaskName(t.job, t.index); });
    if (task == options_.tasks.end()) {
      throw Error(Code::kInternal,
                  "[remote] a value goes to a task of the cluster; got " + outgoing.keys[0]);
    }
    ++run.unsent;
    const auto answered = [this, alive = std::weak_ptr<int>(alive_), number = run.number,
                           address = task->address,
                           to = receiver](const Result<net::Parcel>& answer) {
      if (alive.expired() || !runs_.contains(number)) return;
      Run& own = *runs_.at(number);
      --own.unsent;
      if (own.state != Run::State::kRunning) return;
      if (!answer.ok()) {
        Done(number, Status(answer.status().code(),
                            answer.status().message() + " (" + to + " at " + address + ")"));
      } else if (own.at_end && own.unsent == 0) {
        Done(number, own.execution->results());
      }
    };
    const PutRequest request{run.number, std::move(outgoing.keys), std::move(outgoing.values),
                             run.asker.follows()};
    rpc_.CallParcel(task->address, kPut, request.Write(), options_.patience, answered);
  }
}

void Worker::Put(const net::Parcel& parcel, const net::Rpc::ParcelAnswer& answer) {
  Result<PutRequest> request = PutRequest::Read(parcel);
  if (!request.ok()) {
    answer(request.status());
    return;
  }
  if (!over_.Contains(request->number)) {
    for (size_t i = 0; i < request->keys.size(); ++i) {
      Run& run = RunFor(request->number);
      if (!run.received.insert(request->keys[i]).second) continue;
      (void)run.rendezvous.Send(request->keys[i],
                                request->values[i]);  // of an aborted run: dropped
    }
  }
  answer(net::Parcel());
}

void Worker::Done(Number number, Result<std::vector<Tensor>> results) {
  Run& run = *runs_.at(number);
  if (run.state == Run::State::kDone) return;
  run.state = Run::State::kDone;
  if (run.aborted) {
    Undo(run);
    Forget(number);
    return;
  }
  if (!results.ok()) {
    run.failed = true;
    Undo(run);
    Reply(run, results.status(), false, {});
    if (run.alone) Forget(number);
    return;
  }
  if (run.alone) {
    run.kept.clear();
    queue_.Leave(run.order, number);
    Reply(run, Status::Ok(), false, std::move(*results));
    Forget(number, true);
    return;
  }
  Reply(run, Status::Ok(), false, std::move(*results));
  Expect(run);
}

// A word from the client, or the tasks decide.
void Worker::Expect(Run& run) {
  run.lease.StartAfter(rpc_.executor(), options_.patience,
                       [this, number = run.number] { AskOthers(number); });
}

Fate Worker::FateOf(Number number) const {
  if (const auto committed = over_.committed(number)) {
    return *committed ? Fate::kCommitted : Fate::kNone;
  }
  const auto run = runs_.find(number);
  if (run == runs_.end() || run->second->failed || run->second->aborted) return Fate::kNone;
  switch (run->second->state) {
    case Run::State::kUnknown:
      return Fate::kNone;
    case Run::State::kDone:
      return Fate::kDone;
    default:
      return Fate::kRunning;
  }
}

void Worker::AskOthers(Number number) {
  struct Asked {
    size_t waiting;
    std::vector<Fate> fates;
  };
  const auto asked = std::make_shared<Asked>(Asked{runs_.at(number)->others.size(), {}});
  for (const std::string& other : runs_.at(number)->others) {
    const auto answered = [this, alive = std::weak_ptr<int>(alive_), asked,
                           number](const Result<std::string>& answer) {
      if (alive.expired()) return;
      const auto fate = answer.ok() ? ReadNumber(*answer) : answer.status();
      if (fate.ok()) asked->fates.push_back(static_cast<Fate>(*fate));
      if (--asked->waiting == 0 && runs_.contains(number)) Decide(*runs_.at(number), asked->fates);
    };
    rpc_.Call(other, kFate, WriteNumber(number), options_.patience, answered);
  }
}

// A task that is lost has lost its values, too: it has no voice.
void Worker::Decide(Run& run, const std::vector<Fate>& fates) {
  const auto any = [&](Fate fate) {
    return std::find(fates.begin(), fates.end(), fate) != fates.end();
  };
  // One that is silent may be busy: its client, if it lives, will say what has become of it.
  if (fates.size() < run.others.size() && ClientLives(run)) {
    Expect(run);
    return;
  }
  const bool done = run.state == Run::State::kDone && !run.failed;
  const bool holds = done && (any(Fate::kCommitted) || !(any(Fate::kNone) || any(Fate::kRunning)));
  const bool ends = holds || any(Fate::kNone) || (!done && fates.size() < run.others.size());
  if (!ends) {
    Expect(run);
    return;
  }
  base::Log(base::Severity::kWarning,
            std::string("[remote] the client of a run does not say how it has ended; the run ") +
                (holds ? "holds, as its tasks have done their parts" : "is taken back"));
  if (run.state != Run::State::kDone && run.answer != nullptr) {
    std::exchange(run.answer, nullptr)(
        Status(Code::kAborted,
               "[session] a client shows its tasks that it lives; got no sign of this one, so its "
               "run was taken back; run it again"));
  }
  End({{run.number, holds}});
}

void Worker::Reply(Run& run, const Status& status, bool again, std::vector<Tensor> results) {
  latest_ = std::max(latest_, run.order.timestamp) + 1;
  if (status.ok() && !again && run.execution != nullptr) NoteReads(run, results);
  net::Parcel parcel = RunAnswer{latest_,
                                 status,
                                 again,
                                 run.forgotten,
                                 run.released,
                                 std::move(run.findings),
                                 run.asker.follows(),
                                 std::move(results)}
                           .Write();
  if (!run.alone) run.answered = parcel;  // what is alone is over
  if (run.answer != nullptr) run.answer(std::move(parcel));
}

void Worker::Undo(Run& run) {
  for (Run::Kept& kept : run.kept) {
    if (kept.cell->version() != kept.version) {
      kept.cell->Restore(std::move(kept.buffer), kept.version);
    }
  }
  run.kept.clear();
}

// The run has no part in anything any more.
void Worker::Forget(Number number, bool committed) {
  const auto place = runs_.find(number);
  if (place == runs_.end()) return;
  const std::unique_ptr<Run> run = std::move(place->second);
  runs_.erase(place);
  run->alone ? over_.AddAlone(number) : over_.Add(number, committed, rpc_.executor().Now());
  if (!run->relaxed) queue_.Leave(run->order, number);
}

std::vector<Fate> Worker::End(const std::vector<Finish>& finishes) {
  std::vector<Fate> fates;
  for (const Finish& finish : finishes) fates.push_back(EndOne(finish));
  return fates;
}

// What has become of it.
Fate Worker::EndOne(const Finish& finish) {
  const auto place = runs_.find(finish.number);
  if (place == runs_.end()) {
    over_.Add(finish.number, false, rpc_.executor().Now());  // should its request come yet
    return FateOf(finish.number);
  }
  Run& run = *place->second;
  if (run.state == Run::State::kDone) {
    const bool holds = finish.commits && !run.failed;
    if (holds) {
      run.kept.clear();
    } else {
      Undo(run);
    }
    Forget(finish.number, holds);
    return holds ? Fate::kCommitted : Fate::kNone;
  }
  const bool runs = run.state == Run::State::kRunning && !run.queues;
  run.aborted = true;
  run.rendezvous.Abort(Status(Code::kCancelled, "[remote] the run was ended by its client"));
  if (run.waits_for != nullptr) run.waits_for->Cancel(run.ticket);
  // What is under way ends first, and is taken back then.
  if (!runs) Forget(finish.number);
  return Fate::kNone;
}

}  // namespace lockstep::remote
