#include "net/parcel.h"

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <utility>

#include "net/little_endian.h"

namespace lockstep::net {

namespace {

constexpr size_t kLine = 64;
constexpr size_t kMostBytes = size_t{1} << 48;

size_t Aligned(size_t bytes) { return (bytes + kLine - 1) / kLine * kLine; }

template <typename T>
void Append(T value, std::string* text) {
  text->append(reinterpret_cast<const char*>(&value), sizeof(T));
}

Status NoParcel(size_t bytes) {
  return Status(Code::kDataLoss, "[rpc] a parcel must have its form; got " + std::to_string(bytes) +
                                     " bytes of another one");
}

std::span<const std::byte> BytesOf(std::string_view text) {
  return std::as_bytes(std::span(text.data(), text.size()));
}

}  // namespace

std::string HeadOf(const Parcel& parcel) {
  std::string head;
  head.reserve(sizeof(uint32_t) + parcel.bodies.size() * sizeof(uint64_t) + parcel.text.size());
  Append(static_cast<uint32_t>(parcel.bodies.size()), &head);
  for (const Payload& body : parcel.bodies) Append(uint64_t{body.size()}, &head);
  return head += parcel.text;
}

size_t BulkBytes(const Parcel& parcel) {
  size_t bytes = 0;
  for (const Payload& body : parcel.bodies) bytes = Aligned(bytes) + body.size();
  return bytes;
}

void WriteBulk(const Parcel& parcel, std::byte* to) {
  size_t at = 0;
  for (const Payload& body : parcel.bodies) {
    const size_t begin = Aligned(at);
    std::memset(to + at, 0, begin - at);
    if (body.size() > 0) std::memcpy(to + begin, body.data(), body.size());
    at = begin + body.size();
  }
}

Result<Parcel> ReadParcel(std::string_view head, const Payload& bulk) {
  FieldReader reader(BytesOf(head));
  const auto count = reader.Take<uint32_t>();
  if (!reader.ok() || count > reader.rest().size() / sizeof(uint64_t)) return NoParcel(head.size());
  Parcel parcel;
  parcel.bodies.reserve(count);
  size_t at = 0;
  for (uint32_t i = 0; i < count; ++i) {
    const auto size = reader.Take<uint64_t>();
    at = Aligned(at);
    if (size > kMostBytes || at > bulk.size() || size > bulk.size() - at)
      return NoParcel(bulk.size());
    parcel.bodies.emplace_back(bulk.owner(), bulk.bytes().subspan(at, size));
    at += size;
  }
  if (at != bulk.size()) return NoParcel(bulk.size());
  const auto text = reader.rest();
  parcel.text.assign(reinterpret_cast<const char*>(text.data()), text.size());
  return parcel;
}

std::string BeginOf(const Parcel& parcel) {
  const std::string head = HeadOf(parcel);
  std::string begin;
  begin.reserve(Aligned(sizeof(uint64_t) + head.size()));
  Append(uint64_t{head.size()}, &begin);
  begin += head;
  if (!parcel.bodies.empty()) begin.resize(Aligned(begin.size()));
  return begin;
}

std::string Pack(const Parcel& parcel) {
  std::string text = BeginOf(parcel);
  const size_t begin = text.size();
  text.resize(begin + BulkBytes(parcel));
  WriteBulk(parcel, reinterpret_cast<std::byte*>(text.data()) + begin);
  return text;
}

Result<Parcel> Unpack(const Payload& bytes) {
  FieldReader reader(bytes.bytes());
  const auto size = reader.Take<uint64_t>();
  if (!reader.ok() || size > reader.rest().size()) return NoParcel(bytes.size());
  const auto head = reader.rest().first(size);
  const size_t begin = std::min(Aligned(sizeof(uint64_t) + size), bytes.size());
  auto parcel = ReadParcel({reinterpret_cast<const char*>(head.data()), head.size()},
                           Payload(bytes.owner(), bytes.bytes().subspan(begin)));
  const bool ends = !parcel.ok() || !parcel->bodies.empty() || sizeof(size) + size == bytes.size();
  return ends ? std::move(parcel) : NoParcel(bytes.size());
}

}  // namespace lockstep::net
