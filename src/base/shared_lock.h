#pragma once

#include <atomic>
#include <cstdint>

namespace lockstep::base {

/// A lock for many readers or one writer that costs one compare-and-swap when nobody competes.
/// Writers do not starve: a waiting writer keeps new readers out.
class SharedLock {
 public:
  void Lock();
  void Unlock();
  void LockShared();
  void UnlockShared();
  /// Without waiting; whether it was taken.
  bool TryLock();
  bool TryLockShared();
  /// Between two attempts: sleeps for some microseconds.
  static void Pause();

 private:
  static constexpr uint32_t kWriter = 1u << 31;
  static constexpr uint32_t kWaiting = 1u << 30;
  std::atomic<uint32_t> state_{0};  // readers, and the two bits above
};

}  // namespace lockstep::base
