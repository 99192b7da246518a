#include "collectives/partial_message.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace lockstep::collectives {
namespace {

constexpr uint8_t kVersion = 2;

// The bytes of a header, in the order of docs/collectives.md.
struct Fields {
  uint8_t version, kind, dtype, present;
  uint32_t bucket;
  uint64_t step, count;
  uint32_t slice;
  Leaf begin, end, num_leaves;
  uint32_t plan, line;
};
static_assert(sizeof(Fields) == 48 && std::endian::native == std::endian::little);

// The lengths of the texts, which follow each other.
struct Lengths {
  uint8_t label, shape, file;
};

std::string_view Begin(std::string_view text) { return text.substr(0, kMostCallText); }
// What tells files apart is at their end.
std::string_view End(std::string_view text) {
  return text.substr(text.size() - std::min(text.size(), kMostCallText));
}

}  // namespace

net::Payload Encode(const PartialHeader& header, const CallText& call) {
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
                      call.line};
  const std::string_view texts[] = {Begin(call.label), Begin(call.shape), End(call.file)};
  const Lengths lengths{static_cast<uint8_t>(texts[0].size()),
                        static_cast<uint8_t>(texts[1].size()),
                        static_cast<uint8_t>(texts[2].size())};
  net::Block block = net::Block::OnHeap(sizeof(fields) + sizeof(lengths) + texts[0].size() +
                                        texts[1].size() + texts[2].size());
  std::byte* to = block.bytes.data();
  std::memcpy(to, &fields, sizeof(fields));
  std::memcpy(to + sizeof(fields), &lengths, sizeof(lengths));
  to += sizeof(fields) + sizeof(lengths);
  for (const std::string_view text : texts) {
    if (!text.empty()) std::memcpy(to, text.data(), text.size());
    to += text.size();
  }
  return block;
}

std::optional<PartialMessage> Decode(const net::Message& message) {
  Fields fields;
  Lengths lengths;
  constexpr size_t kFixed = sizeof(fields) + sizeof(lengths);
  const size_t size = message.payload.size();
  if (size < kFixed) return std::nullopt;
  std::memcpy(&fields, message.payload.data(), sizeof(fields));
  std::memcpy(&lengths, message.payload.data() + sizeof(fields), sizeof(lengths));
  const size_t texts = size_t{0} + lengths.label + lengths.shape + lengths.file;
  if (size != kFixed + texts) return std::nullopt;
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
  const auto* text = reinterpret_cast<const char*>(message.payload.data()) + kFixed;
  partial.call = {{text, lengths.label},
                  {text + lengths.label, lengths.shape},
                  {text + lengths.label + lengths.shape, lengths.file},
                  fields.line};
  partial.elements = message.body;
  return partial;
}

}  // namespace lockstep::collectives
