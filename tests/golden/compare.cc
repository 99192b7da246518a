#include <bit>
#include <cmath>
#include <sstream>

#include "case.h"

namespace golden {

using lockstep::DType;
using lockstep::Tensor;

namespace {

template <typename T>
constexpr bool kSixteenBits =
    std::is_same_v<T, lockstep::bfloat16> || std::is_same_v<T, lockstep::float16>;

template <typename T>
std::string Place(const Tensor& got, const Tensor& expected, int64_t index, const T& g,
                  const T& e) {
  std::ostringstream text;
  text.precision(std::is_same_v<T, double> ? 17 : 9);
  std::vector<int64_t> place;
  for (int axis = got.rank() - 1; axis >= 0; --axis) {
    place.insert(place.begin(), index % expected.shape()[axis]);
    index /= expected.shape()[axis];
  }
  text << "first at [";
  for (size_t i = 0; i < place.size(); ++i) text << (i > 0 ? "," : "") << place[i];
  if constexpr (kSixteenBits<T>) {
    text << "]: got " << float(g) << ", expected " << float(e);
  } else if constexpr (std::is_same_v<T, std::string>) {
    text << "]: got " << g << ", expected " << e;
  } else {
    text << "]: got " << +g << ", expected " << +e;
  }
  return text.str();
}

// Where both tolerances are 0 the bits must agree; a NaN agrees with any NaN.
template <typename T>
bool Agree(const T& got, const T& expected, const Case& golden) {
  if constexpr (kSixteenBits<T>) {
    return Agree(float(got), float(expected), golden);
  } else if constexpr (std::is_floating_point_v<T>) {
    if (std::isnan(got) || std::isnan(expected)) return std::isnan(got) && std::isnan(expected);
    if (golden.relative() == 0 && golden.absolute() == 0)
      return got == expected && std::signbit(got) == std::signbit(expected);
    if (std::isinf(got) || std::isinf(expected)) return got == expected;
    const double distance = std::fabs(static_cast<double>(got) - static_cast<double>(expected));
    return distance <= golden.absolute() + golden.relative() * std::fabs(expected);
  } else {
    return got == expected;
  }
}

template <typename T>
std::string CompareElements(const Case& golden, const Tensor& got, const Tensor& expected) {
  const auto g = got.data<T>();
  const auto e = expected.data<T>();
  int64_t differing = 0;
  int64_t first = -1;
  for (int64_t i = 0; i < static_cast<int64_t>(g.size()); ++i) {
    if (Agree(g[i], e[i], golden)) continue;
    if (differing++ == 0) first = i;
  }
  if (differing == 0) return "";
  return std::to_string(differing) + " of " + std::to_string(g.size()) + " elements differ, " +
         Place(got, expected, first, g[first], e[first]);
}

std::string CompareTensor(const Case& golden, const Tensor& got, const Tensor& expected) {
  if (!got.defined()) return "got no tensor";
  if (got.dtype() != expected.dtype() || !(got.shape() == expected.shape())) {
    return "got " + std::string(DTypeName(got.dtype())) + got.shape().ToString() + ", expected " +
           std::string(DTypeName(expected.dtype())) + expected.shape().ToString();
  }
  switch (got.dtype()) {
    case DType::kFloat32:
      return CompareElements<float>(golden, got, expected);
    case DType::kFloat64:
      return CompareElements<double>(golden, got, expected);
    case DType::kInt8:
      return CompareElements<int8_t>(golden, got, expected);
    case DType::kInt16:
      return CompareElements<int16_t>(golden, got, expected);
    case DType::kInt32:
      return CompareElements<int32_t>(golden, got, expected);
    case DType::kInt64:
      return CompareElements<int64_t>(golden, got, expected);
    case DType::kUInt8:
      return CompareElements<uint8_t>(golden, got, expected);
    case DType::kBool:
      return CompareElements<bool>(golden, got, expected);
    case DType::kBFloat16:
      return CompareElements<lockstep::bfloat16>(golden, got, expected);
    case DType::kFloat16:
      return CompareElements<lockstep::float16>(golden, got, expected);
    case DType::kString:
      return CompareElements<std::string>(golden, got, expected);
    default:
      return "no comparison for " + std::string(DTypeName(got.dtype()));
  }
}

void CompareOutput(const Case& golden, const std::string& name, const Json& expected,
                   const Produced& produced, std::vector<std::string>& lines) {
  if (expected.is_object() && !expected.contains("data")) {
    for (const auto& [part, value] : expected.items())
      CompareOutput(golden, name + "/" + part, value, produced, lines);
    return;
  }
  const auto got = produced.find(name);
  if (got == produced.end()) {
    lines.push_back(name + ": nothing was computed");
    return;
  }
  const std::string* text = std::get_if<std::string>(&got->second);
  if (expected.is_string() || expected.is_array()) {
    const std::string wanted = expected.is_string() ? expected.get<std::string>() : expected.dump();
    if (text == nullptr || *text != wanted)
      lines.push_back(name + ": got " + (text ? *text : "a tensor") + ", expected " + wanted);
    return;
  }
  if (text != nullptr) {
    lines.push_back(name + ": got " + *text + ", expected a tensor");
    return;
  }
  const std::string difference =
      CompareTensor(golden, std::get<Tensor>(got->second), ReadTensor(expected));
  if (!difference.empty()) lines.push_back(name + ": " + difference);
}

}  // namespace

std::vector<std::string> Compare(const Case& golden, const Produced& produced) {
  std::vector<std::string> lines;
  if (golden.outputs().empty()) lines.push_back("the case expects nothing");
  for (const auto& [name, expected] : golden.outputs().items())
    CompareOutput(golden, name, expected, produced, lines);
  return lines;
}

}  // namespace golden
