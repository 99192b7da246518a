#include "base/shared_lock.h"

#include <chrono>
#include <thread>

namespace lockstep::base {

void SharedLock::Lock() {
  uint32_t state = state_.load(std::memory_order_relaxed);
  while (true) {
    if ((state & ~kWaiting) == 0) {
      // Taking the lock clears the waiting bit; another waiting writer sets it again.
      if (state_.compare_exchange_weak(state, kWriter, std::memory_order_acquire)) return;
    } else if (!(state & kWaiting)) {
      state_.compare_exchange_weak(state, state | kWaiting, std::memory_order_relaxed);
    } else {
      state_.wait(state, std::memory_order_relaxed);
      state = state_.load(std::memory_order_relaxed);
    }
  }
}

void SharedLock::Unlock() {
  state_.fetch_and(~kWriter, std::memory_order_release);
  state_.notify_all();
}

void SharedLock::LockShared() {
  uint32_t state = state_.load(std::memory_order_relaxed);
  while (true) {
    if (!(state & (kWriter | kWaiting))) {
      if (state_.compare_exchange_weak(state, state + 1, std::memory_order_acquire)) return;
    } else {
      state_.wait(state, std::memory_order_relaxed);
      state = state_.load(std::memory_order_relaxed);
    }
  }
}

bool SharedLock::TryLock() {
  uint32_t state = state_.load(std::memory_order_relaxed);
  while ((state & ~kWaiting) == 0) {
    if (state_.compare_exchange_weak(state, kWriter, std::memory_order_acquire)) return true;
  }
  return false;
}

bool SharedLock::TryLockShared() {
  uint32_t state = state_.load(std::memory_order_relaxed);
  while (!(state & (kWriter | kWaiting))) {
    if (state_.compare_exchange_weak(state, state + 1, std::memory_order_acquire)) return true;
  }
  return false;
}

void SharedLock::Pause() { std::this_thread::sleep_for(std::chrono::microseconds(50)); }

void SharedLock::UnlockShared() {
  const uint32_t before = state_.fetch_sub(1, std::memory_order_release);
  if (before & kWaiting) state_.notify_all();
}

}  // namespace lockstep::base
