#include "runtime/host_ops.h"

#include <map>
#include <string>

#include "base/check.h"

namespace lockstep::runtime {

namespace {

// Filled while the library is loaded.
std::map<std::string, HostOp, std::less<>>& Table() {
  static std::map<std::string, HostOp, std::less<>> table;
  return table;
}

}  // namespace

const HostOp* FindHostOp(std::string_view name) {
  const auto place = Table().find(name);
  return place == Table().end() ? nullptr : &place->second;
}

RegisterHostOp::RegisterHostOp(std::string_view name, HostOp op) {
  const bool fresh = Table().emplace(std::string(name), op).second;
  LOCKSTEP_CHECK(fresh);
}

}  // namespace lockstep::runtime
