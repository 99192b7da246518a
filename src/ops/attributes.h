#pragma once

#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "lockstep/tensor/tensor.h"

namespace lockstep::ops {

/// What an attribute of an op can hold. Shapes, axes and permutations are lists of integers; a body
/// of control flow is an object.
using AttributeValue = std::variant<bool, int64_t, double, std::string, DType, std::vector<int64_t>,
                                    std::vector<double>, Tensor, std::shared_ptr<TensorObject>>;

/// The attributes of one op, few and kept in the order of their names.
class Attributes {
 public:
  using Entry = std::pair<std::string, AttributeValue>;
  Attributes() = default;
  Attributes(std::initializer_list<Entry> entries);

  void Set(std::string_view name, AttributeValue value);
  const AttributeValue* Find(std::string_view name) const;
  /// The value of `name`; InvalidArgument when it is absent or of another kind.
  template <typename T>
  const T& Get(std::string_view name) const {
    const AttributeValue* value = Find(name);
    if (value == nullptr || !std::holds_alternative<T>(*value)) ThrowMissing(name);
    return std::get<T>(*value);
  }
  template <typename T>
  T GetOr(std::string_view name, T fallback) const {
    const AttributeValue* value = Find(name);
    return value != nullptr && std::holds_alternative<T>(*value) ? std::get<T>(*value) : fallback;
  }
  const std::vector<Entry>& entries() const { return entries_; }
  /// Equal for equal attributes; tensors and objects count by identity.
  std::string Signature() const;

 private:
  [[noreturn]] static void ThrowMissing(std::string_view name);
  std::vector<Entry> entries_;
};

}  // namespace lockstep::ops
