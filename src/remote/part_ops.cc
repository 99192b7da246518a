#include "remote/part_ops.h"

#include <algorithm>
#include <vector>

#include "graph/bodies.h"
#include "runtime/host_ops.h"

namespace lockstep::remote {

namespace {

std::vector<Tensor> RunByWorker(const ops::OpSpec& spec, const ops::Attributes&,
                                const std::vector<Tensor>&) {
  throw Error(Code::kInternal, "[" + spec.name + "] a worker carries it out");
}
const runtime::RegisterHostOp kSend("_Send", {RunByWorker, true});
const runtime::RegisterHostOp kReceive("_Recv", {RunByWorker, true});

// What comes after it needs the variables of its part.
std::vector<ops::TensorType> NoOutputs(const ops::InferenceContext&) { return {}; }
const ops::RegisterOp kHoldOp({.name = "_Hold", .infer = NoOutputs, .effects = {.external = true}});
const runtime::RegisterHostOp kHold("_Hold", {RunByWorker, true});

}  // namespace

bool Waits(const graph::Node& node) {
  const runtime::HostOp* host = runtime::FindHostOp(node.spec->name);
  return host != nullptr && host->waits;
}

bool Stops(const graph::Graph& graph) {
  return std::ranges::any_of(graph.nodes(), [](const graph::Node& node) {
    return node.spec->name == "_Send" || node.spec->name == "_Recv" || Waits(node) ||
           std::ranges::any_of(graph::BodiesOf(node.attributes),
                               [](const graph::Graph* body) { return Stops(*body); });
  });
}

}  // namespace lockstep::remote
