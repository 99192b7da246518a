#include "checkpoint/element_bytes.h"

#include <bit>
#include <cstring>
#include <limits>
#include <optional>

#include "tensor/buffer.h"

namespace lockstep::checkpoint {

static_assert(std::endian::native == std::endian::little, "saves are written as memory holds them");

namespace {

std::optional<uint64_t> Elements(const Shape& shape) {
  uint64_t count = 1;
  for (const int64_t size : shape.sizes()) {
    if (__builtin_mul_overflow(count, static_cast<uint64_t>(size), &count)) return {};
  }
  return count;
}

}  // namespace

ElementBytes::ElementBytes(const Tensor& tensor) : tensor_(tensor) {
  if (tensor.dtype() != DType::kString) return;
  const auto* values = static_cast<const std::string*>(tensor.raw_data());
  for (int64_t i = 0; i < tensor.num_elements(); ++i) {
    const uint64_t length = values[i].size();
    strings_.append(reinterpret_cast<const char*>(&length), sizeof length);
  }
  for (int64_t i = 0; i < tensor.num_elements(); ++i) strings_ += values[i];
}

std::span<const std::byte> ElementBytes::bytes() const {
  if (tensor_.dtype() == DType::kString) return std::as_bytes(std::span(strings_));
  return {static_cast<const std::byte*>(tensor_.raw_data()), tensor_.num_bytes()};
}

bool BytesFit(DType dtype, const Shape& shape, uint64_t bytes) {
  const auto count = Elements(shape);
  if (!count) return false;
  if (dtype == DType::kString) return bytes / sizeof(uint64_t) >= *count;
  return bytes % DTypeSize(dtype) == 0 && bytes / DTypeSize(dtype) == *count;
}

namespace {

Tensor Strings(const Shape& shape, std::span<const std::byte> bytes) {
  const auto count = static_cast<size_t>(shape.num_elements());
  const auto* lengths = bytes.data();
  bytes = bytes.subspan(count * sizeof(uint64_t));
  std::vector<std::string> values;
  for (size_t i = 0; i < count; ++i) {
    uint64_t length = 0;
    std::memcpy(&length, lengths + i * sizeof length, sizeof length);
    if (length > bytes.size()) return {};
    values.emplace_back(reinterpret_cast<const char*>(bytes.data()), length);
    bytes = bytes.subspan(length);
  }
  return bytes.empty() ? Tensor::FromStrings(values, shape) : Tensor();
}

}  // namespace

Tensor FromElementBytes(DType dtype, const Shape& shape, std::span<const std::byte> bytes) {
  if (!BytesFit(dtype, shape, bytes.size())) return {};
  if (dtype == DType::kString) return Strings(shape, bytes);
  auto buffer = tensor::Buffer::Allocate(dtype, shape.num_elements());
  if (!bytes.empty()) std::memcpy(buffer->data(), bytes.data(), bytes.size());
  return Tensor::FromBuffer(std::move(buffer), dtype, shape);
}

}  // namespace lockstep::checkpoint
