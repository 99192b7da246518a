#pragma once

#include <cstdint>
#include <optional>
#include <span>

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

enum class OpKind : uint8_t { kAllReduceSum = 1, kAllToAll = 2 };

/// What goes before a partial's elements. docs/collectives.md lists the bytes.
struct PartialHeader {
  OpId op;
  OpKind kind = OpKind::kAllReduceSum;
  DType dtype = DType::kInvalid;
  bool present = false;
  uint32_t slice = 0;
  Node node;
  Leaf num_leaves = 0;
  uint32_t plan = 0;   // fingerprint of division and algorithm
  uint64_t count = 0;  // elements of the whole buffer, not of the slice
};

struct PartialMessage {
  PartialHeader header;
  net::Payload elements;
};

/// The payload of a partial; its elements are the message's body.
net::Payload Encode(const PartialHeader& header);
/// Nothing for bytes that are not a partial of this version.
std::optional<PartialMessage> Decode(const net::Message& message);

}  // namespace lockstep::collectives
