#include "cluster/launch/launcher.h"

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <sstream>
#include <utility>

#include "base/environment.h"
#include "base/printf.h"
#include "base/randomness.h"
#include "cluster/address.h"
#include "cluster/host_arbiter.h"
#include "cluster/resolver.h"

namespace lockstep::cluster {

namespace {

using namespace std::chrono_literals;

constexpr base::Duration kKeeperLimit = 60s;
// Before tasks are started again: long enough to see whether all end.
constexpr base::Duration kRestartPause = 100ms;
// For those who are left to begin all the same.
constexpr base::Duration kBeginPause = 2s;

bool Trains(const TaskName& name) { return name.job == "worker" || name.job == "chief"; }

std::string RandomHex(int words) {
  base::SystemRandomness randomness;
  std::string text;
  for (int i = 0; i < words; ++i)
    text += base::Printf("%016llx", static_cast<unsigned long long>(randomness.Next()));
  return text;
}

// What other launchers told this process must not reach the tasks.
std::vector<std::string> VariablesOfOthers() {
  std::vector<std::string> names;
  for (const auto& resolver : Resolvers()) {
    for (std::string& name : resolver->variables()) names.push_back(std::move(name));
  }
  return names;
}

}  // namespace

struct Launcher::Task {
  int number;
  TaskName name;
  std::string host;     // empty: this machine
  std::string address;  // of its reserved port; empty: not known yet
  std::unique_ptr<base::Process> keeper;
  base::OwnedFile to, from;
  FrameReader reader;
  LinePrefixer output, error;
  bool gone = false;   // its keeper has ended
  bool alive = false;  // it was started and has not ended
  bool ended_well = false;
  std::string process;   // number of its newest process
  base::ProcessEnd end;  // its last one
};

namespace {

// "worker 2 (pid 4711) was killed by signal 9 (Killed)", "worker 2 ended with status 7"
std::string Sentence(const TaskName& name, const std::string& process,
                     const base::ProcessEnd& end) {
  if (end.signal == 0) return name.ToString() + " ended with " + end.ToString();
  return name.ToString() + (process.empty() ? "" : " (pid " + process + ")") + " was killed by " +
         end.ToString();
}

}  // namespace

std::vector<TaskName> TasksOf(const LaunchOptions& options) {
  std::vector<TaskName> tasks;
  if (options.chief) tasks.push_back({"chief", 0});
  for (int i = 0; i < options.workers; ++i) tasks.push_back({"worker", i});
  for (int i = 0; i < options.servers; ++i) tasks.push_back({"ps", i});
  for (int i = 0; i < options.evaluators; ++i) tasks.push_back({"evaluator", i});
  return tasks;
}

Launcher::Launcher(base::EventLoop& loop, LaunchOptions options, Write write)
    : loop_(loop), options_(std::move(options)), write_(std::move(write)) {
  token_ = RandomHex(4);
  const auto environment = base::ProcessEnvironment();
  job_directory_ = Lookup(environment, "TMPDIR").value_or("/tmp") + "/lockstep-job-" + RandomHex(1);
  const auto names = TasksOf(options_);
  policy_ = std::make_unique<LaunchPolicy>(names, options_.rules);
  for (size_t i = 0; i < names.size(); ++i) {
    const std::string host =
        options_.hosts.empty() ? "" : options_.hosts[i * options_.hosts.size() / names.size()];
    AddTask(names[i], IsLoopback(host) ? "" : host);
  }
}

void Launcher::AddTask(const TaskName& name, std::string host) {
  const std::string prefix = name.ToString() + " | ";
  tasks_.push_back(std::make_unique<Task>(Task{.number = static_cast<int>(tasks_.size()),
                                               .name = name,
                                               .host = std::move(host),
                                               .output = LinePrefixer(prefix),
                                               .error = LinePrefixer(prefix)}));
}

Launcher::~Launcher() {
  for (auto& task : tasks_) {
    if (task->from) loop_.UnwatchFile(task->from.fd());
  }
  if (!lost_keeper_) return;
  // What it would have cleaned up on this machine.
  std::error_code ignored;
  for (; lives_ > 0; --lives_) std::filesystem::remove_all(JobDirectory(), ignored);
}

Status Launcher::Begin() {
  const auto remote = std::count_if(tasks_.begin(), tasks_.end(),
                                    [](const auto& task) { return !task->host.empty(); });
  if (remote > 0 && remote < static_cast<std::ptrdiff_t>(tasks_.size())) {
    return Status(Code::kInvalidArgument,
                  "[launch] hosts must be reachable from each other; got localhost beside others; "
                  "write this machine's name");
  }
  for (auto& task : tasks_) LOCKSTEP_RETURN_IF_ERROR(StartKeeper(*task));
  keepers_.StartAfter(loop_, kKeeperLimit, [this] {
    for (auto& task : tasks_) {
      if (task->address.empty()) {
        return Fail(*task, "host " + task->host + " must answer within 60 s; got nothing");
      }
    }
  });
  return Status::Ok();
}

Status Launcher::StartKeeper(Task& task) {
  const std::string program =
      options_.keeper_program.empty() ? base::ThisProgram() : options_.keeper_program;
  base::ProcessOptions process{.arguments = {program, "keep", "--host", "127.0.0.1"},
                               .environment = base::ProcessEnvironment(),
                               .dies_with_owner = false};  // it cleans up, then ends by itself
  if (!task.host.empty()) {
    process.arguments = options_.remote_shell;
    process.arguments.push_back(task.host);
    process.arguments.push_back("exec " + ShellQuoted(program) + " keep --host " +
                                ShellQuoted(task.host));
  }
  LOCKSTEP_ASSIGN_OR_RETURN(auto to, base::Pipe::Make());
  LOCKSTEP_ASSIGN_OR_RETURN(auto from, base::Pipe::Make());
  process.input = to.reads.fd();
  process.output = from.writes.fd();
  LOCKSTEP_ASSIGN_OR_RETURN(task.keeper, base::Process::Start(process));
  task.to = std::move(to.writes);
  task.from = std::move(from.reads);
  loop_.WatchFile(task.from.fd(), true, false, [this, &task](base::FileEvents) { OnKeeper(task); });
  return Status::Ok();
}

void Launcher::OnKeeper(Task& task) {
  std::string bytes;
  const bool open = base::ReadAvailable(task.from.fd(), &bytes);
  task.reader.Feed(bytes);
  Frame frame;
  while (!done_ && task.reader.Take(&frame)) OnFrame(task, frame);
  if (!open || task.reader.broken()) OnKeeperGone(task);
}

void Launcher::OnFrame(Task& task, const Frame& frame) {
  switch (frame.kind) {
    case FrameKind::kAddress:
      return OnAddress(task, frame.body);
    case FrameKind::kStarted:
      task.process = frame.body;
      return board_->Started(task.number, loop_.Now());
    case FrameKind::kListening:
      return board_->Here(task.number);
    case FrameKind::kOutput:
      return write_(false, task.output.Feed(frame.body));
    case FrameKind::kError:
      return write_(true, task.error.Feed(frame.body));
    case FrameKind::kEnded: {
      std::istringstream words(frame.body);
      base::ProcessEnd end;
      words >> end.status >> end.signal >> std::ws;
      std::string ended;
      std::getline(words, ended);
      TellOtherHosts(task, ended);
      return OnTaskEnd(task, end);
    }
    case FrameKind::kFailed:
      return Fail(task, frame.body);
    default:
      return;
  }
}

// Certain, so that those who are left may go on without a majority.
void Launcher::TellOtherHosts(const Task& task, const std::string& ended) {
  if (!EndedProcess::Parse(ended)) return;
  for (const auto& other : tasks_) {
    if (other->gone || !other->alive || other->host == task.host) continue;
    (void)base::WriteAll(other->to.fd(), PackFrame(FrameKind::kGone, ended));
  }
}

void Launcher::OnKeeperGone(Task& task) {
  loop_.UnwatchFile(task.from.fd());
  task.from.Close();
  task.gone = true;
  if (done_) return;
  lost_keeper_ = true;
  if (task.address.empty()) {
    return Fail(task, "the keeper on " + (task.host.empty() ? "this machine" : task.host) +
                          " must answer; got its end; is lockstep there, and can it be reached?");
  }
  const bool waits = std::find(waiting_.begin(), waiting_.end(), task.number) != waiting_.end();
  if (policy_->running(task.number) && !waits) OnTaskEnd(task, {.signal = SIGKILL});
}

void Launcher::OnAddress(Task& task, const std::string& address) {
  task.address = address;
  if (!all_addressed_) return StartAll();
  // One that joins the running job.
  cluster_.set_task_address(task.name.job, task.name.index, address);
  board_->SetAddress(task.number, address);
  if (policy_->stopping()) {
    OnTaskEnd(task, {.signal = policy_->restarts(task.number) > 0 ? SIGTERM : 0});
  } else {
    Order(task);
  }
}

void Launcher::Grow() {
  if (!all_addressed_ || done_) return;
  const int most = std::max(options_.max_workers, options_.workers);
  const auto task = policy_->Grow(most);
  if (!task) return Say("no worker can be added: there are " + std::to_string(most) + " already");
  if (*task < static_cast<int>(tasks_.size())) return Order(*tasks_[static_cast<size_t>(*task)]);
  const auto& hosts = options_.hosts;
  const std::string host = hosts.empty() ? "" : hosts[static_cast<size_t>(*task) % hosts.size()];
  AddTask(policy_->name(*task), IsLoopback(host) ? "" : host);
  board_->Add(tasks_.back()->name);
  if (const Status started = StartKeeper(*tasks_.back()); !started.ok()) {
    Say(started.message());
    OnTaskEnd(*tasks_.back(), {.status = 127});
  }
}

void Launcher::Shrink() {
  if (!all_addressed_ || done_) return;
  // Not by `Do`: nobody is to be killed after the grace.
  for (const auto& action : policy_->Shrink()) {
    if (std::erase(waiting_, action.task) > 0) {
      Do(policy_->Ended(action.task, {}));
      continue;
    }
    (void)base::WriteAll(tasks_[static_cast<size_t>(action.task)]->to.fd(),
                         PackFrame(FrameKind::kSignal, std::to_string(action.signal)));
  }
}

// As soon as all addresses are known.
void Launcher::StartAll() {
  for (const auto& task : tasks_) {
    if (task->address.empty()) return;
  }
  keepers_.Stop();
  std::vector<TaskName> names;
  std::vector<std::string> addresses;
  for (const auto& task : tasks_) {
    cluster_.set_task_address(task->name.job, task->name.index, task->address);
    names.push_back(task->name);
    addresses.push_back(task->address);
  }
  board_ = std::make_unique<LaunchBoard>(std::move(names), std::move(addresses));
  started_ = loop_.Now();
  all_addressed_ = true;
  Do(policy_->Begin());
  ShowBoard();
}

std::vector<std::pair<std::string, std::string>> Launcher::VariablesFor(const Task& task) const {
  Description description;
  description.cluster = cluster_;
  description.task = task.name;
  const std::string config = description.ToTfConfig();
  // The coordinators: three tasks, one where there are fewer.
  const int ranks = description.num_ranks();
  std::string coordinators;
  for (int rank = 0; rank < (ranks >= 3 ? 3 : std::min(ranks, 1)); ++rank) {
    coordinators += (rank > 0 ? "," : "") + description.AddressOf(description.TaskOfRank(rank));
  }
  const auto& rules = options_.rules;
  std::vector<std::pair<std::string, std::string>> variables = {
      {"TF_CONFIG", config},
      {"LOCKSTEP_CLUSTER", config},
      {"LOCKSTEP_TASK", task.name.ToString()},
      {"LOCKSTEP_WORKERS", std::to_string(ranks)},
      {"LOCKSTEP_TOKEN", token_},
      {"LOCKSTEP_JOB_DIR", JobDirectory()},
      {"LOCKSTEP_RESTART", std::to_string(policy_->restarts(task.number))}};
  if (!coordinators.empty()) variables.emplace_back("LOCKSTEP_COORDINATOR", coordinators);
  if (rules.min_workers > 0) {
    variables.emplace_back("LOCKSTEP_MIN_WORKERS", std::to_string(rules.min_workers));
  }
  if (options_.max_workers > 0) {
    variables.emplace_back("LOCKSTEP_MAX_WORKERS", std::to_string(options_.max_workers));
  }
  if (options_.speculate) variables.emplace_back("LOCKSTEP_SPECULATE", "1");
  if (options_.devices > 0) {
    variables.emplace_back("LOCKSTEP_DEVICES", std::to_string(options_.devices));
  }
  variables.insert(variables.end(), options_.environment.begin(), options_.environment.end());
  return variables;
}

void Launcher::Order(Task& task) {
  if (task.gone) return ReplaceKeeper(task);
  cluster_.set_task_address(task.name.job, task.name.index, task.address);
  std::error_code ignored;
  const RunOrder order{.directory = std::filesystem::current_path(ignored).string(),
                       .arguments = options_.arguments,
                       .unset = VariablesOfOthers(),
                       .set = VariablesFor(task)};
  task.alive = true;
  task.ended_well = false;
  task.output.ForgetLastLine();
  (void)base::WriteAll(task.to.fd(), PackFrame(FrameKind::kRun, order.Pack()));
}

// At another port: the old one was the old keeper's.
void Launcher::ReplaceKeeper(Task& task) {
  task.gone = false;
  task.address.clear();
  task.reader = FrameReader();
  if (const Status started = StartKeeper(task); !started.ok()) {
    task.gone = true;
    Fail(task, started.message());
  }
}

// Together with others that end now. A job of which nobody is left begins anew: with a directory of
// its own, in which no epochs and no dead are noted yet.
void Launcher::StartAgain(const Task& task) {
  waiting_.push_back(task.number);
  restart_.StartAfter(loop_, kRestartPause, [this] { OrderWaiting(); });
}

std::string Launcher::JobDirectory() const {
  return job_directory_ + (lives_ > 1 ? "-" + std::to_string(lives_) : "");
}

// The first epoch waits for all tasks: one that is lost before it would be waited for in vain, and
// one that was asked to leave has to come all the same.
void Launcher::LookWhetherTheJobBegins() {
  if (!options_.hosts.empty()) return;
  begins_.StartAfter(loop_, kBeginPause, [this] {
    if (policy_->stopping() || NewestEpochIn(JobDirectory()) > 0) return;
    LookWhetherTheJobBegins();
    if (!IsComingUp(JobDirectory())) return;  // nobody waits yet
    for (const auto& task : tasks_) {
      const std::string cannot =
          "the job has not begun, and cannot without " + task->name.ToString();
      if (policy_->lost(task->number)) {
        Say(cannot + "; stopping the others");
        return Do(policy_->Miss(task->number, task->end));
      }
      if (policy_->leaving(task->number) && !policy_->running(task->number)) {
        Say(cannot + "; starting it again");
        Do(policy_->Recall(task->number));
      }
    }
  });
}

// Who was lost or has left does not take part when the job begins anew.
void Launcher::ForgetWhoIsGone() {
  ClusterSpec::Jobs jobs = cluster_.as_dict();
  for (const auto& task : tasks_) {
    const bool left = policy_->leaving(task->number) && !policy_->running(task->number);
    if (left || policy_->lost(task->number)) jobs[task->name.job].erase(task->name.index);
  }
  std::erase_if(jobs, [](const auto& job) { return job.second.empty(); });
  cluster_ = ClusterSpec(std::move(jobs));
}

void Launcher::OrderWaiting() {
  const bool servers_train = HasServers(JobDirectory());
  const bool any_left = std::any_of(tasks_.begin(), tasks_.end(), [&](const auto& task) {
    return task->alive && (Trains(task->name) || (servers_train && task->name.job == "ps"));
  });
  if (!any_left && HasFinished(JobDirectory())) {
    for (const int task : std::exchange(waiting_, {})) {
      Say(tasks_[static_cast<size_t>(task)]->name.ToString() +
          " is not started again: the others have come to the end of the job without it");
      Do(policy_->Ended(task, {}));
    }
    return;
  }
  if (!any_left) {
    ++lives_;
    ForgetWhoIsGone();
  }
  for (const int task : std::exchange(waiting_, {})) Order(*tasks_[static_cast<size_t>(task)]);
}

void Launcher::Do(const std::vector<LaunchPolicy::Action>& actions) {
  for (const auto& action : actions) {
    Task& task = *tasks_[static_cast<size_t>(action.task)];
    // Nobody is there to be told: it waits to be started, or for a keeper.
    const bool absent = task.gone || (task.address.empty() && action.signal == SIGKILL);
    if (action.signal != 0 && (std::erase(waiting_, action.task) > 0 || absent)) {
      Do(policy_->Ended(action.task, {.signal = action.signal}));
      continue;
    }
    if (action.kind == LaunchPolicy::Action::Kind::kStart && policy_->restarts(task.number) > 0) {
      StartAgain(task);
    } else if (action.kind == LaunchPolicy::Action::Kind::kStart) {
      Order(task);
    } else {
      (void)base::WriteAll(task.to.fd(),
                           PackFrame(FrameKind::kSignal, std::to_string(action.signal)));
    }
  }
  if (policy_->finished()) return Finish();
  const bool kills = std::any_of(actions.begin(), actions.end(), [](const auto& action) {
    return action.signal != 0 && action.signal != SIGKILL && !action.has_time;
  });
  if (kills) grace_.StartAfter(loop_, options_.grace, [this] { Do(policy_->GraceOver()); });
}

// A job that has begun to train, of which nobody runs, and nobody has come to its end.
bool Launcher::IsLeftUnfinished() const {
  const bool any_left = std::any_of(tasks_.begin(), tasks_.end(), [](const auto& task) {
    return task->alive && Trains(task->name);
  });
  return !any_left && NewestEpochIn(JobDirectory()) > 0 && !HasFinished(JobDirectory());
}

// A chief of which no training is known on this host schedules functions on workers and servers, so
// these wait for it without an end.
bool Launcher::IsCoordinator(const Task& task) const {
  return task.name.job == "chief" && NewestEpochIn(JobDirectory()) == 0;
}

void Launcher::OnTaskEnd(Task& task, const base::ProcessEnd& end) {
  write_(false, task.output.Finish());
  write_(true, task.error.Finish());
  board_->Gone(task.number, end.ToString());
  task.alive = false;
  task.ended_well = end.ok();
  task.end = end;
  const bool was_stopping = policy_->stopping();
  auto actions = policy_->Ended(task.number, end);
  if (!was_stopping && policy_->lost(task.number) && (IsLeftUnfinished() || IsCoordinator(task)))
    actions = policy_->Miss(task.number, end);
  if (!end.ok() && !was_stopping && !policy_->leaving(task.number)) {
    const bool restarted = policy_->running(task.number);
    const base::Duration since = loop_.Now() - started_;
    report_.losses.push_back({task.name, end, restarted, base::Milliseconds(since) / 1000});
    std::string text = Sentence(task.name, task.process, end);
    if (restarted) {
      text += "; starting it again (" + std::to_string(policy_->restarts(task.number)) + " of " +
              std::to_string(options_.rules.max_restarts) + ")";
    } else if (policy_->exit_status() != 0) {
      text += IsLeftUnfinished() ? "; no worker is left to finish the training"
                                 : "; stopping the others";
    } else if (policy_->lost(task.number)) {
      text += "; going on without it";
      LookWhetherTheJobBegins();
    } else {
      text += "; stopping the others";
    }
    Say(text);
  }
  if (policy_->leaving(task.number) && !was_stopping && Trains(task.name))
    LookWhetherTheJobBegins();
  Do(actions);
}

void Launcher::Interrupt(int signal) {
  ++interrupted_;
  if (all_addressed_) return Do(policy_->Interrupted(signal));
  report_.exit_status = 128 + signal;
  done_ = true;
}

// A task that cannot be started at all: no use to try again.
void Launcher::Fail(Task& task, const std::string& why) {
  Say(task.name.ToString() + " cannot be started: " + why);
  if (!all_addressed_) {
    report_.exit_status = 1;
    done_ = true;
    return;
  }
  Do(policy_->CannotStart(task.number, {.status = 127}));
}

void Launcher::Say(const std::string& text) { write_(true, "lockstep launch: " + text + "\n"); }

void Launcher::ShowBoard() {
  if (done_) return;
  if (const auto line = board_->Line(loop_.Now())) Say(*line);
  board_timer_.StartAfter(loop_, 200ms, [this] { ShowBoard(); });
}

void Launcher::Finish() {
  if (done_) return;
  done_ = true;
  report_.exit_status = policy_->exit_status();
  board_timer_.Stop();
  begins_.Stop();
  grace_.Stop();
}

bool Launcher::gone() const {
  return std::all_of(tasks_.begin(), tasks_.end(),
                     [](const auto& task) { return task->gone || task->keeper == nullptr; });
}

LaunchReport Launcher::TakeReport() {
  // The leader may have changed: who reports says it with an object.
  const auto reporter = std::find_if(tasks_.begin(), tasks_.end(), [](const auto& task) {
    const std::string& line = task->output.last_line();
    return task->ended_well && line.starts_with('{') && line.ends_with('}');
  });
  if (reporter != tasks_.end()) report_.last_line = (*reporter)->output.last_line();
  for (const auto& task : tasks_) {
    if (!report_.last_line.empty()) break;
    report_.last_line = task->output.last_line();
  }
  // Keepers end when nobody writes to them any more.
  for (auto& task : tasks_) task->to.Close();
  return report_;
}

}  // namespace lockstep::cluster
