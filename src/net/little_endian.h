#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <type_traits>
#include <vector>

/// Numbers as bytes, least significant first: how every message field is written.

namespace lockstep::net {

static_assert(std::endian::native == std::endian::little, "the wire is the memory's byte order");

/// Appends fields to bytes.
class FieldWriter {
 public:
  explicit FieldWriter(std::vector<std::byte>* bytes) : bytes_(bytes) {}
  template <typename T>
  FieldWriter& Put(T value) {
    static_assert(std::is_integral_v<T>);
    const auto* begin = reinterpret_cast<const std::byte*>(&value);
    bytes_->insert(bytes_->end(), begin, begin + sizeof(T));
    return *this;
  }
  FieldWriter& PutBytes(const void* data, size_t size) {
    const auto* begin = static_cast<const std::byte*>(data);
    bytes_->insert(bytes_->end(), begin, begin + size);
    return *this;
  }

 private:
  std::vector<std::byte>* bytes_;
};

/// Takes fields off bytes; after the first that does not fit, everything is zero and `ok` is false.
class FieldReader {
 public:
  explicit FieldReader(std::span<const std::byte> bytes) : rest_(bytes) {}
  template <typename T>
  T Take() {
    static_assert(std::is_integral_v<T>);
    T value = 0;
    if (rest_.size() < sizeof(T)) ok_ = false;
    if (!ok_) return value;
    std::memcpy(&value, rest_.data(), sizeof(T));
    rest_ = rest_.subspan(sizeof(T));
    return value;
  }
  std::span<const std::byte> rest() const { return rest_; }
  bool ok() const { return ok_; }

 private:
  std::span<const std::byte> rest_;
  bool ok_ = true;
};

}  // namespace lockstep::net
