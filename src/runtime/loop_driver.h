#pragma once

#include <condition_variable>
#include <functional>
#include <mutex>

#include "base/event_loop.h"
#include "runtime/await.h"

namespace lockstep::runtime {

/// An event loop that is run by whoever waits for something on it: of several threads that wait one
/// runs it, and the others get their turn when that one has what it waited for. So who waits alone
/// wakes nobody, and is woken by nobody.
class LoopDriver {
 public:
  base::EventLoop& loop() { return loop_; }
  /// As `AwaitOn`.
  void Await(const std::function<void(OnDone)>& start, const RunControl* control = nullptr,
             const std::function<void(const Status&)>& end = nullptr);
  /// Carries out `work` on the loop.
  void Run(const std::function<void()>& work);

 private:
  base::EventLoop loop_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool driven_ = false;  // guarded by mutex_
};

}  // namespace lockstep::runtime
