#include "kernels/cpu/number_bytes.h"

#include <algorithm>

namespace lockstep::kernels {

namespace {

template <typename T>
std::array<char, 8> BytesOf(T value) {
  std::array<char, 8> bytes{};
  std::memcpy(bytes.data(), &value, sizeof(T));
  return bytes;
}

template <typename T>
void FillAs(char* to, int64_t count, const char* value) {
  T element;
  std::memcpy(&element, value, sizeof(T));
  std::fill_n(reinterpret_cast<T*>(to), count, element);
}

}  // namespace

std::array<char, 8> NumberBytes(double value, DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
      return BytesOf(static_cast<float>(value));
    case DType::kFloat64:
      return BytesOf(value);
    case DType::kBFloat16:
      return BytesOf(bfloat16(static_cast<float>(value)).bits);
    case DType::kFloat16:
      return BytesOf(float16(static_cast<float>(value)).bits);
    case DType::kBool:
      return BytesOf(value != 0);
    default:
      return BytesOf(static_cast<int64_t>(value));  // the lowest bytes come first
  }
}

void FillBytes(char* to, int64_t count, size_t bytes, const std::array<char, 8>& value) {
  switch (bytes) {
    case 1:
      return FillAs<uint8_t>(to, count, value.data());
    case 2:
      return FillAs<uint16_t>(to, count, value.data());
    case 4:
      return FillAs<uint32_t>(to, count, value.data());
    default:
      return FillAs<uint64_t>(to, count, value.data());
  }
}

}  // namespace lockstep::kernels
