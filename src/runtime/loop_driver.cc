#include "runtime/loop_driver.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <exception>
#include <memory>

#include "runtime/run_control.h"
#include "runtime/waiting.h"

namespace lockstep::runtime {

namespace {

// Between two looks at what may end a run; longer ones let the loop sleep.
constexpr base::Duration kFirstSlice = std::chrono::milliseconds(1);
constexpr base::Duration kLongestSlice = std::chrono::milliseconds(50);

}  // namespace

void LoopDriver::Await(const std::function<void(OnDone)>& start, const RunControl* control,
                       const std::function<void(const Status&)>& end) {
  const auto done = std::make_shared<std::atomic<bool>>(false);
  loop_.Post([this, &start, done] {
    start([this, done] {
      const std::lock_guard lock(mutex_);
      done->store(true);
      changed_.notify_all();
    });
  });
  const auto is_done = [&done] { return done->load(std::memory_order_relaxed); };
  bool ended = control == nullptr || end == nullptr;
  std::exception_ptr interrupted;
  std::unique_lock lock(mutex_);
  base::Duration slice = kFirstSlice;
  while (!is_done()) {
    if (driven_) {
      changed_.wait_for(lock, slice);
    } else {
      driven_ = true;
      lock.unlock();
      loop_.RunUntil(is_done, slice);
      lock.lock();
      driven_ = false;
    }
    slice = std::min(2 * slice, kLongestSlice);
    if (ended || is_done()) continue;
    Status status = control->Check();
    if (slice == kLongestSlice) {
      lock.unlock();
      try {
        LookWhileWaiting();
      } catch (...) {
        interrupted = std::current_exception();
        status = Status(Code::kCancelled, "[session] a signal has ended the wait");
      }
      lock.lock();
    }
    if (status.ok()) continue;
    ended = true;
    // By then what is waited for may have come, and this call be over.
    loop_.Post([end, status, done] {
      if (!done->load(std::memory_order_relaxed)) end(status);
    });
  }
  changed_.notify_all();  // somebody else may run the loop now
  if (interrupted != nullptr) std::rethrow_exception(interrupted);
}

void LoopDriver::Run(const std::function<void()>& work) {
  Await([&](const OnDone& done) {
    work();
    done();
  });
}

}  // namespace lockstep::runtime
