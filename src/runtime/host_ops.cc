#include "runtime/host_ops.h"

#include <algorithm>
#include <map>
#include <string>

#include "base/check.h"
#include "graph/bodies.h"

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

bool MayWait(const graph::Node& node) {
  const HostOp* host = FindHostOp(node.spec->name);
  return (host != nullptr && host->waits) ||
         std::ranges::any_of(graph::BodiesOf(node.attributes),
                             [](const graph::Graph* body) { return MayWait(*body); });
}

bool MayWait(const graph::Graph& graph) {
  return std::ranges::any_of(graph.nodes(), [](const graph::Node& node) { return MayWait(node); });
}

RegisterHostOp::RegisterHostOp(std::string_view name, HostOp op) {
  const bool fresh = Table().emplace(std::string(name), op).second;
  LOCKSTEP_CHECK(fresh);
}

}  // namespace lockstep::runtime
