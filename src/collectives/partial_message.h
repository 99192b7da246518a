#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "collectives/call.h"
#include "collectives/measured_way.h"
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
  // In a measured sum: of rank 0 the way of this one, of others that of their last one, and what it
  // took.
  SumWay way = SumWay::kWhole;
  uint32_t took = 0;  // nanoseconds; 0: nothing known
  uint32_t slice = 0;
  Node node;
  Leaf num_leaves = 0;
  uint32_t plan = 0;   // fingerprint of what else must agree
  uint64_t count = 0;  // elements of the whole buffer, not of the slice
};

/// Texts of calls have numbers from 1, by their sender (`CallTexts`); those without go along.
inline constexpr uint32_t kNoText = 0;
inline constexpr uint32_t kMostTexts = 1024;

struct PartialMessage {
  PartialHeader header;
  uint32_t text = kNoText;  // the number of its call's texts
  bool has_text = true;     // they are in this message
  CallText call;            // as long as the message that it was decoded from
  net::Payload elements;
};

/// How much of a label, a shape or a file's name travels.
inline constexpr size_t kMostCallText = 200;

/// The payload of a partial; its elements are the message's body. Long texts are cut off.
net::Payload Encode(const PartialHeader& header, const CallText& call, uint32_t text = kNoText);
/// With the number of texts that the receiver has: as short as possible, so that together with 16
/// bytes of elements it takes two cache lines of shared memory.
net::Payload Encode(const PartialHeader& header, uint32_t text);
/// Nothing for bytes that are not a partial of this version.
std::optional<PartialMessage> Decode(const net::Message& message);

}  // namespace lockstep::collectives
