#include "base/event_loop.h"

#include <utility>

namespace lockstep::base {

EventLoop::~EventLoop() {
  // Work may own what posts or cancels on its way out: it dies outside of the lock.
  std::map<TimerId, Work> dropped;
  {
    std::lock_guard lock(mutex_);
    dropped.swap(queue_);
  }
}

TimerId EventLoop::PostAt(Time when, Work work) {
  std::lock_guard lock(mutex_);
  const TimerId id{when, sequence_++};
  const auto place = queue_.emplace(id, std::move(work)).first;
  if (place == queue_.begin()) changed_.notify_one();
  return id;
}

bool EventLoop::Cancel(TimerId timer) {
  decltype(queue_)::node_type dropped;
  std::lock_guard lock(mutex_);
  dropped = queue_.extract(timer);
  return !dropped.empty();
}

bool EventLoop::Take(Time until, Work* work) {
  std::unique_lock lock(mutex_);
  while (!stopped_) {
    const Time now = Now();
    if (!queue_.empty() && queue_.begin()->first.when <= now) {
      *work = std::move(queue_.extract(queue_.begin()).mapped());
      return true;
    }
    if (now >= until) return false;
    Time wake = until;
    if (!queue_.empty()) wake = std::min(wake, queue_.begin()->first.when);
    // A bounded nap where there is nothing to wait for: no overflow in the clock's arithmetic.
    const Duration nap = std::min<Duration>(wake - now, std::chrono::hours(1));
    changed_.wait_for(lock, nap);
  }
  return false;
}

void EventLoop::Run() {
  while (true) {
    Work work;
    if (Take(Time::max(), &work)) {
      work();
      continue;
    }
    std::lock_guard lock(mutex_);
    if (stopped_) return;
  }
}

bool EventLoop::RunUntil(const std::function<bool()>& done, Duration limit) {
  const Time until = Now() + limit;
  while (!done()) {
    Work work;
    if (!Take(until, &work)) return done();
    work();
  }
  return true;
}

void EventLoop::Stop() {
  std::lock_guard lock(mutex_);
  stopped_ = true;
  changed_.notify_all();
}

}  // namespace lockstep::base
