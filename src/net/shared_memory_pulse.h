#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <vector>

#include "net/heart.h"
#include "net/shared_memory_segment.h"

namespace lockstep::net {

/// What is wrong with a peer's process.
enum class Ailment : uint8_t { kNone, kDead, kSilent, kLeft };

/// Beats in this rank's control segment and watches those of its peers: a dead process shows in its
/// life word as soon as the kernel ends its threads, a stopped one by its silence.
class SharedMemoryPulse final : public Beating {
 public:
  /// Silence counts in this heart's own beats, too, so that a machine that stalls as a whole does
  /// not look like a stopped peer.
  SharedMemoryPulse(std::shared_ptr<Segment> control, int num_ranks, base::Duration interval,
                    base::Duration limit, base::EventLoop& loop);

  void Begin() override;
  void Beat() override;
  void End() override;

  void Watch(int peer, std::shared_ptr<Segment> control);
  /// Wakes the loop no more.
  void Detach();
  /// Whether any ailment changed since the last call.
  bool TakeNews() { return news_.load(std::memory_order_relaxed) && news_.exchange(false); }
  Ailment ailment(int peer) const { return peers_[peer].ailment.load(); }
  base::Duration silence(int peer) const;
  base::Duration limit() const { return limit_; }

 private:
  struct Peer {
    std::shared_ptr<Segment> control;  // guarded by mutex_
    uint64_t beat = 0;
    base::Time heard{};
    int silent_beats = 0;
    std::atomic<Ailment> ailment{Ailment::kNone};
    std::atomic<int64_t> silence{0};
  };
  Ailment Examine(Peer& peer, base::Time now) const;

  const std::shared_ptr<Segment> control_;
  const base::Duration interval_;
  const base::Duration limit_;
  base::MonotonicClock clock_;
  std::mutex mutex_;
  base::EventLoop* loop_;  // guarded by mutex_
  std::vector<Peer> peers_;
  std::atomic<bool> news_{false};
};

}  // namespace lockstep::net
