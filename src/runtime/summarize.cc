#include "runtime/summarize.h"

#include <cmath>
#include <cstdio>
#include <cstdlib>

namespace lockstep::runtime {

namespace {

// The shorter of two precisions that reads back.
std::string RealText(double value, bool wide) {
  if (std::isnan(value)) return "nan";
  if (std::isinf(value)) return value > 0 ? "inf" : "-inf";
  char text[40];
  std::snprintf(text, sizeof text, wide ? "%.15g" : "%.6g", value);
  const bool reads_back = wide ? std::strtod(text, nullptr) == value
                               : std::strtof(text, nullptr) == static_cast<float>(value);
  if (!reads_back) std::snprintf(text, sizeof text, wide ? "%.17g" : "%.9g", value);
  return text;
}

std::string ElementText(const Tensor& tensor, int64_t i) {
  const void* data = tensor.raw_data();
  switch (tensor.dtype()) {
    case DType::kFloat32:
      return RealText(static_cast<const float*>(data)[i], false);
    case DType::kFloat64:
      return RealText(static_cast<const double*>(data)[i], true);
    case DType::kBFloat16:
      return RealText(static_cast<float>(static_cast<const bfloat16*>(data)[i]), false);
    case DType::kFloat16:
      return RealText(static_cast<float>(static_cast<const float16*>(data)[i]), false);
    case DType::kInt64:
      return std::to_string(static_cast<const int64_t*>(data)[i]);
    case DType::kInt32:
      return std::to_string(static_cast<const int32_t*>(data)[i]);
    case DType::kInt16:
      return std::to_string(static_cast<const int16_t*>(data)[i]);
    case DType::kInt8:
      return std::to_string(static_cast<const int8_t*>(data)[i]);
    case DType::kUInt8:
      return std::to_string(static_cast<const uint8_t*>(data)[i]);
    case DType::kBool:
      return static_cast<const bool*>(data)[i] ? "1" : "0";
    case DType::kString:
      return static_cast<const std::string*>(data)[i];
    default:
      return "?";
  }
}

std::string Nested(const Tensor& tensor, int64_t edge, int axis, int64_t first, int64_t count) {
  const Shape& shape = tensor.shape();
  if (axis == shape.rank()) {
    const std::string text = ElementText(tensor, first);
    return shape.rank() > 0 && tensor.dtype() == DType::kString ? "\"" + text + "\"" : text;
  }
  const int64_t size = shape[axis];
  const int64_t inner = size == 0 ? 0 : count / size;
  const int below = shape.rank() - axis;
  const std::string gap =
      below == 1 ? " " : std::string(below - 1, '\n') + std::string(axis + 1, ' ');
  std::string text = "[";
  const bool whole = edge < 0 || size <= 2 * edge;
  for (int64_t i = 0; i < size; ++i) {
    if (i > 0) text += gap;
    if (!whole && i == edge) {
      text += "...";
      i = size - edge - 1;
      continue;
    }
    text += Nested(tensor, edge, axis + 1, first + i * inner, inner);
  }
  return text + "]";
}

// Of the axes behind `axis`, until `most` elements are shown.
void Flat(const Tensor& tensor, int64_t most, int axis, int64_t* next, std::string* text) {
  const Shape& shape = tensor.shape();
  const bool innermost = axis == shape.rank() - 1;
  for (int64_t i = 0; i < shape[axis]; ++i) {
    if (*next >= most) {
      if (innermost && axis > 0) *text += "...";
      return;
    }
    if (innermost) {
      *text += (i > 0 ? " " : "") + ElementText(tensor, (*next)++);
      continue;
    }
    *text += "[";
    Flat(tensor, most, axis + 1, next, text);
    *text += "]";
  }
}

}  // namespace

std::string SummarizedNested(const Tensor& tensor, int64_t edge) {
  return Nested(tensor, edge, 0, 0, tensor.num_elements());
}

std::string SummarizedFlat(const Tensor& tensor, int64_t most) {
  if (tensor.shape().rank() == 0) return ElementText(tensor, 0);
  if (most < 0) most = tensor.num_elements();
  std::string text;
  int64_t next = 0;
  Flat(tensor, most, 0, &next, &text);
  return tensor.num_elements() > most ? text + "..." : text;
}

}  // namespace lockstep::runtime
