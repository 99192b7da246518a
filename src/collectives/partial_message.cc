#include "collectives/partial_message.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace lockstep::collectives {
namespace {

constexpr uint8_t kVersion = 4;
constexpr uint8_t kPresent = 1;
constexpr uint8_t kHasText = 2;
constexpr uint8_t kHasTook = 4;
constexpr int kWayBit = 3;

// The bytes of a header, in the order of docs/collectives.md.
struct Fields {
  uint8_t version, kind, dtype, flags;
  uint32_t bucket;
  uint64_t step, count;
  uint32_t slice;
  Leaf begin, end, num_leaves;
  uint32_t plan, text;
};
static_assert(sizeof(Fields) == 48 && std::endian::native == std::endian::little);

// Behind them, if any: what the sender's last sum took.
using Took = uint32_t;

// What goes before the texts, which follow each other.
struct TextFields {
  uint32_t line;
  uint8_t label, shape, file, zero;  // lengths
};
static_assert(kMostCallText <= 255);

Fields FieldsOf(const PartialHeader& header, uint32_t text, bool has_text) {
  return {kVersion,
          static_cast<uint8_t>(header.kind),
          static_cast<uint8_t>(header.dtype),
          static_cast<uint8_t>((header.present ? kPresent : 0) | (has_text ? kHasText : 0) |
                               (header.took > 0 ? kHasTook : 0) |
                               static_cast<int>(header.way) << kWayBit),
          header.op.bucket,
          header.op.step,
          header.count,
          header.slice,
          header.node.begin,
          header.node.end,
          header.num_leaves,
          header.plan,
          text};
}

PartialHeader HeaderOf(const Fields& fields) {
  PartialHeader header;
  header.op = {fields.step, fields.bucket};
  header.kind = static_cast<OpKind>(fields.kind);
  header.dtype = static_cast<DType>(fields.dtype);
  header.present = (fields.flags & kPresent) != 0;
  header.way = static_cast<SumWay>(fields.flags >> kWayBit);
  header.slice = fields.slice;
  header.node = {fields.begin, fields.end};
  header.num_leaves = fields.num_leaves;
  header.plan = fields.plan;
  header.count = fields.count;
  return header;
}

std::string_view Head(std::string_view text) { return text.substr(0, kMostCallText); }
// What tells files apart is at their end.
std::string_view Tail(std::string_view text) {
  return text.substr(text.size() - std::min(text.size(), kMostCallText));
}

}  // namespace

namespace {

// A payload with `more` bytes behind the header, which begin at `*rest`.
net::Block Begin(const PartialHeader& header, uint32_t text, bool has_text, size_t more,
                 std::byte** rest) {
  const Fields fields = FieldsOf(header, text, has_text);
  const size_t took = header.took > 0 ? sizeof(Took) : 0;
  net::Block block = net::Block::OnHeap(sizeof(fields) + took + more);
  std::memcpy(block.bytes.data(), &fields, sizeof(fields));
  if (took > 0) std::memcpy(block.bytes.data() + sizeof(fields), &header.took, took);
  *rest = block.bytes.data() + sizeof(fields) + took;
  return block;
}

}  // namespace

net::Payload Encode(const PartialHeader& header, uint32_t text) {
  std::byte* rest;
  return Begin(header, text, /*has_text=*/false, 0, &rest);
}

net::Payload Encode(const PartialHeader& header, const CallText& call, uint32_t text) {
  const std::string_view texts[] = {Head(call.label), Head(call.shape), Tail(call.file)};
  const TextFields about{call.line, static_cast<uint8_t>(texts[0].size()),
                         static_cast<uint8_t>(texts[1].size()),
                         static_cast<uint8_t>(texts[2].size()), 0};
  std::byte* to;
  net::Block block =
      Begin(header, text, /*has_text=*/true,
            sizeof(about) + texts[0].size() + texts[1].size() + texts[2].size(), &to);
  std::memcpy(to, &about, sizeof(about));
  to += sizeof(about);
  for (const std::string_view each : texts) {
    if (!each.empty()) std::memcpy(to, each.data(), each.size());
    to += each.size();
  }
  return block;
}

namespace {

// The texts behind a header; false where the bytes are no such thing.
bool DecodeText(std::span<const std::byte> bytes, CallText* call) {
  TextFields about;
  if (bytes.size() < sizeof(about)) return false;
  std::memcpy(&about, bytes.data(), sizeof(about));
  const size_t texts = size_t{0} + about.label + about.shape + about.file;
  if (bytes.size() != sizeof(about) + texts) return false;
  const auto* text = reinterpret_cast<const char*>(bytes.data()) + sizeof(about);
  *call = {{text, about.label},
           {text + about.label, about.shape},
           {text + about.label + about.shape, about.file},
           about.line};
  return true;
}

}  // namespace

std::optional<PartialMessage> Decode(const net::Message& message) {
  Fields fields;
  const size_t size = message.payload.size();
  if (size < sizeof(fields)) return std::nullopt;
  std::memcpy(&fields, message.payload.data(), sizeof(fields));
  if (fields.version != kVersion || fields.flags >> kWayBit >= kSumWays) return std::nullopt;
  PartialMessage partial;
  partial.has_text = (fields.flags & kHasText) != 0;
  partial.text = fields.text;
  if (partial.text > kMostTexts || (partial.text == kNoText && !partial.has_text)) return {};
  auto rest = message.payload.bytes().subspan(sizeof(fields));
  Took took = 0;
  if ((fields.flags & kHasTook) != 0) {
    if (rest.size() < sizeof(took)) return std::nullopt;
    std::memcpy(&took, rest.data(), sizeof(took));
    rest = rest.subspan(sizeof(took));
  }
  if (partial.has_text ? !DecodeText(rest, &partial.call) : !rest.empty()) return std::nullopt;
  partial.header = HeaderOf(fields);
  partial.header.took = took;
  partial.elements = message.body;
  return partial;
}

}  // namespace lockstep::collectives
