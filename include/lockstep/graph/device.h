#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "lockstep/base/status.h"
#include "lockstep/tensor/dtype.h"
#include "lockstep/tensor/shape.h"

namespace lockstep {

/// A device's name, or a part of it: "/job:ps/replica:0/task:1/device:CPU:0". Any part may be
/// missing, and then stands for all; "/cpu:0" and "/gpu:1" are "/device:CPU:0" and "/device:GPU:1",
/// and "*" as index is no index. Source: tf.DeviceSpec.
struct DeviceSpec {
  std::optional<std::string> job;
  std::optional<int> replica;
  std::optional<int> task;
  std::optional<std::string> type;  // in capitals
  std::optional<int> index;

  /// InvalidArgument naming the part that is not one.
  static Result<DeviceSpec> Parse(std::string_view text);
  /// The parts that are there, in the order of a full name; "" for none.
  std::string ToString() const;
  bool empty() const { return !job && !replica && !task && !type && !index; }
  bool full() const { return job && replica && task && type && index; }
  /// This name, in which `outer` says what is missing.
  DeviceSpec Within(const DeviceSpec& outer) const;
  /// Whether every part that both have is the same.
  bool Matches(const DeviceSpec& other) const;
  bool operator==(const DeviceSpec&) const = default;
};

/// What a device function is asked about.
struct OpToPlace {
  std::string_view op;      // "VarHandleOp" for a variable
  std::string_view device;  // what scopes inside of the function's have said
  /// Of a variable: how large it is.
  DType dtype = DType::kInvalid;
  Shape shape;
  bool is_variable() const { return op == "VarHandleOp"; }
};
/// Gives the op's device, a name or a part of one, in place of what scopes inside have said.
using DeviceFunction = std::function<std::string(const OpToPlace&)>;

/// While it lives, ops added to a graph by this thread are on a device. Of nested scopes an inner
/// one decides on the parts that it names; `nullptr` sets the outer ones aside. Eager ops run in
/// this process, wherever they are asked to be. Errors: InvalidArgument for what is no name.
/// Source: tf.device.
class Device {
 public:
  explicit Device(const std::string& spec);
  explicit Device(const char* spec) : Device(std::string(spec)) {}
  explicit Device(std::nullptr_t);
  explicit Device(DeviceFunction function);
  ~Device();
  Device(const Device&) = delete;
  Device& operator=(const Device&) = delete;
};

/// Spreads variables over the tasks of a job, one after another, and leaves other ops where they
/// are. Source: tf.compat.v1.train.replica_device_setter.
DeviceFunction RoundRobinVariables(int tasks, const std::string& job = "ps");
/// Gives each variable to the task that has the fewest bytes so far; the first of several. Source:
/// tf.contrib's GreedyLoadBalancingStrategy with byte_size_load_fn.
DeviceFunction VariablesBySize(int tasks, const std::string& job = "ps");

}  // namespace lockstep
