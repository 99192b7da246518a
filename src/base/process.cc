#include "base/process.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/prctl.h>
#include <sys/signalfd.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace lockstep::base {

namespace {

Status Failed(const char* what, const std::string& name, int error) {
  Code code = Code::kUnavailable;
  if (error == ENOENT || error == ENOTDIR) code = Code::kNotFound;
  if (error == EACCES || error == ENOEXEC) code = Code::kPermissionDenied;
  if (error == EAGAIN || error == ENOMEM || error == EMFILE) code = Code::kResourceExhausted;
  return Status(code, std::string("[process] ") + what + " must succeed; got " +
                          std::strerror(error) + " (" + name + ")");
}

// What keeps a program from being run is its name or its mode.
Status CannotRun(const std::string& name, int error) {
  const Status status = Failed("running the program", name, error);
  const char* cure = status.code() == Code::kNotFound ? "; write its path, or put it in PATH"
                     : status.code() == Code::kPermissionDenied
                         ? "; make it executable (chmod +x), or name its interpreter before it"
                         : "";
  return Status(status.code(), status.message() + cure);
}

std::vector<char*> Pointers(std::vector<std::string>& texts) {
  std::vector<char*> pointers;
  for (std::string& text : texts) pointers.push_back(text.data());
  pointers.push_back(nullptr);
  return pointers;
}

// What the child does between fork and exec: only calls that are safe there.
struct Child {
  const ProcessOptions& options;
  char** arguments;
  char** environment;
  int parent;
  int report;  // gets errno if the program cannot be run

  [[noreturn]] void Run() const {
    sigset_t none;
    sigemptyset(&none);
    sigprocmask(SIG_SETMASK, &none, nullptr);
    signal(SIGPIPE, SIG_DFL);
    setpgid(0, 0);
    if (options.dies_with_owner) {
      prctl(PR_SET_PDEATHSIG, SIGKILL);
      if (getppid() != parent) _exit(127);  // it has ended before that was set
    }
    if (!options.directory.empty() && chdir(options.directory.c_str()) != 0) Report();
    // All go to high numbers first, as 0 to 3 may be sources, too.
    int sources[4] = {options.input, options.output, options.error, options.passed};
    if (sources[0] < 0) sources[0] = open("/dev/null", O_RDONLY | O_CLOEXEC);
    for (int& source : sources) {
      if (source >= 0) source = fcntl(source, F_DUPFD_CLOEXEC, 10);
    }
    for (int i = 0; i < 4; ++i) {
      if (sources[i] >= 0) dup2(sources[i], i);
    }
    environ = environment;
    execvp(arguments[0], arguments);
    Report();
  }
  [[noreturn]] void Report() const {
    const int error = errno;
    (void)!write(report, &error, sizeof error);
    _exit(127);
  }
};

}  // namespace

void OwnedFile::Close() {
  if (fd_ >= 0) close(std::exchange(fd_, -1));
}

Result<Pipe> Pipe::Make() {
  int ends[2];
  if (pipe2(ends, O_CLOEXEC) != 0) return Failed("making a pipe", "pipe2", errno);
  return Pipe{OwnedFile(ends[0]), OwnedFile(ends[1])};
}

std::string ProcessEnd::ToString() const {
  if (signal == 0) return "status " + std::to_string(status);
  return "signal " + std::to_string(signal) + " (" + strsignal(signal) + ")";
}

Result<std::unique_ptr<Process>> Process::Start(const ProcessOptions& options) {
  if (options.arguments.empty()) {
    return Status(Code::kInvalidArgument, "[process] a program must be named; got nothing");
  }
  std::vector<std::string> arguments = options.arguments, environment;
  for (const auto& [name, value] : options.environment) environment.push_back(name + "=" + value);
  LOCKSTEP_ASSIGN_OR_RETURN(Pipe report, Pipe::Make());
  const auto argument_pointers = Pointers(arguments), environment_pointers = Pointers(environment);
  const Child child{options, const_cast<char**>(argument_pointers.data()),
                    const_cast<char**>(environment_pointers.data()), getpid(), report.writes.fd()};
  const pid_t pid = fork();
  if (pid < 0) return Failed("starting a process", options.arguments[0], errno);
  if (pid == 0) child.Run();
  setpgid(pid, pid);  // here, too, so that a signal sent at once finds the group
  report.writes.Close();
  int error = 0;
  ssize_t got;
  do {
    got = read(report.reads.fd(), &error, sizeof error);
  } while (got < 0 && errno == EINTR);
  const int end = got > 0 ? -1 : static_cast<int>(syscall(SYS_pidfd_open, pid, 0));
  if (end < 0) {
    if (got <= 0) {
      error = errno;
      kill(pid, SIGKILL);
    }
    waitpid(pid, nullptr, 0);
    return CannotRun(options.arguments[0], error);
  }
  fcntl(end, F_SETFD, FD_CLOEXEC);
  return std::unique_ptr<Process>(new Process(pid, OwnedFile(end)));
}

Process::~Process() {
  if (taken_) return;
  Signal(SIGKILL);
  kill(pid_, SIGKILL);  // should it have left its group
  siginfo_t info;
  while (waitid(P_PID, static_cast<id_t>(pid_), &info, WEXITED) < 0 && errno == EINTR) {
  }
}

void Process::Signal(int signal) {
  if (!taken_) kill(-pid_, signal);
}

std::optional<ProcessEnd> Process::TakeEnd() {
  if (taken_) return taken_;
  siginfo_t info{};
  const auto id = static_cast<id_t>(pid_);
  if (waitid(P_PID, id, &info, WEXITED | WNOHANG | WNOWAIT) != 0 || info.si_pid == 0) return {};
  kill(-pid_, SIGKILL);  // while its number cannot be anybody else's
  waitid(P_PID, id, &info, WEXITED | WNOHANG);
  taken_ = info.si_code == CLD_EXITED ? ProcessEnd{.status = info.si_status}
                                      : ProcessEnd{.signal = info.si_status};
  return taken_;
}

SignalQueue::SignalQueue(const std::vector<int>& signals) : signals_(signals) {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : signals) sigaddset(&set, signal);
  sigprocmask(SIG_BLOCK, &set, nullptr);
  signal(SIGPIPE, SIG_IGN);
  file_ = OwnedFile(signalfd(-1, &set, SFD_CLOEXEC | SFD_NONBLOCK));
}

SignalQueue::~SignalQueue() {
  while (Take() != 0) {
  }
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : signals_) sigaddset(&set, signal);
  sigprocmask(SIG_UNBLOCK, &set, nullptr);
}

int SignalQueue::Take() {
  signalfd_siginfo info;
  if (read(file_.fd(), &info, sizeof info) != sizeof info) return 0;
  return static_cast<int>(info.ssi_signo);
}

bool ReadAvailable(int fd, std::string* out) {
  char buffer[16384];
  const ssize_t got = read(fd, buffer, sizeof buffer);
  if (got > 0) out->append(buffer, static_cast<size_t>(got));
  return got > 0 || (got < 0 && (errno == EINTR || errno == EAGAIN));
}

bool WriteAll(int fd, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t wrote = write(fd, bytes.data(), bytes.size());
    if (wrote > 0) {
      bytes.remove_prefix(static_cast<size_t>(wrote));
    } else if (wrote < 0 && errno == EAGAIN) {
      pollfd ready{fd, POLLOUT, 0};
      poll(&ready, 1, -1);
    } else if (wrote < 0 && errno != EINTR) {
      return false;
    }
  }
  return true;
}

std::string ThisProgram() {
  char path[4096];
  const ssize_t length = readlink("/proc/self/exe", path, sizeof path);
  return length > 0 ? std::string(path, static_cast<size_t>(length)) : std::string();
}

}  // namespace lockstep::base
