#include "collectives/partial_message.h"

#include "net/little_endian.h"

namespace lockstep::collectives {
namespace {

constexpr uint8_t kVersion = 1;
constexpr size_t kHeaderBytes = 48;

}  // namespace

net::Payload Encode(const PartialHeader& header) {
  auto bytes = std::make_shared<net::Bytes>();
  bytes->reserve(kHeaderBytes);
  net::FieldWriter(bytes.get())
      .Put(kVersion)
      .Put(static_cast<uint8_t>(header.kind))
      .Put(static_cast<uint8_t>(header.dtype))
      .Put(static_cast<uint8_t>(header.present ? 1 : 0))
      .Put(header.op.bucket)
      .Put(header.op.step)
      .Put(header.count)
      .Put(header.slice)
      .Put(header.node.begin)
      .Put(header.node.end)
      .Put(header.num_leaves)
      .Put(header.plan)
      .Put(uint32_t{0});
  return bytes;
}

std::optional<PartialMessage> Decode(const net::Message& message) {
  net::FieldReader reader(message.payload.bytes());
  PartialMessage partial;
  PartialHeader& header = partial.header;
  const auto version = reader.Take<uint8_t>();
  header.kind = static_cast<OpKind>(reader.Take<uint8_t>());
  header.dtype = static_cast<DType>(reader.Take<uint8_t>());
  const auto flags = reader.Take<uint8_t>();
  header.present = flags == 1;
  header.op.bucket = reader.Take<uint32_t>();
  header.op.step = reader.Take<uint64_t>();
  header.count = reader.Take<uint64_t>();
  header.slice = reader.Take<uint32_t>();
  header.node.begin = reader.Take<Leaf>();
  header.node.end = reader.Take<Leaf>();
  header.num_leaves = reader.Take<Leaf>();
  header.plan = reader.Take<uint32_t>();
  reader.Take<uint32_t>();
  partial.elements = message.body;
  if (!reader.ok() || !reader.rest().empty() || version != kVersion || flags > 1)
    return std::nullopt;
  return partial;
}

}  // namespace lockstep::collectives
