#include "collectives/partial_message.h"

#include <bit>
#include <cstring>

namespace lockstep::collectives {
namespace {

constexpr uint8_t kVersion = 1;
// The bytes of a header, in the order of docs/collectives.md.
struct Fields {
  uint8_t version, kind, dtype, present;
  uint32_t bucket;
  uint64_t step, count;
  uint32_t slice;
  Leaf begin, end, num_leaves;
  uint32_t plan, zero;
};
static_assert(sizeof(Fields) == 48 && std::endian::native == std::endian::little);

}  // namespace

net::Payload Encode(const PartialHeader& header) {
  const Fields fields{kVersion,
                      static_cast<uint8_t>(header.kind),
                      static_cast<uint8_t>(header.dtype),
                      static_cast<uint8_t>(header.present ? 1 : 0),
                      header.op.bucket,
                      header.op.step,
                      header.count,
                      header.slice,
                      header.node.begin,
                      header.node.end,
                      header.num_leaves,
                      header.plan,
                      0};
  net::Block block = net::Block::OnHeap(sizeof(fields));
  std::memcpy(block.bytes.data(), &fields, sizeof(fields));
  return block;
}

std::optional<PartialMessage> Decode(const net::Message& message) {
  Fields fields;
  if (message.payload.size() != sizeof(fields)) return std::nullopt;
  std::memcpy(&fields, message.payload.data(), sizeof(fields));
  if (fields.version != kVersion || fields.present > 1) return std::nullopt;
  PartialMessage partial;
  partial.header.op = {fields.step, fields.bucket};
  partial.header.kind = static_cast<OpKind>(fields.kind);
  partial.header.dtype = static_cast<DType>(fields.dtype);
  partial.header.present = fields.present == 1;
  partial.header.slice = fields.slice;
  partial.header.node = {fields.begin, fields.end};
  partial.header.num_leaves = fields.num_leaves;
  partial.header.plan = fields.plan;
  partial.header.count = fields.count;
  partial.elements = message.body;
  return partial;
}

}  // namespace lockstep::collectives
