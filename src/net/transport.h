#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <vector>

#include "base/executor.h"
#include "lockstep/base/status.h"
#include "net/payload.h"

namespace lockstep::net {

/// Counts memberships: what is sent in one epoch is never taken in another.
using Epoch = uint64_t;

/// Who a message is for on the receiving rank.
enum class Channel : uint8_t {
  kCollectives = 1,
  kControl = 2,
  kRemote = 3,
  kUpdates = 4,
  kFailures = 5,
  kTest = 255,
};

struct Message {
  Epoch epoch = 0;
  Channel channel = Channel::kTest;
  /// What says what the message is; short, and copied on the way.
  Payload payload;
  /// Bulk that goes along; not copied where it lies in memory that the transport gave out. It
  /// arrives at a multiple of 16 bytes.
  Payload body;

  size_t size() const { return payload.size() + body.size(); }
};

/// What became of a message that a handler was given.
enum class Receipt : uint8_t {
  kTaken,  // never delivered again
  kLater,  // no room or nobody to take it yet: will be delivered again
};

/// Why an epoch ended, and on whose word.
struct Abort {
  int by = 0;
  Status reason;
};

/// A peer that this rank itself has found out of reach, and how.
struct Loss {
  int rank = 0;
  Status why;
  bool ended = false;  // its process has, for certain
  bool left = false;   // it went on to another membership, or went home
};

/// What went between this rank and a peer, aborts and beats aside.
struct Traffic {
  std::string road;  // "shared_memory", "tls", "tcp"
  uint64_t sent_bytes = 0;
  uint64_t received_bytes = 0;
};

/// Messages between ranks 0 to P - 1, as event handlers on an executor; nothing here waits.
/// Promise: a message of the current epoch is taken exactly once, in any order, unless the epoch is
/// aborted first, here or there. A peer that cannot be reached makes the transport itself abort the
/// epoch with Unavailable; sums and other waits set their own deadlines above it.
/// Epochs: they only rise. Messages of a past or aborted epoch are dropped at both ends; those of a
/// future one wait until the receiver enters it. A transport starts in epoch 0.
/// Threads: everything on the executor, handlers too.
class Transport {
 public:
  using Receive = std::function<Receipt(int from, const Message& message)>;
  using Watch = std::function<void(Epoch epoch, const Abort& abort)>;

  virtual ~Transport() = default;
  virtual int rank() const = 0;
  virtual int num_ranks() const = 0;
  virtual base::Executor& executor() = 0;

  /// Memory for the body of a message, from where the transport can send it without a copy. When
  /// there is none of that kind left, it is from the heap. From any thread.
  virtual Block Allocate(size_t bytes) { return Block::OnHeap(bytes); }
  /// Whether the peer reads bodies where they lie, in memory that was given out, and the other way
  /// round.
  virtual bool SharesMemoryWith(int peer) const {
    static_cast<void>(peer);
    return false;
  }
  /// Whether the bytes lie in such memory. From any thread.
  virtual bool IsShared(std::span<const std::byte> bytes) const {
    static_cast<void>(bytes);
    return false;
  }
  /// Hands `message` over to go to another rank, `to`. Of another epoch than the current, it is
  /// dropped.
  virtual void Send(int to, Message message) = 0;
  /// Replaces the handler of a channel; null: messages wait for the next one.
  virtual void Listen(Channel channel, Receive receive) = 0;

  virtual Epoch epoch() const = 0;
  /// Begins a later epoch: the past one's messages are abandoned, not drained.
  virtual void EnterEpoch(Epoch epoch) = 0;
  /// Ends the current epoch here at once, and on every rank that can still be reached. The first
  /// reason stays.
  virtual void AbortEpoch(Status reason) = 0;
  /// Why the current epoch was aborted; null while it lasts.
  virtual const Abort* aborted() const = 0;
  /// The peers that were lost here, whoever ended the epoch.
  virtual std::vector<Loss> losses() const { return {}; }
  /// By rank, since the transport was made.
  virtual std::vector<Traffic> traffic() const { return {}; }
  /// `watch` is called once per aborted epoch, as new work, if the epoch is still the current one.
  virtual void WatchAborts(Watch watch) = 0;
};

}  // namespace lockstep::net
