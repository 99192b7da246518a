#pragma once

#include <condition_variable>
#include <map>
#include <mutex>
#include <thread>

#include "base/executor.h"

namespace lockstep::base {

/// The real executor: a queue in the order of time that its owner runs on a thread of their choice.
/// Threads: everything from any thread; one thread at a time may run the loop.
class EventLoop final : public Executor {
 public:
  EventLoop() = default;
  ~EventLoop() override;

  Time Now() const override { return clock_.Now(); }
  void Post(Work work) override { PostAt(Now(), std::move(work)); }
  TimerId PostAt(Time when, Work work) override;
  bool Cancel(TimerId timer) override;

  /// Runs work as it becomes due until `Stop`.
  void Run();
  /// Runs work until `done` (asked after each piece) or `limit` has passed; says whether `done`.
  bool RunUntil(const std::function<bool()>& done, Duration limit);
  /// Lets `Run` return after the piece of work that it is in; a later `Run` returns at once.
  void Stop();

 private:
  // Takes the first due piece of work, waiting no longer than `until` or `Stop`.
  bool Take(Time until, Work* work);

  MonotonicClock clock_;
  std::mutex mutex_;
  std::condition_variable changed_;
  std::map<TimerId, Work> queue_;  // guarded by mutex_
  uint64_t sequence_ = 0;          // guarded by mutex_
  bool stopped_ = false;           // guarded by mutex_
};

/// An event loop with a thread of its own, joined by the destructor. Work still queued is dropped.
class EventThread {
 public:
  EventThread() : thread_([this] { loop_.Run(); }) {}
  ~EventThread() {
    loop_.Stop();
    thread_.join();
  }
  Executor& executor() { return loop_; }

 private:
  EventLoop loop_;
  std::thread thread_;
};

}  // namespace lockstep::base
