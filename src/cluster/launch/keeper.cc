#include "cluster/launch/keeper.h"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstring>
#include <filesystem>

#include "base/environment.h"
#include "cluster/address.h"
#include "cluster/host_arbiter.h"

namespace lockstep::cluster {

namespace {

using namespace std::chrono_literals;

// How long output may come after the end, from processes that left the group.
constexpr base::Duration kDrain = 300ms;
// Between SIGTERM and SIGKILL when the launcher is gone.
constexpr base::Duration kGrace = 2s;

std::map<std::string, std::string> EnvironmentFor(const RunOrder& order) {
  auto environment = base::ProcessEnvironment();
  for (const std::string& name : order.unset) {
    const bool prefix = name.ends_with('*');
    std::erase_if(environment, [&](const auto& variable) {
      return prefix ? variable.first.starts_with(name.substr(0, name.size() - 1))
                    : variable.first == name;
    });
  }
  for (const auto& [name, value] : order.set) environment[name] = value;
  return environment;
}

// A directory that only this user can see; it may be there already, made by another task's keeper.
Status MakePrivateDirectory(const std::string& path) {
  struct stat found {};
  if (mkdir(path.c_str(), 0700) == 0) return Status::Ok();
  if (errno != EEXIST) {
    return Status(Code::kUnavailable, "[launch] the job's directory must be made; got " +
                                          std::string(std::strerror(errno)) + " (" + path +
                                          "); let TMPDIR name a directory that can be written");
  }
  if (lstat(path.c_str(), &found) == 0 && S_ISDIR(found.st_mode) && found.st_uid == geteuid() &&
      (found.st_mode & 0077) == 0) {
    return Status::Ok();
  }
  return Status(Code::kPermissionDenied,
                "[launch] the job's directory must be this user's alone; got another (" + path +
                    "); let TMPDIR name a "
                    "directory of this user");
}

}  // namespace

Keeper::Keeper(base::EventLoop& loop, int input, int output)
    : loop_(loop), input_(input), output_(output) {
  loop_.WatchFile(input_, true, false, [this](base::FileEvents) { OnInput(); });
}

Keeper::~Keeper() {
  if (!closing_) loop_.UnwatchFile(input_);
  for (Stream& stream : streams_) {
    if (stream.file) loop_.UnwatchFile(stream.file.fd());
  }
  if (task_ != nullptr) loop_.UnwatchFile(task_->end_fd());
  task_.reset();
  if (job_directory_.empty()) return;
  std::error_code ignored;
  std::filesystem::remove_all(job_directory_, ignored);
}

Status Keeper::Begin(const std::string& host) {
  host_ = host;
  LOCKSTEP_ASSIGN_OR_RETURN(auto port, net::ReservedPort::Reserve(host));
  port_.emplace(std::move(port));
  Tell(FrameKind::kAddress, Address{host, port_->port()}.ToString());
  return Status::Ok();
}

void Keeper::Tell(FrameKind kind, std::string_view body) {
  if (!closing_ && !base::WriteAll(output_, PackFrame(kind, body))) Close();
}

void Keeper::OnInput() {
  std::string bytes;
  const bool open = base::ReadAvailable(input_, &bytes);
  reader_.Feed(bytes);
  Frame frame;
  while (reader_.Take(&frame)) OnFrame(frame);
  if (!open || reader_.broken()) Close();
}

void Keeper::OnFrame(const Frame& frame) {
  RunOrder order;
  if (frame.kind == FrameKind::kSignal && task_ != nullptr) {
    task_->Signal(ReadNumber(frame.body, 1, 64).value_or(SIGTERM));
  } else if (frame.kind == FrameKind::kGone) {
    if (const auto ended = EndedProcess::Parse(frame.body)) NoteEnded(job_directory_, *ended);
  } else if (frame.kind == FrameKind::kRun && RunOrder::Unpack(frame.body, &order)) {
    Run(order);
  }
}

void Keeper::Run(const RunOrder& order) {
  if (task_ != nullptr) return;
  if (const Status started = Start(order); !started.ok()) {
    Tell(FrameKind::kFailed, started.message());
    return;
  }
  started_ = loop_.Now();
  Tell(FrameKind::kStarted, std::to_string(task_->pid()));
  LookForListener();
}

Status Keeper::Start(const RunOrder& order) {
  base::ProcessOptions options{.arguments = order.arguments, .environment = EnvironmentFor(order)};
  std::error_code ignored;
  if (const auto& path = options.environment["LOCKSTEP_JOB_DIR"]; !path.empty()) {
    LOCKSTEP_RETURN_IF_ERROR(MakePrivateDirectory(path));
    // The job has begun anew.
    if (job_directory_ != path) std::filesystem::remove_all(job_directory_, ignored);
    job_directory_ = path;
  }
  if (std::filesystem::is_directory(order.directory, ignored)) options.directory = order.directory;
  LOCKSTEP_ASSIGN_OR_RETURN(auto socket, port_->MakeSocket());
  options.passed = socket.fd();
  options.environment["LOCKSTEP_LISTEN_FD"] = "3";
  LOCKSTEP_ASSIGN_OR_RETURN(auto output, base::Pipe::Make());
  LOCKSTEP_ASSIGN_OR_RETURN(auto error, base::Pipe::Make());
  options.output = output.writes.fd();
  options.error = error.writes.fd();
  LOCKSTEP_ASSIGN_OR_RETURN(task_, base::Process::Start(options));
  DescribeProcess(task_->pid(), &process_);
  end_.reset();
  streams_[0].file = std::move(output.reads);
  streams_[1].file = std::move(error.reads);
  for (Stream& stream : streams_) Watch(stream);
  loop_.WatchFile(task_->end_fd(), true, false, [this](base::FileEvents) { OnEnded(); });
  return Status::Ok();
}

void Keeper::Watch(Stream& stream) {
  loop_.WatchFile(stream.file.fd(), true, false,
                  [this, &stream](base::FileEvents) { OnStream(stream); });
}

void Keeper::OnStream(Stream& stream) {
  std::string bytes;
  const bool open = base::ReadAvailable(stream.file.fd(), &bytes);
  if (!bytes.empty()) Tell(stream.kind, bytes);
  if (open) return;
  loop_.UnwatchFile(stream.file.fd());
  stream.file.Close();
  if (end_ && !streams_[0].file && !streams_[1].file) TellEnd();
}

void Keeper::OnEnded() {
  end_ = task_->TakeEnd();
  if (!end_) return;
  loop_.UnwatchFile(task_->end_fd());
  look_.Stop();
  if (!streams_[0].file && !streams_[1].file) return TellEnd();
  drain_.StartAfter(loop_, kDrain, [this] { TellEnd(); });
}

void Keeper::TellEnd() {
  drain_.Stop();
  kill_.Stop();
  for (Stream& stream : streams_) {
    if (stream.file) loop_.UnwatchFile(stream.file.fd());
    stream.file.Close();
  }
  task_.reset();
  const EndedProcess ended{process_.host, process_.process, process_.process_start,
                           NewestEpochIn(job_directory_)};
  Tell(FrameKind::kEnded,
       std::to_string(end_->status) + " " + std::to_string(end_->signal) + " " + ended.ToString());
}

void Keeper::LookForListener() {
  if (task_ == nullptr || end_) return;
  if (port_->IsListening()) return Tell(FrameKind::kListening, "");
  const bool fresh = loop_.Now() - started_ < 10s;
  look_.StartAfter(loop_, fresh ? 50ms : 500ms, [this] { LookForListener(); });
}

void Keeper::Close() {
  if (closing_) return;
  closing_ = true;
  loop_.UnwatchFile(input_);
  if (task_ == nullptr || end_) return;
  task_->Signal(SIGTERM);
  kill_.StartAfter(loop_, kGrace, [this] { task_->Signal(SIGKILL); });
}

int RunKeeper(const std::string& host) {
  // Those of a terminal are the launcher's to hand on.
  base::SignalQueue signals({SIGINT, SIGQUIT, SIGHUP});
  base::EventLoop loop;
  loop.set_patience({.spins = 0, .yielding = base::Duration(0)});
  Keeper keeper(loop, STDIN_FILENO, STDOUT_FILENO);
  if (const Status begun = keeper.Begin(host); !begun.ok()) {
    (void)base::WriteAll(STDOUT_FILENO, PackFrame(FrameKind::kFailed, begun.message()));
    return 1;
  }
  while (!loop.RunUntil([&] { return keeper.done(); }, 3600s)) {
  }
  return 0;
}

}  // namespace lockstep::cluster
