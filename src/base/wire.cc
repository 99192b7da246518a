#include "base/wire.h"

#include <cstring>

namespace lockstep::base {

void AppendVarint(uint64_t value, std::string& out) {
  while (value >= 0x80) {
    out += static_cast<char>(value | 0x80);
    value >>= 7;
  }
  out += static_cast<char>(value);
}

bool TakeVarint(std::string_view& bytes, uint64_t& value) {
  value = 0;
  for (size_t i = 0; i < 10 && i < bytes.size(); ++i) {
    const auto byte = static_cast<uint8_t>(bytes[i]);
    if (i == 9 && byte > 1) return false;  // more than 64 bits
    value |= static_cast<uint64_t>(byte & 0x7f) << (7 * i);
    if (byte >= 0x80) continue;
    bytes.remove_prefix(i + 1);
    return true;
  }
  return false;
}

WireWriter& WireWriter::Varint(int field, uint64_t value) {
  Tag(field, 0);
  AppendVarint(value, bytes_);
  return *this;
}

WireWriter& WireWriter::Fixed32(int field, uint32_t value) {
  Tag(field, 5);
  bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  return *this;
}

WireWriter& WireWriter::Fixed64(int field, uint64_t value) {
  Tag(field, 1);
  bytes_.append(reinterpret_cast<const char*>(&value), sizeof value);
  return *this;
}

WireWriter& WireWriter::Bytes(int field, std::string_view value) {
  Tag(field, 2);
  AppendVarint(value.size(), bytes_);
  bytes_ += value;
  return *this;
}

bool WireReader::Fixed(size_t size) {
  if (rest_.size() < size) return false;
  number_ = 0;
  std::memcpy(&number_, rest_.data(), size);
  rest_.remove_prefix(size);
  return true;
}

bool WireReader::Next() {
  if (broken_ || rest_.empty()) return false;
  broken_ = true;
  uint64_t tag = 0;
  if (!TakeVarint(rest_, tag) || tag >> 3 == 0 || tag >> 3 > (uint64_t{1} << 29) - 1) return false;
  field_ = static_cast<int>(tag >> 3);
  type_ = static_cast<WireType>(tag & 7);
  bytes_ = {};
  switch (type_) {
    case WireType::kVarint:
      broken_ = !TakeVarint(rest_, number_);
      break;
    case WireType::kFixed32:
      broken_ = !Fixed(4);
      break;
    case WireType::kFixed64:
      broken_ = !Fixed(8);
      break;
    case WireType::kBytes:
      if (!TakeVarint(rest_, number_) || number_ > rest_.size()) return false;
      bytes_ = rest_.substr(0, number_);
      rest_.remove_prefix(number_);
      broken_ = false;
      break;
    default:  // groups, which nobody writes any more
      return false;
  }
  return !broken_;
}

}  // namespace lockstep::base
