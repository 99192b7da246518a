#include "case.h"

#include <cmath>
#include <limits>
#include <stdexcept>

namespace golden {

using lockstep::DType;
using lockstep::Shape;
using lockstep::Tensor;

Case::Case(const Json& entry)
    : name_(entry.at("name").get<std::string>()),
      group_(entry.at("group").get<std::string>()),
      note_(entry.value("note", "")),
      params_(entry.value("params", Json::object())),
      inputs_(entry.value("inputs", Json::object())),
      outputs_(entry.value("outputs", Json::object())) {
  if (entry.contains("tol") && entry["tol"].is_object()) {
    relative_ = entry["tol"].value("rtol", relative_);
    absolute_ = entry["tol"].value("atol", absolute_);
  }
}

Tensor Case::Input(const std::string& name) const {
  if (!HasInput(name)) throw std::runtime_error("the case has no input " + name);
  return ReadTensor(inputs_[name]);
}

Shape Case::OutputShape(const std::string& name) const {
  return Shape(outputs_.at(name).at("shape").get<std::vector<int64_t>>());
}

std::string Case::OutputDType(const std::string& name) const {
  return outputs_.at(name).at("dtype").get<std::string>();
}

std::vector<int64_t> Case::Integers(const std::string& name) const {
  const Json& value = params_.at(name);
  if (value.is_number()) return {value.get<int64_t>()};
  return value.get<std::vector<int64_t>>();
}

Json ParseKeepingZeros(const std::string& text) {
  std::string changed;
  changed.reserve(text.size() + text.size() / 64);
  bool quoted = false;
  for (size_t i = 0; i < text.size(); ++i) {
    changed += text[i];
    if (text[i] == '\\' && quoted && i + 1 < text.size()) {
      changed += text[++i];
    } else if (text[i] == '"') {
      quoted = !quoted;
    } else if (!quoted && text[i] == '0' && i > 0 && text[i - 1] == '-' && i + 1 < text.size() &&
               std::string(",]} \n").find(text[i + 1]) != std::string::npos) {
      changed += ".0";
    }
  }
  return Json::parse(changed, nullptr, /*allow_exceptions=*/false);
}

namespace {

double Real(const Json& element) {
  if (!element.is_string()) return element.get<double>();
  const std::string text = element.get<std::string>();
  if (text == "nan") return std::numeric_limits<double>::quiet_NaN();
  if (text == "inf") return std::numeric_limits<double>::infinity();
  if (text == "-inf") return -std::numeric_limits<double>::infinity();
  throw std::runtime_error("an element is a number, nan, inf or -inf; got " + text);
}

template <typename T>
Tensor Read(const Json& data, const Shape& shape) {
  std::vector<T> values;
  values.reserve(data.size());
  for (const Json& element : data) {
    if constexpr (std::is_floating_point_v<T>) {
      values.push_back(static_cast<T>(Real(element)));
    } else {
      values.push_back(
          static_cast<T>(element.is_boolean() ? element.get<bool>() : element.get<int64_t>()));
    }
  }
  return Tensor::FromVector(values, shape);
}

void Flatten(const Json& nested, size_t depth, std::vector<int64_t>& sizes,
             std::vector<float>& values) {
  if (!nested.is_array()) {
    values.push_back(static_cast<float>(Real(nested)));
    return;
  }
  if (sizes.size() == depth) sizes.push_back(static_cast<int64_t>(nested.size()));
  for (const Json& part : nested) Flatten(part, depth + 1, sizes, values);
}

}  // namespace

Tensor ReadTensor(const Json& entry) {
  const Shape shape(entry.at("shape").get<std::vector<int64_t>>());
  const std::string dtype = entry.at("dtype").get<std::string>();
  const Json& data = entry.at("data");
  if (dtype == "float32") return Read<float>(data, shape);
  if (dtype == "float64") return Read<double>(data, shape);
  if (dtype == "int8") return Read<int8_t>(data, shape);
  if (dtype == "int16") return Read<int16_t>(data, shape);
  if (dtype == "int32") return Read<int32_t>(data, shape);
  if (dtype == "int64") return Read<int64_t>(data, shape);
  if (dtype == "uint8") return Read<uint8_t>(data, shape);
  if (dtype == "bool") {
    std::vector<bool> values;
    for (const Json& element : data)
      values.push_back(element.is_boolean() ? element.get<bool>() : element.get<int64_t>() != 0);
    return Tensor::FromBools(values, shape);
  }
  throw std::runtime_error("no such dtype here: " + dtype);
}

DType DTypeOf(const std::string& name) {
  for (const DType dtype :
       {DType::kFloat32, DType::kFloat64, DType::kBFloat16, DType::kFloat16, DType::kInt8,
        DType::kInt16, DType::kInt32, DType::kInt64, DType::kUInt8, DType::kBool, DType::kString}) {
    if (DTypeName(dtype) == name) return dtype;
  }
  throw std::runtime_error("no such dtype: " + name);
}

Tensor ReadNested(const Json& nested) {
  std::vector<int64_t> sizes;
  std::vector<float> values;
  Flatten(nested, 0, sizes, values);
  return Tensor::FromVector(values, Shape(sizes));
}

const Handler* FindHandler(const Handlers& handlers, const std::string& name) {
  const Handler* best = nullptr;
  size_t length = 0;
  for (const auto& [prefix, handler] : handlers) {
    if (prefix.size() < length || name.compare(0, prefix.size(), prefix) != 0) continue;
    if (name.size() > prefix.size() &&
        std::isalpha(static_cast<unsigned char>(name[prefix.size()])))
      continue;
    best = &handler;
    length = prefix.size();
  }
  return best;
}

std::map<std::string, Handlers>& Groups() {
  static std::map<std::string, Handlers> groups;
  return groups;
}

}  // namespace golden
