#include "remote/dispatcher.h"

#include <algorithm>

#include "base/log.h"
#include "graph/placement.h"

namespace lockstep::remote {

namespace {

constexpr base::Duration kLongestPause = std::chrono::seconds(1);
constexpr int kMostRepeats = 3;  // while a server cannot be reached, though it lives

std::string Seconds(base::Duration duration) {
  std::string text = std::to_string(std::chrono::duration<double>(duration).count());
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text + " s";
}

}  // namespace

struct Dispatcher::Worker {
  int index = 0;
  std::string task;
  std::string address;
  bool there = false;
  uint64_t incarnation = 0;
  int life = 0;
  using Function = std::shared_ptr<const DispatchedFunction>;
  std::map<Function, std::shared_ptr<RemoteGraph>> graphs;
  std::map<int, std::vector<Tensor>> made;  // by resource
  base::Timer probe;
  base::Duration pause{};
  std::string why = "it has not answered yet";
};

struct Dispatcher::Running {
  uint64_t number = 0;
  Call call;
  bool has_drawn = false;
  std::vector<Tensor> drawn;
  Worker* worker = nullptr;
  uint64_t run = 0;  // of the client; 0: none is under way
  int repeats = 0;
};

Dispatcher::Dispatcher(net::Rpc& rpc, Client& client, const HelloAnswer& cluster,
                       DispatcherOptions options)
    : rpc_(rpc), client_(client), cluster_(cluster), options_(std::move(options)) {
  for (const HelloAnswer::Task& task : cluster_.tasks) {
    const std::string name = TaskName(task.job, task.index);
    if (task.job == options_.job) {
      auto worker = std::make_unique<Worker>();
      worker->index = static_cast<int>(workers_.size());
      worker->task = name;
      worker->address = task.address;
      worker->pause = options_.between;
      workers_.push_back(std::move(worker));
      continue;
    }
    client_.Ask(task.address, [this, alive = std::weak_ptr<int>(alive_), name](auto hello) {
      if (!alive.expired() && hello.ok()) incarnations_.emplace(name, hello->incarnation);
    });
  }
  for (const auto& worker : workers_) Probe(*worker);
}

Dispatcher::~Dispatcher() {
  if (!idle()) Fail(Status(Code::kCancelled, "[coordinator] it has ended"));
}

int Dispatcher::num_free() const { return static_cast<int>(free_.size()); }

void Dispatcher::Probe(Worker& worker) {
  const std::weak_ptr<int> alive = alive_;
  client_.Ask(worker.address, [this, alive, &worker](Result<HelloAnswer> hello) {
    if (alive.expired()) return;
    if (!hello.ok()) {
      worker.why = hello.status().message();
      worker.probe.StartAfter(rpc_.executor(), worker.pause, [this, &worker] { Probe(worker); });
      worker.pause = std::min(2 * worker.pause, kLongestPause);
      return;
    }
    const auto joined = [this, alive, &worker, incarnation = hello->incarnation] {
      if (!alive.expired()) Joined(worker, incarnation);
    };
    options_.attach == nullptr ? joined() : options_.attach(worker.address, joined);
  });
}

void Dispatcher::Joined(Worker& worker, uint64_t incarnation) {
  if (worker.incarnation != incarnation) ++worker.life;
  worker.incarnation = incarnation;
  worker.there = true;
  worker.pause = options_.between;
  starving_.Stop();
  free_.push_back(&worker);
  Give();
}

void Dispatcher::Lose(Worker& worker, const Status& why) {
  if (!worker.there) return;
  base::Log(base::Severity::kWarning, "[coordinator] " + worker.task + " at " + worker.address +
                                          " was lost; what it had goes to other workers");
  worker.there = false;
  worker.why = why.message();
  worker.graphs.clear();
  worker.made.clear();
  std::erase(free_, &worker);
  worker.probe.StartAfter(rpc_.executor(), worker.pause, [this, &worker] { Probe(worker); });
  Starve();
}

// Begins to count the time without workers, if that is so.
void Dispatcher::Starve() {
  const auto there = [](const auto& worker) { return worker->there; };
  if (idle() || std::any_of(workers_.begin(), workers_.end(), there)) return;
  starving_.StartAfter(rpc_.executor(), options_.patience, [this] {
    std::string names;
    for (const auto& worker : workers_) {
      names += (names.empty() ? "" : "; ") + worker->task + " at " + worker->address + " (" +
               worker->why + ")";
    }
    Fail(Status(Code::kUnavailable, "[coordinator] functions need a worker; got none for " +
                                        Seconds(options_.patience) + " of " +
                                        (names.empty() ? "a cluster without workers" : names) +
                                        "; start them again"));
  });
}

void Dispatcher::Schedule(Call call) {
  auto running = std::make_unique<Running>();
  running->number = ++next_number_;
  running->call = std::move(call);
  const bool first = idle();
  queue_.push_back(std::move(running));
  if (first) Starve();
  Give();
}

int Dispatcher::AddResource(std::shared_ptr<const DispatchedFunction> function) {
  resources_.push_back(std::move(function));
  return static_cast<int>(resources_.size()) - 1;
}

void Dispatcher::WhenIdle(std::function<void()> idle) {
  on_idle_.push_back(std::move(idle));
  SayIfIdle();
}

void Dispatcher::SayIfIdle() {
  if (!idle()) return;
  for (const auto& call : std::exchange(on_idle_, {})) call();
}

void Dispatcher::Give() {
  while (!queue_.empty() && !free_.empty()) {
    Worker& worker = *free_.front();
    free_.pop_front();
    std::unique_ptr<Running> running = std::move(queue_.front());
    queue_.pop_front();
    Assign(worker, std::move(running));
  }
}

void Dispatcher::Assign(Worker& worker, std::unique_ptr<Running> running) {
  running->worker = &worker;
  running->run = 0;
  const uint64_t number = running->number;
  running_[number] = std::move(running);
  Advance(number);
}

void Dispatcher::Advance(uint64_t number) {
  Running& running = *running_.at(number);
  Worker& worker = *running.worker;
  std::vector<Tensor> feeds = running.call.arguments;
  for (const auto& [resource, result] : running.call.resources) {
    const auto made = worker.made.find(resource);
    if (made == worker.made.end()) {
      MakeResource(number, resource);
      return;
    }
    feeds.push_back(made->second.at(result));
  }
  if (!running.has_drawn && running.call.draw != nullptr) {
    Result<Drawn> drawn = running.call.draw(worker.index, worker.life);
    if (!drawn.ok()) {
      Finish(number, drawn.status());
      return;
    }
    running.drawn = std::move(drawn->feeds);
    if (drawn->function != nullptr) running.call.function = drawn->function;
  }
  running.has_drawn = true;
  feeds.insert(feeds.end(), running.drawn.begin(), running.drawn.end());
  Carry(worker, running.call.function, std::move(feeds), number,
        [this, number](Client::Outcome outcome) { Ended(number, std::move(outcome)); });
}

void Dispatcher::MakeResource(uint64_t number, int resource) {
  Carry(*running_.at(number)->worker, resources_.at(resource), {}, number,
        [this, number, resource](Client::Outcome outcome) {
          if (!outcome.results.ok()) {
            Ended(number, std::move(outcome));
            return;
          }
          running_.at(number)->worker->made[resource] = *std::move(outcome.results);
          Advance(number);
        });
}

// `done` is not called when the call is over by then.
void Dispatcher::Carry(Worker& worker, const std::shared_ptr<const DispatchedFunction>& function,
                       std::vector<Tensor> feeds, uint64_t number, OnOutcome done) {
  const auto ended = [this, alive = std::weak_ptr<int>(alive_), number,
                      done = std::move(done)](Client::Outcome outcome) {
    if (alive.expired() || !running_.contains(number)) return;
    running_.at(number)->run = 0;
    done(std::move(outcome));
  };
  const auto known = worker.graphs.find(function);
  if (known != worker.graphs.end()) {
    running_.at(number)->run =
        client_.Carry(known->second, feeds, ended, running_.at(number)->call.asker);
    return;
  }
  graph::Graph graph = function->graph;
  try {
    graph::PlacementOptions placement{.default_device = worker.task + kDevice};
    for (const HelloAnswer::Task& task : cluster_.tasks) {
      placement.devices.push_back(TaskName(task.job, task.index) + kDevice);
    }
    graph::Place(&graph, placement);
  } catch (const Error& error) {
    rpc_.executor().Post([ended, status = error.status()] { ended({status}); });
    return;
  }
  const auto registered = [this, alive = std::weak_ptr<int>(alive_), &worker, function,
                           life = worker.life, feeds = std::move(feeds), number,
                           ended](Result<std::shared_ptr<RemoteGraph>> given) {
    if (alive.expired() || !running_.contains(number)) return;
    if (!given.ok()) {
      ended({given.status(), Client::LostTaskIn(given.status())});
      return;
    }
    if (worker.there && worker.life == life) worker.graphs[function] = *given;
    Running& running = *running_.at(number);
    running.run = client_.Carry(*given, feeds, ended, running.call.asker);
  };
  client_.Register(graph, function->mode, registered);
}

void Dispatcher::Ended(uint64_t number, Client::Outcome outcome) {
  if (outcome.results.ok() || !Interrupted(number, outcome)) {
    Finish(number, std::move(outcome.results));
  }
}

// Whether a task was lost, and the call goes on elsewhere, or ends in another way.
bool Dispatcher::Interrupted(uint64_t number, const Client::Outcome& outcome) {
  if (outcome.lost.empty()) return false;
  const Status& status = outcome.results.status();
  if (outcome.written) {
    Finish(number, Status(Code::kDataLoss,
                          "[coordinator] the end of a function must be known; got '" +
                              running_.at(number)->call.function->name +
                              "', whose writes hold on a server that was out of reach, while its "
                              "results are lost (" +
                              status.message() + "); restore the variables from a checkpoint"));
    return true;
  }
  if (!outcome.unknown.empty()) {
    AskServer(number, outcome.unknown, status, false);
    return true;
  }
  for (const auto& worker : workers_) {
    if (worker->task != outcome.lost) continue;
    Lose(*worker, status);
    Again(number);
    return true;
  }
  AskServer(number, outcome.lost, status, !outcome.started_again);
  return true;
}

void Dispatcher::AskServer(uint64_t number, const std::string& task, const Status& status,
                           bool may_repeat) {
  const auto lost = [this, number, task, status] {
    Finish(number,
           Status(Code::kUnavailable,
                  "[coordinator] servers of variables must live; got " + task +
                      ", which was lost, and the values of its variables with it (" +
                      status.message() + "); start it again, and the program, from a checkpoint"));
  };
  const auto place =
      std::find_if(cluster_.tasks.begin(), cluster_.tasks.end(),
                   [&](const auto& one) { return TaskName(one.job, one.index) == task; });
  if (!may_repeat || place == cluster_.tasks.end() ||
      running_.at(number)->repeats >= kMostRepeats) {
    lost();
    return;
  }
  client_.Ask(place->address, [this, alive = std::weak_ptr<int>(alive_), number, task,
                               lost](Result<HelloAnswer> hello) {
    if (alive.expired() || !running_.contains(number)) return;
    if (!hello.ok() ||
        incarnations_.emplace(task, hello->incarnation).first->second != hello->incarnation) {
      lost();
      return;
    }
    ++running_.at(number)->repeats;
    Again(number);
  });
}

void Dispatcher::Again(uint64_t number) {
  ++num_repeats_;
  const auto place = running_.find(number);
  std::unique_ptr<Running> running = std::move(place->second);
  running_.erase(place);
  if (running->worker->there) free_.push_back(running->worker);
  queue_.push_front(std::move(running));
  Starve();
  Give();
}

void Dispatcher::Finish(uint64_t number, Results results) {
  const auto place = running_.find(number);
  const std::unique_ptr<Running> running = std::move(place->second);
  running_.erase(place);
  if (running->worker->there) free_.push_back(running->worker);
  if (results.ok()) {
    running->call.done(std::move(results));
    Give();
    SayIfIdle();
    return;
  }
  const Status& status = results.status();
  const Status told(status.code(), status.message() + " (in function '" +
                                       running->call.function->name + "'" + running->call.where +
                                       ", on " + running->worker->task + ")");
  if (error_.ok()) error_ = told;
  running->call.done(told);
  Fail(told);
}

void Dispatcher::Fail(const Status& status) {
  if (error_.ok()) error_ = status;
  starving_.Stop();
  auto queue = std::exchange(queue_, {});
  auto all = std::exchange(running_, {});
  const Status cancelled(
      Code::kCancelled,
      "[coordinator] a function is cancelled where another one has failed; got: " +
          status.message());
  for (auto& [number, running] : all) {
    if (running->run != 0) client_.Cancel(running->run, cancelled);
    if (running->worker->there) free_.push_back(running->worker);
    running->call.done(cancelled);
  }
  for (const auto& running : queue) running->call.done(cancelled);
  SayIfIdle();
}

}  // namespace lockstep::remote
