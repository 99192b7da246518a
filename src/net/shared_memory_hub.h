#pragma once

#include <map>
#include <memory>
#include <vector>

#include "base/own_core.h"
#include "base/sleep_barrier.h"
#include "net/heart.h"
#include "net/link.h"
#include "net/shared_memory_pulse.h"
#include "net/shared_memory_segment.h"

namespace lockstep::net {

class SharedMemoryLink;

struct SharedMemoryOptions {
  /// A peer whose beat does not change for so long counts as stopped.
  base::Duration beat_limit = std::chrono::milliseconds(30);
  /// Most bytes of bodies under way, and of memory given out, at once.
  size_t limit_bytes = size_t{1} << 36;
};

/// What ranks of one membership agree on.
struct Place {
  uint64_t membership = 0;
  int rank = 0;
  int num_ranks = 1;
};

/// A rank's side of shared memory in one transport: its control segment, the memory of its
/// messages, its beat, and the links to the peers on the same host.
class SharedMemoryHub final : public base::Poller {
 public:
  /// `events` and `loop` outlive the hub, which outlives its links. Errors: ResourceExhausted.
  static Result<std::unique_ptr<SharedMemoryHub>> Create(const Place& place,
                                                         const SharedMemoryOptions& options,
                                                         base::EventLoop& loop, Heart& heart,
                                                         LinkEvents& events);
  ~SharedMemoryHub() override;

  std::unique_ptr<Link> MakeLink(int peer);
  /// The control segment's file, to be handed to peers.
  const Segment& control() const { return *control_; }
  /// Brings the link to `peer` up over a connected socket of packets, after checking its segment.
  Status Connect(int peer, FileDescriptor socket, FileDescriptor control);
  /// Lets the link to `peer`, if it has no connection yet, report that there will be none.
  void Refuse(int peer, Status why);
  Result<Block> Allocate(size_t bytes) { return arena_->Allocate(bytes); }
  /// Whether the bytes lie in memory that `Allocate` gave out.
  bool Holds(std::span<const std::byte> bytes) const {
    SegmentPlace place;
    return arena_->Find(bytes, &place);
  }

  /// Lets peers know that this rank goes in good order.
  void SayLeave();

  bool Poll() override;
  void BeforeBlocking() override;
  void AfterBlocking() override;
  void AfterYield() override;
  void BeforeSleep() override;

 private:
  friend class SharedMemoryLink;
  SharedMemoryHub(const Place& place, const SharedMemoryOptions& options, base::EventLoop& loop,
                  Heart& heart, LinkEvents& events, std::shared_ptr<Segment> control);
  void PublishCore(int core);
  void PublishAbort(Epoch epoch, const Abort& abort);
  Status StatusOf(int peer, Ailment ailment) const;

  const Place place_;
  const SharedMemoryOptions options_;
  base::EventLoop& loop_;
  Heart& heart_;
  LinkEvents& events_;
  const std::shared_ptr<Segment> control_;
  const std::shared_ptr<SharedArena> arena_;
  const std::shared_ptr<SharedMemoryPulse> pulse_;
  std::vector<SharedMemoryLink*> links_;  // by rank; null where there is none
  int neighbours_ = 0;                    // other processes of this host, as the loop knows
  int core_ = base::kNoCore;              // as it is published
  base::OwnCore own_core_;
  const base::SleepBarrier sleep_barrier_;
  Epoch published_abort_ = ~Epoch{0};
};

}  // namespace lockstep::net
