#include "base/task.h"

namespace lockstep::base {
namespace {

Task<void> EndProgramOnException(Task<void> task) {
  try {
    co_await task;
  } catch (...) {
    std::terminate();
  }
}

}  // namespace

void TaskScope::Spawn(Task<void> task) {
  running_.remove_if([](const Running& running) { return running.task.handle_.done(); });
  Running& running = running_.emplace_back(EndProgramOnException(std::move(task)));
  running.start.StartAt(executor_, executor_.Now(),
                        [handle = running.task.handle_] { handle.resume(); });
}

size_t TaskScope::unfinished() const {
  size_t count = 0;
  for (const Running& running : running_) count += running.task.handle_.done() ? 0 : 1;
  return count;
}

}  // namespace lockstep::base
