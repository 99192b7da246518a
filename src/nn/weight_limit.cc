#include "nn/weight_limit.h"

#include <limits>

#include "lockstep/base/status.h"

namespace lockstep::nn {

namespace {

thread_local std::optional<int64_t> bytes_left;

// The bytes of a value; the largest number where they are more than that.
int64_t SaturatedBytes(const Shape& shape, DType dtype) {
  int64_t bytes = static_cast<int64_t>(DTypeSize(dtype));
  for (int axis = 0; axis < shape.rank(); ++axis) {
    if (shape[axis] == 0) return 0;
    if (__builtin_mul_overflow(bytes, shape[axis], &bytes))
      return std::numeric_limits<int64_t>::max();
  }
  return bytes;
}

}  // namespace

std::optional<int64_t> SetWeightLimit(std::optional<int64_t> bytes) {
  const std::optional<int64_t> before = bytes_left;
  bytes_left = bytes;
  return before;
}

void CountWeight(const std::string& name, const Shape& shape, DType dtype) {
  if (!bytes_left.has_value()) return;
  const int64_t bytes = SaturatedBytes(shape, dtype);
  if (bytes > *bytes_left) {
    throw Error(Code::kInvalidArgument,
                "[load] the weights of a model must be about as large as its file; got " + name +
                    " of " + std::string(DTypeName(dtype)) + shape.ToString() + ", and " +
                    std::to_string(*bytes_left) + " bytes left for it");
  }
  *bytes_left -= bytes;
}

}  // namespace lockstep::nn
