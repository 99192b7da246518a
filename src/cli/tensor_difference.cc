#include "cli/tensor_difference.h"

#include <cmath>
#include <cstring>
#include <sstream>

namespace lockstep::cli {

namespace {

template <typename T>
double Number(const T& value) {
  if constexpr (std::is_same_v<T, bfloat16> || std::is_same_v<T, float16>) {
    return static_cast<float>(value);
  } else {
    return static_cast<double>(value);
  }
}

std::string Place(const Shape& shape, int64_t index) {
  std::string text;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    text = std::to_string(index % shape[axis]) + (text.empty() ? "" : ",") + text;
    index /= shape[axis];
  }
  return "[" + text + "]";
}

template <typename T>
std::string Compare(const Tensor& a, const Tensor& b) {
  const auto x = a.data<T>();
  const auto y = b.data<T>();
  int64_t differing = 0, first = 0;
  double largest = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    if constexpr (std::is_same_v<T, std::string>) {
      if (x[i] == y[i]) continue;
    } else {
      if (std::memcmp(&x[i], &y[i], sizeof(T)) == 0) continue;
      const double distance = std::fabs(Number(x[i]) - Number(y[i]));
      if (!(distance <= largest)) largest = distance;
    }
    if (differing++ == 0) first = static_cast<int64_t>(i);
  }
  if (differing == 0) return "";
  std::ostringstream text;
  text.precision(9);
  text << differing << " of " << x.size() << " elements differ, first at "
       << Place(a.shape(), first) << ": ";
  if constexpr (std::is_same_v<T, std::string>) {
    text << x[first] << " and " << y[first];
  } else {
    text << Number(x[first]) << " and " << Number(y[first]) << ", at most by " << largest;
  }
  return text.str();
}

}  // namespace

std::string TensorDifference(const Tensor& a, const Tensor& b) {
  if (a.dtype() != b.dtype() || !(a.shape() == b.shape())) {
    return std::string(DTypeName(a.dtype())) + a.shape().ToString() + " and " +
           std::string(DTypeName(b.dtype())) + b.shape().ToString();
  }
  switch (a.dtype()) {
    case DType::kFloat32:
      return Compare<float>(a, b);
    case DType::kFloat64:
      return Compare<double>(a, b);
    case DType::kFloat16:
      return Compare<float16>(a, b);
    case DType::kBFloat16:
      return Compare<bfloat16>(a, b);
    case DType::kInt8:
      return Compare<int8_t>(a, b);
    case DType::kInt16:
      return Compare<int16_t>(a, b);
    case DType::kInt32:
      return Compare<int32_t>(a, b);
    case DType::kInt64:
      return Compare<int64_t>(a, b);
    case DType::kUInt8:
      return Compare<uint8_t>(a, b);
    case DType::kBool:
      return Compare<bool>(a, b);
    default:
      return Compare<std::string>(a, b);
  }
}

}  // namespace lockstep::cli
