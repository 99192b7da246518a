#include "runtime/autocast.h"

#include <utility>

#include "lockstep/ops/math.h"

namespace lockstep::runtime {

namespace {
constinit thread_local std::optional<DType> computing;
}  // namespace

AutocastScope::AutocastScope(DType dtype) : outer_(computing) { computing = dtype; }
AutocastScope::~AutocastScope() { computing = outer_; }
std::optional<DType> AutocastScope::Current() { return computing; }

std::optional<DType> SetAutocast(std::optional<DType> dtype) {
  return std::exchange(computing, dtype);
}

Tensor CastFloating(const Tensor& value, DType dtype) {
  return value.dtype() == dtype || !IsFloating(value.dtype()) || !IsFloating(dtype)
             ? value
             : Cast(value, dtype);
}

Tensor WholeToFloating(const Tensor& value, DType dtype) {
  return IsInteger(value.dtype()) ? Cast(value, dtype) : value;
}

Tensor WidenHalf(const Tensor& value) {
  const bool half = IsHalf(value.dtype());
  return half ? Cast(value, DType::kFloat32) : value;
}

}  // namespace lockstep::runtime
