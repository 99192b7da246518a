#include <cstddef>
#include <cstdint>
#include <string>

#include "cluster/coordinator_messages.h"
#include "cluster/health.h"
#include "cluster/membership_requests.h"

/// Every message that the control plane reads: whatever comes must be refused or read, and what was
/// read as a state must be written as it came.
extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  using namespace lockstep::cluster;
  if (size == 0) return 0;
  const std::string text(reinterpret_cast<const char*>(data + 1), size - 1);
  FieldReader reader(text);
  switch (data[0] % 11) {
    case 0:
      (void)DecodeVoteRequest(text);
      break;
    case 1:
      (void)DecodeVoteReply(text);
      break;
    case 2:
      (void)DecodeAppendRequest(text);
      break;
    case 3:
      (void)DecodeAppendReply(text);
      break;
    case 4:
      (void)DecodeJoinRequest(text);
      break;
    case 5:
      (void)DecodeQuery(text);
      break;
    case 6:
      (void)DecodeReport(text);
      break;
    case 7:
      (void)DecodeWhereReply(text);
      break;
    case 8:
      (void)DecodeAnswered(text);
      break;
    case 9: {
      const auto command = DecodeSubmit(text);
      State state;
      state.membership.peers.push_back({});
      if (command.ok()) state.Apply(*command);
      break;
    }
    default: {
      const State state = ReadState(&reader);
      if (!reader.done()) break;
      FieldWriter writer;
      Write(state, &writer);
      const std::string again = writer.Take();
      FieldReader second(again);
      if (!(ReadState(&second) == state) || !second.done()) __builtin_trap();
    }
  }
  return 0;
}
