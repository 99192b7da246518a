#include "remote/part_ops.h"

#include <algorithm>
#include <vector>

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

bool Stops(const graph::Graph& graph) {
  return runtime::MayWait(graph) || std::ranges::any_of(graph.nodes(), [](const auto& node) {
           return node.spec->name == "_Send" || node.spec->name == "_Recv";
         });
}

}  // namespace lockstep::remote
