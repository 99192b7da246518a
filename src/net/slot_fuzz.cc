#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>

#include "net/shared_memory_layout.h"

/// libFuzzer's entry: whatever a peer writes into a slot, a message that passes lies inside of the
/// slot or of the peer's segments, and its ticket inside of the table.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t count) {
  using namespace lockstep::net;
  Slot slot{};
  std::memcpy(static_cast<void*>(&slot), data, count < sizeof(Slot) ? count : sizeof(Slot));
  const size_t sizes[] = {4096, 64, size_t{1} << 26};
  if (!CheckSlot(slot, sizes).ok()) return 0;
  for (const SlotPart& part : {slot.payload, slot.body}) {
    const bool is_inline = part.segment == kInlineSegment;
    if (!is_inline && part.segment >= 3) std::abort();
    const uint64_t room = is_inline ? kInlineBytes : sizes[part.segment];
    if (part.offset > room || part.size > room || part.offset + part.size > room) std::abort();
    if (!is_inline && slot.ticket >= kTickets) std::abort();
  }
  if (slot.body.offset % 16 != 0 || slot.channel > 255) std::abort();
  return 0;
}
