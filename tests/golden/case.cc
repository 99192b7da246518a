#include "case.h"

#include <cctype>
#include <cmath>
#include <limits>
#include <stdexcept>

namespace golden {

using lockstep::DType;
using lockstep::Shape;
using lockstep::Tensor;

namespace {

// The member `name`, an object; empty where it is absent or null.
Json Object(const Json& entry, const char* name) {
  const auto found = entry.find(name);
  return found == entry.end() || found->is_null() ? Json::object() : *found;
}

}  // namespace

Case::Case(const Json& entry)
    : name_(entry.at("name").get<std::string>()),
      group_(entry.at("group").get<std::string>()),
      note_(entry.value("note", "")),
      params_(Object(entry, "params")),
      inputs_(Object(entry, "inputs")),
      outputs_(Object(entry, "outputs")) {
  const Json tolerance = Object(entry, "tol");
  relative_ = tolerance.value("rtol", relative_);
  absolute_ = tolerance.value("atol", absolute_);
}

std::string FormFault(const Json& entry) {
  if (!entry.is_object()) return "a case is an object; got " + entry.dump().substr(0, 60);
  for (const char* name : {"name", "group"}) {
    if (!entry.contains(name) || !entry[name].is_string())
      return std::string("a case has a text \"") + name + "\"; got " + entry.dump().substr(0, 60);
  }
  const std::string which = " (case " + entry["name"].get<std::string>() + ")";
  for (const char* name : {"params", "inputs", "outputs", "tol"}) {
    if (entry.contains(name) && !entry[name].is_null() && !entry[name].is_object())
      return std::string("\"") + name + "\" is an object or null; got " +
             entry[name].dump().substr(0, 60) + which;
  }
  if (entry.contains("note") && !entry["note"].is_string())
    return "\"note\" is a text; got " + entry["note"].dump().substr(0, 60) + which;
  const Json tolerances = Object(entry, "tol");
  for (const auto& [name, value] : tolerances.items()) {
    if (!value.is_number())
      return "a tolerance is a number; got " + value.dump().substr(0, 60) + which;
  }
  return "";
}

Tensor Case::Input(const std::string& name) const {
  if (!HasInput(name)) throw std::runtime_error("the case has no input " + name);
  return ReadTensor(inputs_[name]);
}

Shape Case::OutputShape(const std::string& name) const {
  if (!HasOutput(name)) throw std::runtime_error("the case has no output " + name);
  return Shape(outputs_[name].at("shape").get<std::vector<int64_t>>());
}

std::string Case::OutputDType(const std::string& name) const {
  if (!HasOutput(name)) throw std::runtime_error("the case has no output " + name);
  return outputs_[name].at("dtype").get<std::string>();
}

const Json& Case::Value(const std::string& name) const {
  if (!MentionsParam(name)) throw std::runtime_error("the case has no parameter " + name);
  return params_[name];
}

bool Case::HasParam(const std::string& name) const {
  return MentionsParam(name) && !params_[name].is_null();
}

bool Case::MentionsParam(const std::string& name) const {
  asked_.insert(name);
  return params_.contains(name);
}

std::vector<int64_t> Case::Integers(const std::string& name) const {
  const Json& value = Value(name);
  if (value.is_number()) return {value.get<int64_t>()};
  return value.get<std::vector<int64_t>>();
}

std::vector<std::string> Case::UnknownParams() const {
  // Remarks for people: layouts, the order of steps, what the elements are.
  static const std::set<std::string> remarks{"note",  "layout",   "order",   "value",
                                             "key",   "elements", "content", "channel_multiplier",
                                             "class", "dtype"};
  std::vector<std::string> unknown;
  for (const auto& [name, value] : params_.items()) {
    if (!remarks.contains(name) && !asked_.contains(name)) unknown.push_back(name);
  }
  return unknown;
}

std::vector<std::string> Case::StrangeParams() const {
  std::vector<std::string> strange = UnknownParams();
  std::erase_if(strange, [](const std::string& name) { return KnownParams().contains(name); });
  return strange;
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
  if (element.is_number()) return element.get<double>();
  if (!element.is_string())
    throw std::runtime_error("an element is a number, nan, inf or -inf; got " + element.dump());
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
    if constexpr (!std::is_integral_v<T>) {
      values.push_back(T(static_cast<std::conditional_t<std::is_same_v<T, double>, double, float>>(
          Real(element))));
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
  if (static_cast<int64_t>(nested.size()) != sizes[depth])
    throw std::runtime_error("nested lists must be even; got " + nested.dump().substr(0, 60));
  for (const Json& part : nested) Flatten(part, depth + 1, sizes, values);
}

}  // namespace

Tensor ReadTensor(const Json& entry) {
  if (!entry.is_object() || !entry.contains("shape") || !entry.contains("dtype") ||
      !entry.contains("data") || !entry["data"].is_array())
    throw std::runtime_error("a tensor is {shape, dtype, data}; got " + entry.dump().substr(0, 60));
  const auto sizes = entry["shape"].get<std::vector<int64_t>>();
  for (const int64_t size : sizes) {
    if (size < 0) throw std::runtime_error("a size is 0 or more; got " + entry["shape"].dump());
  }
  const Shape shape(sizes);
  const std::string dtype = entry["dtype"].get<std::string>();
  const Json& data = entry["data"];
  if (static_cast<int64_t>(data.size()) != shape.num_elements())
    throw std::runtime_error("a tensor of shape " + shape.ToString() +
                             " has as many elements; got " + std::to_string(data.size()));
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
  if (dtype == "bfloat16") return Read<lockstep::bfloat16>(data, shape);
  if (dtype == "float16") return Read<lockstep::float16>(data, shape);
  if (dtype == "string") return Tensor::FromStrings(data.get<std::vector<std::string>>(), shape);
  throw Skip{"the dtype " + dtype + " is not one of Lockstep's"};
}

DType DTypeOf(const std::string& name) {
  for (const DType dtype :
       {DType::kFloat32, DType::kFloat64, DType::kBFloat16, DType::kFloat16, DType::kInt8,
        DType::kInt16, DType::kInt32, DType::kInt64, DType::kUInt8, DType::kBool, DType::kString}) {
    if (DTypeName(dtype) == name) return dtype;
  }
  throw Skip{"the dtype " + name + " is not one of Lockstep's"};
}

std::vector<double> NumbersIn(const std::string& text) {
  const auto digit = [&](size_t i) {
    return i < text.size() && std::isdigit(static_cast<unsigned char>(text[i]));
  };
  const auto word = [&](size_t i) { return std::isalnum(static_cast<unsigned char>(text[i])); };
  std::vector<double> numbers;
  for (size_t i = 0; i < text.size(); ++i) {
    if (!digit(i)) continue;
    const bool negative = i > 0 && text[i - 1] == '-' && (i == 1 || !word(i - 2));
    size_t end = i;
    while (digit(end) || (end < text.size() && text[end] == '.' && digit(end + 1))) ++end;
    const double size = std::stod(text.substr(i, end - i));
    numbers.push_back(negative ? -size : size);
    i = end;
  }
  return numbers;
}

int64_t NumberOf(const std::string& name) {
  const std::vector<double> numbers = NumbersIn(name);
  if (numbers.empty()) throw std::runtime_error("a number must stand in the name; got " + name);
  return static_cast<int64_t>(numbers.back());
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
