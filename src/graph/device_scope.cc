#include "graph/device_scope.h"

namespace lockstep {

namespace graph {
namespace {

struct Entry {
  DeviceSpec spec;
  DeviceFunction function;
  bool sets_aside = false;
};
thread_local std::vector<Entry> scopes;

std::string Ask(OpToPlace op) {
  DeviceSpec device;
  for (auto entry = scopes.rbegin(); entry != scopes.rend() && !entry->sets_aside; ++entry) {
    if (entry->function == nullptr) {
      device = device.Within(entry->spec);
      continue;
    }
    const std::string known = device.ToString();
    op.device = known;
    device = DeviceSpec::Parse(entry->function(op)).OrThrow();
  }
  return device.ToString();
}

}  // namespace

std::string DeviceFor(const Node& node) {
  if (scopes.empty()) return "";
  return Ask({.op = node.spec->name});
}

std::string DeviceForVariable(DType dtype, const Shape& shape) {
  if (scopes.empty()) return "";
  return Ask({.op = "VarHandleOp", .dtype = dtype, .shape = shape});
}

std::string DeviceForObject(const std::string& kind) {
  if (scopes.empty()) return "";
  return Ask({.op = kind});
}

}  // namespace graph

Device::Device(const std::string& spec) {
  graph::scopes.push_back({.spec = DeviceSpec::Parse(spec).OrThrow()});
}
Device::Device(std::nullptr_t) { graph::scopes.push_back({.sets_aside = true}); }
Device::Device(DeviceFunction function) {
  graph::scopes.push_back({.function = std::move(function)});
}
Device::~Device() { graph::scopes.pop_back(); }

}  // namespace lockstep
