#pragma once

#include <condition_variable>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <mutex>

namespace lockstep::runtime {

/// Threads that wait for long call `look` now and then; it may throw, as for Ctrl-C in a program of
/// Python, and ends the wait.
void SetLookWhileWaiting(void (*look)());
void LookWhileWaiting();

/// Something that happens once, and that threads wait for. Threads: all members from any.
class Awaited {
 public:
  void Happen();
  void Wait() const;

 private:
  mutable std::mutex mutex_;
  mutable std::condition_variable changed_;
  bool happened_ = false;  // guarded by mutex_
};

/// At most so many are inside; others wait. 0: any number. Threads: all members from any.
class WaitingRoom {
 public:
  explicit WaitingRoom(size_t most = 0) : most_(most) {}
  void set_most(size_t most) { most_ = most; }  // before anybody enters
  void Enter();
  void Leave();

 private:
  size_t most_;
  std::mutex mutex_;
  std::condition_variable changed_;
  size_t inside_ = 0;  // guarded by mutex_
};

/// Numbers that others hand over, and that one thread takes in the order in which they have come.
/// Threads: any may put.
class Arrivals {
 public:
  void Put(uint64_t number);
  /// Waits for the next one.
  uint64_t Take();

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  std::deque<uint64_t> waiting_;  // guarded by mutex_
};

}  // namespace lockstep::runtime
