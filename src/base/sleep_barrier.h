#pragma once

#include <atomic>

namespace lockstep::base {

/// The order between one process that writes a message and then looks whether its peer sleeps, and
/// the peer, which says that it sleeps and then looks for messages: at least one of them sees the
/// other. A barrier in both costs the writer some tenth of a microsecond for each message; here the
/// sleeper, who has time, puts one into all processes that take part (membarrier).
class SleepBarrier {
 public:
  SleepBarrier();
  /// Whether this system has such barriers; else both sides pay.
  bool works() const { return works_; }
  /// Between writing and looking; `peer_works`: what the sleeper's own `works` says.
  void AfterWriting(bool peer_works) const {
    if (works_ && peer_works) {
      std::atomic_signal_fence(std::memory_order_seq_cst);
    } else {
      std::atomic_thread_fence(std::memory_order_seq_cst);
    }
  }
  /// Between saying that this process sleeps and its last look.
  void BeforeLooking() const;

 private:
  bool works_;
};

}  // namespace lockstep::base
