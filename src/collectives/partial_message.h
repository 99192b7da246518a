#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "collectives/call.h"
#include "collectives/tree.h"
#include "lockstep/tensor/dtype.h"
#include "net/transport.h"

namespace lockstep::collectives {

/// Names one collective of an epoch. Every rank calls it by the same name.
struct OpId {
  uint64_t step = 0;
  uint32_t bucket = 0;
  auto operator<=>(const OpId&) const = default;
};

/// What goes before a partial's elements. docs/collectives.md lists the bytes.
struct PartialHeader {
  OpId op;
  OpKind kind = OpKind::kAllReduceSum;
  DType dtype = DType::kInvalid;
  bool present = false;
  uint32_t slice = 0;
  Node node;
  Leaf num_leaves = 0;
  uint32_t plan = 0;   // fingerprint of what else must agree
  uint64_t count = 0;  // elements of the whole buffer, not of the slice
};

struct PartialMessage {
  PartialHeader header;
  CallText call;  // as long as the message that it was decoded from
  net::Payload elements;
};

/// How much of a label, a shape or a file's name travels: together with short elements they fit
/// into a slot of shared memory.
inline constexpr size_t kMostCallText = 40;

/// The payload of a partial; its elements are the message's body. Long texts are cut off.
net::Payload Encode(const PartialHeader& header, const CallText& call = {});
/// Nothing for bytes that are not a partial of this version.
std::optional<PartialMessage> Decode(const net::Message& message);

}  // namespace lockstep::collectives
