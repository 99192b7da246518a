#include "cli/waiting_threads.h"

#include <sys/syscall.h>

#include <cstdlib>
#include <filesystem>
#include <string>

#include "base/first_line.h"

namespace lockstep::cli {

namespace {

// The system's text: the call's number, and its arguments; of a futex the fourth says how long.
bool Waits(const std::string& call) {
  char* end = nullptr;
  const long number = std::strtol(call.c_str(), &end, 10);
  if (end == call.c_str()) return false;  // "running"
  unsigned long arguments[4] = {};
  for (unsigned long& argument : arguments) argument = std::strtoul(end, &end, 16);
  if (number == SYS_futex) return arguments[3] == 0;
#ifdef SYS_epoll_wait
  if (number == SYS_epoll_wait) return static_cast<int>(arguments[3]) < 0;
#endif
  return number == SYS_epoll_pwait && static_cast<int>(arguments[3]) < 0;
}

}  // namespace

bool AllThreadsWait(int process) {
  std::error_code error;
  const std::filesystem::path tasks = "/proc/" + std::to_string(process) + "/task";
  int threads = 0;
  for (const auto& task : std::filesystem::directory_iterator(tasks, error)) {
    if (!Waits(base::FirstLine(task.path() / "syscall"))) return false;
    ++threads;
  }
  return !error && threads > 1;
}

}  // namespace lockstep::cli
