#pragma once

#include <cstdint>
#include <functional>

#include "base/clock.h"

namespace lockstep::base {

using Work = std::function<void()>;

/// Names one posted work; compares by the order in which it will run.
struct TimerId {
  Time when{};
  uint64_t sequence = 0;
  auto operator<=>(const TimerId&) const = default;
};

/// Runs work one piece at a time, now or at a moment of its own timeline: the seam between event
/// handlers and the world, real (`EventLoop`) or simulated (`sim::World`).
/// Order: by time, equal times in the order of posting.
/// Threads: Post, PostAt, Cancel and Now from any; the work itself never runs concurrently.
class Executor {
 public:
  virtual ~Executor() = default;
  virtual Time Now() const = 0;
  virtual void Post(Work work) = 0;
  /// Runs `work` at `when`, or as soon as possible if that is past.
  virtual TimerId PostAt(Time when, Work work) = 0;
  /// Takes back work that has not begun; false if it has begun, is done or was cancelled. Called
  /// from the executor's own work, true or false, it will not begin later.
  virtual bool Cancel(TimerId timer) = 0;

  /// From now on whoever waits for other processes sleeps so long before it looks again, and they
  /// need not wake it; zero: it is woken. Does nothing where there are no others.
  virtual void set_nap(Duration /*nap*/) {}

  TimerId PostAfter(Duration delay, Work work) { return PostAt(Now() + delay, std::move(work)); }
};

/// One pending piece of work that dies with its owner.
class Timer {
 public:
  Timer() = default;
  Timer(const Timer&) = delete;
  Timer& operator=(const Timer&) = delete;
  ~Timer() { Stop(); }

  /// Replaces what was pending.
  void StartAt(Executor& executor, Time when, Work work);
  void StartAfter(Executor& executor, Duration delay, Work work) {
    StartAt(executor, executor.Now() + delay, std::move(work));
  }
  void Stop();

 private:
  Executor* executor_ = nullptr;
  TimerId id_;
};

}  // namespace lockstep::base
