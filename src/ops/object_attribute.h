#pragma once

#include <memory>
#include <string>
#include <string_view>

#include "lockstep/base/status.h"
#include "ops/attributes.h"

namespace lockstep::ops {

/// The object of the class `T` that the attribute `name` holds. Errors: InvalidArgument for an
/// object of another class, which a graph that is read may hold.
template <typename T>
T& ObjectAttribute(const Attributes& attributes, std::string_view name) {
  auto* object = dynamic_cast<T*>(attributes.Get<std::shared_ptr<TensorObject>>(name).get());
  if (object != nullptr) return *object;
  throw Error(Code::kInvalidArgument, "[ops] the attribute '" + std::string(name) +
                                          "' must hold the object that its op needs; got another "
                                          "object");
}

}  // namespace lockstep::ops
