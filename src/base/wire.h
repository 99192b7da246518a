#pragma once

#include <bit>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

/// Protocol buffers' wire format, for the messages of other people's files: fields by number, no
/// generated code. Source: the format's public encoding guide.

namespace lockstep::base {

/// Appends a number, seven bits a byte, least significant first.
void AppendVarint(uint64_t value, std::string& out);
/// Takes one off the front of `bytes`; false when it is cut off or longer than ten bytes.
bool TakeVarint(std::string_view& bytes, uint64_t& value);

/// Writes the fields of one message in the order of the calls.
class WireWriter {
 public:
  WireWriter& Varint(int field, uint64_t value);
  WireWriter& Signed(int field, int64_t value) {
    return Varint(field, static_cast<uint64_t>(value));
  }
  WireWriter& Fixed32(int field, uint32_t value);
  WireWriter& Fixed64(int field, uint64_t value);
  WireWriter& Float(int field, float value) {
    return Fixed32(field, std::bit_cast<uint32_t>(value));
  }
  WireWriter& Double(int field, double value) {
    return Fixed64(field, std::bit_cast<uint64_t>(value));
  }
  /// Bytes, a text, or a message.
  WireWriter& Bytes(int field, std::string_view value);
  WireWriter& Message(int field, const WireWriter& message) { return Bytes(field, message.bytes_); }

  const std::string& bytes() const& { return bytes_; }
  std::string bytes() && { return std::move(bytes_); }

 private:
  void Tag(int field, int type) { AppendVarint(static_cast<uint64_t>(field) << 3 | type, bytes_); }
  std::string bytes_;
};

enum class WireType : uint8_t { kVarint = 0, kFixed64 = 1, kBytes = 2, kFixed32 = 5 };

/// Goes through the fields of one message; nothing is copied. After bytes that are no message
/// `Next` is false and `broken` true.
class WireReader {
 public:
  explicit WireReader(std::string_view bytes) : rest_(bytes) {}

  bool Next();
  bool broken() const { return broken_; }
  int field() const { return field_; }
  WireType type() const { return type_; }
  /// Whether this is the field `number` in this form.
  bool Is(int number, WireType type) const { return field_ == number && type_ == type; }

  /// The value of a field that is a number.
  uint64_t number() const { return number_; }
  int64_t integer() const { return static_cast<int64_t>(number_); }
  float float32() const { return std::bit_cast<float>(static_cast<uint32_t>(number_)); }
  double float64() const { return std::bit_cast<double>(number_); }
  /// The value of a field of kBytes.
  std::string_view bytes() const { return bytes_; }

 private:
  bool Fixed(size_t size);

  std::string_view rest_;
  bool broken_ = false;
  int field_ = 0;
  WireType type_ = WireType::kVarint;
  uint64_t number_ = 0;
  std::string_view bytes_;
};

}  // namespace lockstep::base
