#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>

namespace lockstep {

/// Element types, with the numbers of TensorFlow's DataType.
enum class DType : uint8_t {
  kInvalid = 0,
  kFloat32 = 1,
  kFloat64 = 2,
  kInt32 = 3,
  kUInt8 = 4,
  kInt16 = 5,
  kInt8 = 6,
  kString = 7,
  kInt64 = 9,
  kBool = 10,
  kBFloat16 = 14,
  kFloat16 = 19,
  kResource = 20,
};

/// The upper half of a float32; conversion rounds to nearest even.
struct bfloat16 {
  uint16_t bits = 0;
  bfloat16() = default;
  explicit bfloat16(float value);
  explicit operator float() const;
  bool operator==(const bfloat16& other) const { return float(*this) == float(other); }
};

/// IEEE 754 binary16; conversion rounds to nearest even.
struct float16 {
  uint16_t bits = 0;
  float16() = default;
  explicit float16(float value);
  explicit operator float() const;
  bool operator==(const float16& other) const { return float(*this) == float(other); }
};

/// "float32", "bool", ...
std::string_view DTypeName(DType dtype);
/// Bytes of one element in memory; for strings the size of the in-memory handle.
size_t DTypeSize(DType dtype);
bool IsFloating(DType dtype);
bool IsInteger(DType dtype);
/// Whether it is one of the floating-point types of 16 bits.
bool IsHalf(DType dtype);

template <typename T>
struct DTypeOfTraits;
template <>
struct DTypeOfTraits<float> {
  static constexpr DType value = DType::kFloat32;
};
template <>
struct DTypeOfTraits<double> {
  static constexpr DType value = DType::kFloat64;
};
template <>
struct DTypeOfTraits<int8_t> {
  static constexpr DType value = DType::kInt8;
};
template <>
struct DTypeOfTraits<int16_t> {
  static constexpr DType value = DType::kInt16;
};
template <>
struct DTypeOfTraits<int32_t> {
  static constexpr DType value = DType::kInt32;
};
template <>
struct DTypeOfTraits<int64_t> {
  static constexpr DType value = DType::kInt64;
};
template <>
struct DTypeOfTraits<uint8_t> {
  static constexpr DType value = DType::kUInt8;
};
template <>
struct DTypeOfTraits<bool> {
  static constexpr DType value = DType::kBool;
};
template <>
struct DTypeOfTraits<bfloat16> {
  static constexpr DType value = DType::kBFloat16;
};
template <>
struct DTypeOfTraits<float16> {
  static constexpr DType value = DType::kFloat16;
};
template <>
struct DTypeOfTraits<std::string> {
  static constexpr DType value = DType::kString;
};

template <typename T>
inline constexpr DType kDTypeOf = DTypeOfTraits<T>::value;

}  // namespace lockstep
