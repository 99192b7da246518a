#pragma once

#include <algorithm>
#include <vector>

#include "base/clock.h"
#include "base/cores.h"

namespace lockstep::base {

/// Where a thread runs that sleeps.
inline constexpr int kNoCore = -1;

/// Gives a thread that waits for others a core of its own. The system leaves two such threads on
/// one core for tens of milliseconds while another core is idle: threads that spin or yield look
/// busy to it, and such that ran a moment ago stay where their caches are. So each says where it
/// runs, and who waits goes elsewhere. One of these a thread, which alone calls it.
class OwnCore {
 public:
  /// If another thread runs on this thread's core (`is_taken(core)`), and on some other core where
  /// this one may run there is none, the thread goes there, and `publish(core)` says so before: the
  /// other one looks as soon as this one is off. At most once a millisecond.
  template <typename IsTaken, typename Publish>
  void Seek(const IsTaken& is_taken, const Publish& publish) {
    const int here = CurrentCore();
    if (here < 0 || !is_taken(here)) return;
    const Time now = clock_.Now();
    if (now < may_move_) return;
    // From here on around: the next ones are often nearer than the first.
    const size_t next = std::upper_bound(cores_.begin(), cores_.end(), here) - cores_.begin();
    for (size_t i = 0; i < cores_.size(); ++i) {
      const int core = cores_[(next + i) % cores_.size()];
      if (is_taken(core)) continue;
      may_move_ = now + kBetweenMoves;
      publish(core);
      GoToCore(core);
      return;
    }
    may_move_ = now + kBetweenLooks;
  }

 private:
  // A move takes some microseconds, and what others have said of their cores may be old.
  static constexpr Duration kBetweenMoves = std::chrono::milliseconds(1);
  // Where there are more threads than cores all of these would be looked at in each round.
  static constexpr Duration kBetweenLooks = std::chrono::microseconds(50);

  MonotonicClock clock_;
  std::vector<int> cores_ = CoreNumbers();
  Time may_move_{};
};

}  // namespace lockstep::base
