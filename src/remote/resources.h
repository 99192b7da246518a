#pragma once

#include <string>
#include <string_view>
#include <unordered_map>

#include "remote/wire.h"

namespace lockstep::remote {

/// What a task keeps under names for all graphs: variables, and queues and accumulators.
class Resources {
 public:
  explicit Resources(std::string task) : task_(std::move(task)) {}

  /// The handle, of a new one where there is none of the name. Errors (thrown): InvalidArgument for
  /// one of another type.
  Tensor VariableFor(const WireVariable& variable);
  Tensor ObjectFor(const WireObject& object);
  /// Drops those whose names begin so; what runs keeps what it uses.
  void Release(std::string_view prefix);

  int num_variables() const { return static_cast<int>(variables_.size()); }

 private:
  struct Object {
    std::string spec;
    Tensor handle;
  };
  const std::string task_;
  std::unordered_map<std::string, Tensor> variables_;
  std::unordered_map<std::string, Object> objects_;
};

}  // namespace lockstep::remote
