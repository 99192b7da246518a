#include "ops/attributes.h"

#include <algorithm>

namespace lockstep::ops {

namespace {

template <typename T>
std::string Join(const std::vector<T>& values) {
  std::string text = "[";
  for (const T& value : values) text += std::to_string(value) + ",";
  return text + "]";
}

struct Describe {
  std::string operator()(bool value) const { return value ? "true" : "false"; }
  std::string operator()(int64_t value) const { return std::to_string(value); }
  std::string operator()(double value) const {
    char text[40];
    std::snprintf(text, sizeof text, "%a", value);
    return text;
  }
  std::string operator()(const std::string& value) const { return '"' + value + '"'; }
  std::string operator()(DType value) const { return std::string(DTypeName(value)); }
  std::string operator()(const std::vector<int64_t>& value) const { return Join(value); }
  std::string operator()(const std::vector<double>& value) const { return Join(value); }
  std::string operator()(const Tensor& value) const { return "#" + std::to_string(value.id()); }
  std::string operator()(const std::shared_ptr<TensorObject>& value) const {
    return "@" + std::to_string(reinterpret_cast<uintptr_t>(value.get()));
  }
};

}  // namespace

Attributes::Attributes(std::initializer_list<Entry> entries) {
  for (const Entry& entry : entries) Set(entry.first, entry.second);
}

void Attributes::Set(std::string_view name, AttributeValue value) {
  auto place =
      std::lower_bound(entries_.begin(), entries_.end(), name,
                       [](const Entry& entry, std::string_view n) { return entry.first < n; });
  if (place != entries_.end() && place->first == name) {
    place->second = std::move(value);
  } else {
    entries_.insert(place, Entry(std::string(name), std::move(value)));
  }
}

const AttributeValue* Attributes::Find(std::string_view name) const {
  for (const Entry& entry : entries_) {
    if (entry.first == name) return &entry.second;
  }
  return nullptr;
}

std::string Attributes::Signature() const {
  std::string text;
  for (const Entry& entry : entries_) {
    text += entry.first + "=" + std::visit(Describe{}, entry.second) + ";";
  }
  return text;
}

void Attributes::ThrowMissing(std::string_view name) {
  throw Error(
      Code::kInvalidArgument,
      "[ops] an attribute must be present and of its kind; got none named " + std::string(name));
}

}  // namespace lockstep::ops
