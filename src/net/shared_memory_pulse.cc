#include "net/shared_memory_pulse.h"

#include <linux/futex.h>

#include <utility>

#include "base/check.h"
#include "net/shared_memory_layout.h"

namespace lockstep::net {
namespace {

// The lock word of a robust mutex: the kernel marks it when its holder ends. Reading the word, and
// not trying the lock, leaves the peer's memory read-only.
bool HolderDied(const ControlHead& head) {
  const int word = __atomic_load_n(&head.life.__data.__lock, __ATOMIC_ACQUIRE);
  return (static_cast<unsigned>(word) & FUTEX_OWNER_DIED) != 0;
}

}  // namespace

SharedMemoryPulse::SharedMemoryPulse(std::shared_ptr<Segment> control, int num_ranks,
                                     base::Duration interval, base::Duration limit,
                                     base::EventLoop& loop)
    : control_(std::move(control)),
      interval_(interval),
      limit_(limit),
      loop_(&loop),
      peers_(num_ranks) {
  pthread_mutexattr_t attributes;
  pthread_mutexattr_init(&attributes);
  pthread_mutexattr_setpshared(&attributes, PTHREAD_PROCESS_SHARED);
  pthread_mutexattr_setrobust(&attributes, PTHREAD_MUTEX_ROBUST);
  pthread_mutex_init(&HeadOf(control_->data()).life, &attributes);
  pthread_mutexattr_destroy(&attributes);
}

void SharedMemoryPulse::Begin() {
  LOCKSTEP_CHECK_EQ(pthread_mutex_lock(&HeadOf(control_->data()).life), 0);
}

void SharedMemoryPulse::End() { pthread_mutex_unlock(&HeadOf(control_->data()).life); }

void SharedMemoryPulse::Beat() {
  HeadOf(control_->data()).beat.fetch_add(1, std::memory_order_release);
  std::lock_guard lock(mutex_);
  const base::Time now = clock_.Now();
  bool any = false;
  for (Peer& peer : peers_) {
    if (peer.control == nullptr) continue;
    const Ailment found = Examine(peer, now);
    any = peer.ailment.exchange(found) != found || any;
  }
  if (!any) return;
  news_.store(true);
  if (loop_ != nullptr) loop_->Wake();
}

Ailment SharedMemoryPulse::Examine(Peer& peer, base::Time now) const {
  const ControlHead& head = HeadOf(peer.control->data());
  const uint64_t beat = head.beat.load(std::memory_order_acquire);
  if (beat != peer.beat) {
    peer.beat = beat;
    peer.heard = now;
    peer.silent_beats = 0;
  } else {
    ++peer.silent_beats;
  }
  peer.silence.store((now - peer.heard).count());
  if (head.left.load() != 0) return Ailment::kLeft;
  if (HolderDied(head)) return Ailment::kDead;
  const bool is_silent = now - peer.heard > limit_ && 2 * interval_ * peer.silent_beats >= limit_;
  return is_silent ? Ailment::kSilent : Ailment::kNone;
}

void SharedMemoryPulse::Watch(int peer, std::shared_ptr<Segment> control) {
  std::lock_guard lock(mutex_);
  peers_[peer].control = std::move(control);
  peers_[peer].heard = clock_.Now();
}

void SharedMemoryPulse::Detach() {
  std::lock_guard lock(mutex_);
  loop_ = nullptr;
}

base::Duration SharedMemoryPulse::silence(int peer) const {
  return base::Duration(peers_[peer].silence.load());
}

}  // namespace lockstep::net
