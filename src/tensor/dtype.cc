#include "lockstep/tensor/dtype.h"

#include <immintrin.h>

#include <bit>

namespace lockstep {

bfloat16::bfloat16(float value) {
  const uint32_t word = std::bit_cast<uint32_t>(value);
  if ((word & 0x7fffffffu) > 0x7f800000u) {
    bits = static_cast<uint16_t>((word >> 16) | 0x40u);  // a NaN stays one, made quiet
  } else {
    bits = static_cast<uint16_t>((word + 0x7fffu + ((word >> 16) & 1u)) >> 16);
  }
}

bfloat16::operator float() const { return std::bit_cast<float>(static_cast<uint32_t>(bits) << 16); }

float16::float16(float value) : bits(_cvtss_sh(value, _MM_FROUND_TO_NEAREST_INT)) {}

float16::operator float() const { return _cvtsh_ss(bits); }

std::string_view DTypeName(DType dtype) {
  switch (dtype) {
    case DType::kInvalid:
      return "invalid";
    case DType::kFloat32:
      return "float32";
    case DType::kFloat64:
      return "float64";
    case DType::kInt32:
      return "int32";
    case DType::kUInt8:
      return "uint8";
    case DType::kInt16:
      return "int16";
    case DType::kInt8:
      return "int8";
    case DType::kString:
      return "string";
    case DType::kInt64:
      return "int64";
    case DType::kBool:
      return "bool";
    case DType::kBFloat16:
      return "bfloat16";
    case DType::kFloat16:
      return "float16";
    case DType::kResource:
      return "resource";
  }
  return "invalid";
}

size_t DTypeSize(DType dtype) {
  switch (dtype) {
    case DType::kFloat32:
    case DType::kInt32:
      return 4;
    case DType::kFloat64:
    case DType::kInt64:
      return 8;
    case DType::kInt16:
    case DType::kBFloat16:
    case DType::kFloat16:
      return 2;
    case DType::kUInt8:
    case DType::kInt8:
    case DType::kBool:
      return 1;
    case DType::kString:
      return sizeof(std::string);
    case DType::kResource:
    case DType::kInvalid:
      return 0;
  }
  return 0;
}

bool IsFloating(DType dtype) {
  return dtype == DType::kFloat32 || dtype == DType::kFloat64 || IsHalf(dtype);
}

bool IsInteger(DType dtype) {
  return dtype == DType::kInt8 || dtype == DType::kInt16 || dtype == DType::kInt32 ||
         dtype == DType::kInt64 || dtype == DType::kUInt8;
}

bool IsHalf(DType dtype) { return dtype == DType::kBFloat16 || dtype == DType::kFloat16; }

}  // namespace lockstep
