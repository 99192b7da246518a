#pragma once

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/base/status.h"

/// Processes that this one starts, signals of its own, and pipes: what a launcher is made of.
/// Nothing here waits; an event loop watches the file descriptors.

namespace lockstep::base {

/// A file descriptor that is closed with its owner; not inherited by processes that are started.
class OwnedFile {
 public:
  OwnedFile() = default;
  explicit OwnedFile(int fd) : fd_(fd) {}
  OwnedFile(OwnedFile&& other) noexcept : fd_(std::exchange(other.fd_, -1)) {}
  OwnedFile& operator=(OwnedFile&& other) noexcept {
    std::swap(fd_, other.fd_);
    return *this;
  }
  ~OwnedFile() { Close(); }
  int fd() const { return fd_; }
  explicit operator bool() const { return fd_ >= 0; }
  void Close();

 private:
  int fd_ = -1;
};

struct Pipe {
  OwnedFile reads, writes;
  static Result<Pipe> Make();
};

/// How a process ended.
struct ProcessEnd {
  int status = 0;  // what it returned, if no signal ended it
  int signal = 0;
  bool ok() const { return status == 0 && signal == 0; }
  /// As a shell reports it: the status, or 128 and the signal.
  int exit_status() const { return signal != 0 ? 128 + signal : status; }
  /// "status 3", "signal 9 (Killed)"
  std::string ToString() const;
  bool operator==(const ProcessEnd&) const = default;
};

struct ProcessOptions {
  std::vector<std::string> arguments;  // the first one is the program, looked for in PATH
  std::map<std::string, std::string> environment;
  std::string directory;        // empty: this process's
  int input = -1;               // -1: /dev/null
  int output = -1;              // -1: this process's
  int error = -1;               // -1: this process's
  int passed = -1;              // is given on as descriptor 3; -1: none
  bool dies_with_owner = true;  // killed by the kernel when this process ends, however it does
};

/// A running process at the head of a process group of its own.
class Process {
 public:
  /// Errors: NotFound, PermissionDenied, ResourceExhausted, Unavailable, as the system said.
  static Result<std::unique_ptr<Process>> Start(const ProcessOptions& options);
  /// Kills the group and takes the process's end.
  ~Process();
  Process(const Process&) = delete;
  Process& operator=(const Process&) = delete;

  int pid() const { return pid_; }
  /// Becomes readable when the process has ended.
  int end_fd() const { return end_.fd(); }
  /// To the whole group; nothing once the end was taken.
  void Signal(int signal);
  /// The end, once it is there: kills what is left of the group, then takes the end.
  std::optional<ProcessEnd> TakeEnd();

 private:
  Process(int pid, OwnedFile end) : pid_(pid), end_(std::move(end)) {}
  int pid_;
  OwnedFile end_;
  std::optional<ProcessEnd> taken_;
};

/// Turns signals of this process into something to watch: while it lives they are queued and do
/// nothing else. SIGPIPE is ignored for good. To be made before threads are.
class SignalQueue {
 public:
  explicit SignalQueue(const std::vector<int>& signals);
  ~SignalQueue();
  SignalQueue(const SignalQueue&) = delete;
  SignalQueue& operator=(const SignalQueue&) = delete;
  /// Readable while signals are queued.
  int fd() const { return file_.fd(); }
  /// The next one; 0: none.
  int Take();

 private:
  OwnedFile file_;
  std::vector<int> signals_;
};

/// What is there to read now, appended to `out`; false at the end of the file. Needs a descriptor
/// that was reported readable.
bool ReadAvailable(int fd, std::string* out);
/// Writes all of it; false if nobody reads any more.
bool WriteAll(int fd, std::string_view bytes);
/// The path of the program that runs.
std::string ThisProgram();

}  // namespace lockstep::base
