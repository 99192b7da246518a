#pragma once

#include <pthread.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>

#include "lockstep/base/status.h"
#include "net/transport.h"

/// What lies in a rank's control segment. Every word is written by its owner alone (the life word,
/// once it is dead, by the kernel); peers map the segment to read it. docs/wire-format.md lists the
/// bytes. Version 2.

namespace lockstep::net {

inline constexpr uint64_t kControlMagic = 0x6c6f636b73746570;  // "lockstep"
inline constexpr uint32_t kControlVersion = 2;
/// Messages under way to a peer that it has not seen, and bodies that it still reads.
inline constexpr uint64_t kSlots = 256;
inline constexpr uint32_t kTickets = 4096;
inline constexpr size_t kInlineBytes = 192;
inline constexpr uint32_t kNoTicket = ~uint32_t{0};
/// In place of a segment's number: the bytes are in the slot itself.
inline constexpr uint64_t kInlineSegment = 0xffff;

/// Where one part of a message lies: in the slot or in a segment of the sender's arena.
struct SlotPart {
  uint64_t offset = 0;
  uint64_t size : 48 = 0;
  uint64_t segment : 16 = kInlineSegment;
};
inline constexpr uint64_t kMostPartBytes = (uint64_t{1} << 48) - 1;

/// One message to one peer. With a partial's header and 16 bytes of elements it takes two cache
/// lines.
struct alignas(64) Slot {
  std::atomic<uint64_t> sequence;  // the message's number from 1, written last
  uint64_t epoch;
  uint32_t ticket;  // what the receiver gives back when it has read the bodies
  uint32_t channel;
  SlotPart payload;
  SlotPart body;
  alignas(16) std::byte bytes[kInlineBytes];
};
static_assert(sizeof(Slot) == 256 && offsetof(Slot, bytes) == 64);

/// What a rank writes for one peer: messages to it, and how far it is with the peer's messages.
struct Lane {
  alignas(64) std::atomic<uint64_t> consumed;
  /// By the peer's ticket: the number of the message whose bodies were read last.
  alignas(64) std::atomic<uint64_t> released[kTickets];
  Slot slots[kSlots];
};

struct AbortRecord {
  std::atomic<uint64_t> sequence;  // from 1, written last
  uint64_t epoch;
  int32_t by;
  uint32_t code;
  uint32_t text_bytes;
  char text[484];
};
inline constexpr uint64_t kAbortRecords = 8;

struct ControlHead {
  uint64_t magic;
  uint32_t version;
  uint32_t rank;
  uint32_t num_ranks;
  uint32_t barriers;  // not 0: puts a barrier into all processes before it blocks
  uint64_t membership;
  alignas(64) pthread_mutex_t life;          // robust; held as long as the process lives
  alignas(64) std::atomic<uint64_t> beat;    // rises every interval
  alignas(64) std::atomic<uint64_t> sleep;   // odd: blocks or is about to, and wants to be woken
  alignas(64) std::atomic<uint64_t> aborts;  // how many records were written
  AbortRecord records[kAbortRecords];
  std::atomic<uint32_t> left;  // the transport has gone in good order
  std::atomic<int32_t> core;   // that the rank's loop runs on, or base::kNoCore
};

/// Bytes of the control segment of a job with so many ranks on this host.
inline size_t ControlBytes(int num_ranks) {
  return sizeof(ControlHead) + sizeof(Lane) * static_cast<size_t>(num_ranks);
}
inline ControlHead& HeadOf(std::byte* control) { return *reinterpret_cast<ControlHead*>(control); }
inline Lane& LaneOf(std::byte* control, int peer) {
  return reinterpret_cast<Lane*>(control + sizeof(ControlHead))[peer];
}
static_assert(sizeof(ControlHead) % 64 == 0 && sizeof(Lane) % 64 == 0);

/// Checks what a peer has written into a slot, of which `slot` is a private copy. Sizes of its
/// segments that are known here: `segments`. Errors: DataLoss; NotFound (a segment not known yet).
Status CheckSlot(const Slot& slot, std::span<const size_t> segments);

}  // namespace lockstep::net
