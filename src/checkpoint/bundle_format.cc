#include "checkpoint/bundle_format.h"

#include <bit>
#include <charconv>
#include <cstring>
#include <limits>

#include "base/crc32c.h"
#include "base/printf.h"
#include "base/wire.h"
#include "tensor/tensor_proto.h"

namespace lockstep::checkpoint {

namespace {

using base::WireReader;
using base::WireType;
using base::WireWriter;

// Takes a number off the front of `text`.
bool TakeNumber(std::string_view& text, int64_t& number) {
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  if (parsed.ec != std::errc()) return false;
  text.remove_prefix(parsed.ptr - text.data());
  return true;
}

bool TakeChar(std::string_view& text, char wanted) {
  if (text.empty() || text[0] != wanted) return false;
  text.remove_prefix(1);
  return true;
}

// Numbers whose encodings are ordered as they are: their length, then they, big-endian.
void AppendOrdered(uint64_t value, std::string& key) {
  const int bytes = (std::bit_width(value) + 7) / 8;
  key += static_cast<char>(bytes);
  for (int i = bytes; i-- > 0;) key += static_cast<char>(value >> (8 * i));
}

// The same for numbers with a sign: as many leading ones as bytes, inverted for negative ones.
void AppendOrderedSigned(int64_t value, std::string& key) {
  const auto magnitude = static_cast<uint64_t>(value < 0 ? ~value : value);
  const int length = std::bit_width(magnitude) / 7 + 1;
  unsigned char bytes[10];
  std::memset(bytes, value < 0 ? 0xff : 0, sizeof bytes);
  for (int i = 0; i < 8; ++i)
    bytes[9 - i] = static_cast<unsigned char>(static_cast<uint64_t>(value) >> (8 * i));
  unsigned char* begin = bytes + 10 - length;
  const unsigned header = 0xffff0000u >> length;  // `length` ones, in the upper bits of two bytes
  begin[0] ^= static_cast<unsigned char>(header >> 8);
  if (length > 1) begin[1] ^= static_cast<unsigned char>(header);
  key.append(reinterpret_cast<const char*>(begin), length);
}

void AppendOrderedText(const std::string& text, std::string& key) {
  for (const char c : text) {
    key += c;
    if (c == '\0') key += '\xff';
    if (c == '\xff') key += '\0';
  }
  key += std::string_view("\0\1", 2);
}

std::string SliceProto(const Slice& slice) {
  WireWriter proto;
  for (const Extent& extent : slice) {
    WireWriter part;
    if (extent.start != 0) part.Signed(1, extent.start);
    if (extent.length >= 0) part.Signed(2, extent.length);
    proto.Message(1, part);
  }
  return std::move(proto).bytes();
}

std::optional<Slice> ParseSliceProto(std::string_view bytes) {
  Slice slice;
  WireReader reader(bytes);
  while (reader.Next()) {
    if (!reader.Is(1, WireType::kBytes)) continue;
    Extent extent;
    WireReader part(reader.bytes());
    while (part.Next()) {
      if (part.Is(1, WireType::kVarint)) extent.start = part.integer();
      if (part.Is(2, WireType::kVarint)) extent.length = part.integer();
    }
    if (part.broken() || slice.size() > Shape::kMaxRank) return std::nullopt;
    slice.push_back(extent);
  }
  if (reader.broken()) return std::nullopt;
  return slice;
}

}  // namespace

std::optional<SliceSpec> ParseSliceSpec(const std::string& text) {
  SliceSpec spec;
  std::string_view rest = text;
  while (rest.find(' ') != std::string_view::npos) {
    int64_t size = 0;
    if (!TakeNumber(rest, size) || size < 0 || !TakeChar(rest, ' ')) return std::nullopt;
    if (spec.whole.rank() == Shape::kMaxRank) return std::nullopt;
    spec.whole.Append(size);
  }
  for (bool first = true; !rest.empty(); first = false) {
    if (!first && !TakeChar(rest, ':')) return std::nullopt;
    Extent extent;
    if (!TakeChar(rest, '-') && (!TakeNumber(rest, extent.start) || !TakeChar(rest, ',') ||
                                 !TakeNumber(rest, extent.length) || extent.length < 0))
      return std::nullopt;
    spec.slice.push_back(extent);
  }
  if (!PartShape(spec.whole, spec.slice)) return std::nullopt;
  return spec;
}

std::optional<Shape> PartShape(const Shape& whole, const Slice& slice) {
  if (static_cast<int>(slice.size()) != whole.rank()) return std::nullopt;
  Shape part;
  for (int axis = 0; axis < whole.rank(); ++axis) {
    const Extent& extent = slice[axis];
    const int64_t length = extent.length < 0 ? whole[axis] : extent.length;
    if (extent.start < 0 || length > whole[axis] || extent.start > whole[axis] - length)
      return std::nullopt;
    part.Append(length);
  }
  return part;
}

std::string EncodeHeader(const BundleHeader& header) {
  WireWriter proto;  // the endianness is the default, 0: little; the version's producer is 1
  proto.Signed(1, header.num_shards).Message(3, WireWriter().Varint(1, 1));
  return std::move(proto).bytes();
}

std::optional<BundleHeader> DecodeHeader(std::string_view bytes) {
  BundleHeader header{.num_shards = 0};
  WireReader reader(bytes);
  while (reader.Next()) {
    if (reader.Is(1, WireType::kVarint) && reader.number() < 100'000)
      header.num_shards = static_cast<int>(reader.number());
    if (reader.Is(2, WireType::kVarint)) header.little_endian = reader.number() == 0;
  }
  if (reader.broken()) return std::nullopt;
  return header;
}

std::string EncodeEntry(const BundleEntry& entry) {
  WireWriter proto;
  proto.Varint(1, entry.dtype).Bytes(2, tensor::ShapeProto(*entry.shape));
  if (entry.shard != 0) proto.Signed(3, entry.shard);
  if (entry.offset != 0) proto.Signed(4, entry.offset);
  if (entry.size != 0) proto.Signed(5, entry.size);
  if (entry.checksum != 0) proto.Fixed32(6, entry.checksum);
  for (const Slice& slice : entry.slices) proto.Bytes(7, SliceProto(slice));
  return std::move(proto).bytes();
}

std::optional<BundleEntry> DecodeEntry(std::string_view bytes) {
  BundleEntry entry;
  entry.shape = Shape{};
  WireReader reader(bytes);
  while (reader.Next()) {
    if (reader.Is(1, WireType::kVarint)) entry.dtype = reader.number();
    if (reader.Is(2, WireType::kBytes)) entry.shape = tensor::ParseShapeProto(reader.bytes());
    if (reader.Is(3, WireType::kVarint)) entry.shard = reader.integer();
    if (reader.Is(4, WireType::kVarint)) entry.offset = reader.integer();
    if (reader.Is(5, WireType::kVarint)) entry.size = reader.integer();
    if (reader.Is(6, WireType::kFixed32)) entry.checksum = static_cast<uint32_t>(reader.number());
    if (!reader.Is(7, WireType::kBytes)) continue;
    const auto slice = ParseSliceProto(reader.bytes());
    if (!slice) return std::nullopt;
    entry.slices.push_back(*slice);
  }
  if (reader.broken() || entry.shard < 0 || entry.offset < 0 || entry.size < 0) return std::nullopt;
  if (entry.shape && !entry.shape->fully_known()) return std::nullopt;
  return entry;
}

std::string SliceKey(const std::string& name, const Slice& slice) {
  std::string key;
  AppendOrdered(0, key);
  AppendOrderedText(name, key);
  AppendOrdered(slice.size(), key);
  for (const Extent& extent : slice) {
    AppendOrderedSigned(extent.start, key);
    AppendOrderedSigned(extent.length, key);
  }
  return key;
}

std::string IndexPath(const std::string& prefix) { return prefix + ".index"; }

std::string DataPath(const std::string& prefix, int shard, int shards) {
  return prefix + base::Printf(".data-%05d-of-%05d", shard, shards);
}

namespace {

// Each length in 4 bytes, or 8 where it needs them: of these there are checksums.
std::string FixedLengths(std::span<const std::string> values) {
  std::string fixed;
  for (const std::string& value : values) {
    const uint64_t length = value.size();
    const bool wide = length > std::numeric_limits<uint32_t>::max();
    fixed.append(reinterpret_cast<const char*>(&length), wide ? 8 : 4);
  }
  return fixed;
}

}  // namespace

std::string EncodeStringLengths(std::span<const std::string> values) {
  std::string lengths;
  for (const std::string& value : values) base::AppendVarint(value.size(), lengths);
  const uint32_t masked = base::MaskCrc(base::Crc32c(FixedLengths(values)));
  lengths.append(reinterpret_cast<const char*>(&masked), sizeof masked);
  return lengths;
}

uint32_t StringsChecksum(std::span<const std::string> values) {
  const std::string fixed = FixedLengths(values);
  uint32_t crc = base::Crc32c(fixed);
  const uint32_t masked = base::MaskCrc(crc);
  crc = base::Crc32c({reinterpret_cast<const char*>(&masked), sizeof masked}, crc);
  for (const std::string& value : values) crc = base::Crc32c(value, crc);
  return crc;
}

}  // namespace lockstep::checkpoint
