#include "runtime/await.h"

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <memory>
#include <mutex>

#include "runtime/run_control.h"

namespace lockstep::runtime {

namespace {

// Shared with the work, which may outlive the wait by a moment.
struct Waiting {
  std::mutex mutex;
  std::condition_variable changed;
  bool done = false;

  void Done() {
    const std::lock_guard lock(mutex);
    done = true;
    changed.notify_all();
  }
};

bool MayEnd(const RunControl* control) {
  return control != nullptr && (control->cancellation != nullptr || control->closed != nullptr ||
                                control->deadline != RunControl::Clock::time_point{});
}

}  // namespace

void RunOn(base::Executor& executor, const std::function<void()>& work) {
  AwaitOn(executor, [&](const OnDone& done) {
    work();
    done();
  });
}

void AwaitOn(base::Executor& executor, const std::function<void(OnDone)>& start,
             const RunControl* control, const std::function<void(const Status&)>& end) {
  const auto waiting = std::make_shared<Waiting>();
  executor.Post([&start, waiting] { start([waiting] { waiting->Done(); }); });
  std::unique_lock lock(waiting->mutex);
  bool ended = !MayEnd(control);
  const auto done = [&] { return waiting->done; };
  while (!waiting->done) {
    if (ended) {
      waiting->changed.wait(lock, done);
      return;
    }
    if (waiting->changed.wait_for(lock, std::chrono::milliseconds(1), done)) return;
    const Status status = control->Check();
    if (status.ok()) continue;
    ended = true;
    // By then what is waited for may have come, and this call be over.
    executor.Post([end, status, waiting] {
      std::unique_lock over(waiting->mutex);
      if (waiting->done) return;
      over.unlock();
      end(status);
    });
  }
}

}  // namespace lockstep::runtime
