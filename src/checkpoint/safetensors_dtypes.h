#pragma once

#include <string_view>

#include "lockstep/tensor/dtype.h"

namespace lockstep::checkpoint {

inline constexpr char kMetadataName[] = "__metadata__";

/// The dtypes of safetensors that are ours, in the order in which tensors of them stand in a file.
struct SafetensorsDType {
  const char* name;
  DType dtype;
};
inline constexpr SafetensorsDType kSafetensorsDTypes[] = {
    {"I64", DType::kInt64}, {"F64", DType::kFloat64},   {"F32", DType::kFloat32},
    {"I32", DType::kInt32}, {"BF16", DType::kBFloat16}, {"F16", DType::kFloat16},
    {"I16", DType::kInt16}, {"I8", DType::kInt8},       {"U8", DType::kUInt8},
    {"BOOL", DType::kBool},
};

/// Its place among them; -1 for others.
inline int PlaceOf(DType dtype) {
  for (int i = 0; i < static_cast<int>(std::size(kSafetensorsDTypes)); ++i) {
    if (kSafetensorsDTypes[i].dtype == dtype) return i;
  }
  return -1;
}

inline DType SafetensorsDTypeFrom(std::string_view name) {
  for (const SafetensorsDType& known : kSafetensorsDTypes) {
    if (name == known.name) return known.dtype;
  }
  return DType::kInvalid;
}

}  // namespace lockstep::checkpoint
