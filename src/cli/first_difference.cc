#include "cli/first_difference.h"

#include <cstring>
#include <nlohmann/json.hpp>
#include <vector>

#include "base/printf.h"

namespace lockstep::cli {

namespace {

using nlohmann::json;

const std::byte* BytesOf(const Tensor& tensor) {
  return static_cast<const std::byte*>(tensor.raw_data());
}

bool SameBytes(const Tensor& a, const Tensor& b) {
  return a.dtype() == b.dtype() && a.shape() == b.shape() &&
         (a.num_bytes() == 0 || std::memcmp(BytesOf(a), BytesOf(b), a.num_bytes()) == 0);
}

std::string PlaceOf(int64_t element, const Shape& shape) {
  std::string place;
  for (int axis = shape.rank() - 1; axis >= 0; --axis) {
    place = std::to_string(element % shape[axis]) + (place.empty() ? "" : ",") + place;
    element /= shape[axis];
  }
  return "[" + place + "]";
}

// The bits, the highest first, and the number where it is a usual one.
std::string Bits(const Tensor& tensor, int64_t element, size_t width) {
  const std::byte* bytes = BytesOf(tensor) + static_cast<size_t>(element) * width;
  std::string text = "0x";
  for (size_t i = width; i-- > 0;) text += base::Printf("%02x", static_cast<unsigned>(bytes[i]));
  if (tensor.dtype() == DType::kFloat32) {
    float number;
    std::memcpy(&number, bytes, sizeof number);
    text += base::Printf(" (%.9g)", static_cast<double>(number));
  } else if (tensor.dtype() == DType::kFloat64) {
    double number;
    std::memcpy(&number, bytes, sizeof number);
    text += base::Printf(" (%.17g)", number);
  }
  return text;
}

// The tensors' names in the order in which the plan writes them, those it does not write at last.
std::vector<std::string> InPlanOrder(const SavedState& state, const json& writers) {
  std::vector<std::string> names;
  const auto add = [&](const std::string& name) {
    if (std::find(names.begin(), names.end(), name) == names.end()) names.push_back(name);
  };
  for (const json& writer : writers) {
    const std::string name = writer.value("variable", "");
    if (state.Find(name) != nullptr) add(name);
  }
  for (const NamedTensor& tensor : state.tensors) add(tensor.name);
  return names;
}

std::string WriterOf(const json& writers, const std::string& variable) {
  for (const json& writer : writers) {
    if (writer.value("variable", "") != variable) continue;
    std::string text =
        writer.value("op", "") + " in phase " + std::to_string(writer.value("phase", 0));
    const char* divider = ", from ";
    for (const json& from : writer.value("from", json::array())) {
      text += divider + from.get<std::string>();
      divider = " and ";
    }
    return text;
  }
  return "";
}

StateDifference Describe(const std::string& name, const Tensor& a, const Tensor& b) {
  StateDifference difference{.variable = name};
  if (a.dtype() != b.dtype() || a.shape() != b.shape()) {
    difference.place = "whole";
    difference.first = a.shape().ToString();
    difference.second = b.shape().ToString();
    return difference;
  }
  const int64_t count = a.num_elements();
  const size_t width = a.num_bytes() / static_cast<size_t>(count);
  difference.of_elements = count;
  for (int64_t i = 0; i < count; ++i) {
    const size_t offset = static_cast<size_t>(i) * width;
    if (std::memcmp(BytesOf(a) + offset, BytesOf(b) + offset, width) == 0) continue;
    if (difference.elements++ > 0) continue;
    difference.element = i;
    difference.place = PlaceOf(i, a.shape());
    difference.first = Bits(a, i, width);
    difference.second = Bits(b, i, width);
  }
  return difference;
}

}  // namespace

std::optional<StateDifference> FindDifference(const SavedState& first, const SavedState& second) {
  const json metadata = json::parse(first.metadata, nullptr, false);
  const json writers =
      metadata.is_object() ? metadata.value("writers", json::array()) : json::array();
  std::optional<StateDifference> found;
  int64_t differing = 0;
  for (const std::string& name : InPlanOrder(first, writers)) {
    const Tensor* a = first.Find(name);
    const Tensor* b = second.Find(name);
    if (b != nullptr && SameBytes(*a, *b)) continue;
    ++differing;
    if (found) continue;
    found = b == nullptr ? StateDifference{.variable = name, .place = "whole", .second = "absent"}
                         : Describe(name, *a, *b);
    found->op = WriterOf(writers, name);
  }
  if (found) {
    found->variables = differing;
    found->of_variables = static_cast<int64_t>(first.tensors.size());
  }
  return found;
}

}  // namespace lockstep::cli
