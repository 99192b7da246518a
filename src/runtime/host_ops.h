#pragma once

#include <string_view>
#include <vector>

#include "graph/graph.h"
#include "ops/op.h"

namespace lockstep::runtime {

/// Carries out an op that no kernel computes: it runs graphs, asks who is running, or meets other
/// replicas.
using HostFunction = std::vector<Tensor> (*)(const ops::OpSpec& spec,
                                             const ops::Attributes& attributes,
                                             const std::vector<Tensor>& inputs);

struct HostOp {
  HostFunction function;
  /// All replicas carry it out together: a replica's program stops here until all have arrived.
  bool meets = false;
  /// It does something outside of the program, which is done once however often a step is: prints,
  /// functions of Python.
  bool outside = false;
  /// It may wait for what another run does, as that of a full queue.
  bool waits = false;
};

/// The host op named `name`, or nullptr.
const HostOp* FindHostOp(std::string_view name);

/// Whether the op, or one of the graph and its bodies, may wait for what another run does.
bool MayWait(const graph::Node& node);
bool MayWait(const graph::Graph& graph);

/// At namespace scope: `const RegisterHostOp kReplicaId("ReplicaId", {Run});`
struct RegisterHostOp {
  RegisterHostOp(std::string_view name, HostOp op);
};

}  // namespace lockstep::runtime
