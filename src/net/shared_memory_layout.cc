#include "net/shared_memory_layout.h"

#include <string>

namespace lockstep::net {
namespace {

Status Corrupt(const char* rule, uint64_t got) {
  return Status(Code::kDataLoss, std::string("[shared memory] a peer's message must have ") + rule +
                                     "; got " + std::to_string(got));
}

Status CheckPart(const SlotPart& part, uint64_t alignment, std::span<const size_t> segments) {
  if (part.segment != kInlineSegment && part.segment >= segments.size())
    return Status(Code::kNotFound, "segment " + std::to_string(part.segment));
  const uint64_t room = part.segment == kInlineSegment ? kInlineBytes : segments[part.segment];
  if (part.size > room) return Corrupt("parts that fit into their segment", part.size);
  if (part.offset > room - part.size) return Corrupt("parts inside of their segment", part.offset);
  if (part.offset % alignment != 0) return Corrupt("aligned parts", part.offset);
  return Status::Ok();
}

}  // namespace

Status CheckSlot(const Slot& slot, std::span<const size_t> segments) {
  if (slot.channel > 255) return Corrupt("a channel below 256", slot.channel);
  const bool needs_ticket =
      slot.payload.segment != kInlineSegment || slot.body.segment != kInlineSegment;
  if (needs_ticket ? slot.ticket >= kTickets : slot.ticket != kNoTicket)
    return Corrupt("a ticket if it has parts outside of its slot, else none", slot.ticket);
  if (Status status = CheckPart(slot.payload, 1, segments); !status.ok()) return status;
  return CheckPart(slot.body, 16, segments);
}

}  // namespace lockstep::net
