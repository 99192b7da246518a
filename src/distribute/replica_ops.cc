// The ops that a replica's program is made of besides those of every program: which replica it is,
// and the calls in which replicas meet.

#include "distribute/replica_ops.h"

#include "distribute/context.h"
#include "distribute/meeting.h"
#include "distribute/programs/replica_program.h"
#include "lockstep/ops/array.h"
#include "ops/builder.h"
#include "ops/object_attribute.h"
#include "ops/signature.h"
#include "runtime/host_ops.h"

namespace lockstep::distribute {

namespace {

using ops::GradientContext;
using ops::InferenceContext;
using ops::TensorType;

std::vector<TensorType> InferId(const InferenceContext&) {
  return {{DType::kInt32, Shape{}, DType::kInt32}};
}

std::vector<TensorType> InferSame(const InferenceContext& context) {
  return {context.inputs.begin(), context.inputs.end()};
}

std::vector<Tensor> AllReduceGradient(const GradientContext& context) {
  std::vector<Tensor> upstream, results(context.inputs.size());
  std::vector<size_t> places;
  for (size_t i = 0; i < context.inputs.size(); ++i) {
    if (!context.output_gradients[i].defined()) continue;
    places.push_back(i);
    upstream.push_back(context.output_gradients[i]);
  }
  if (upstream.empty()) return results;
  const auto sums = ops::Emit("ReplicaAllReduce", upstream, context.attributes);
  for (size_t k = 0; k < places.size(); ++k) results[places[k]] = sums[k];
  return results;
}

std::vector<TensorType> InferGather(const InferenceContext& context) {
  TensorType type = context.inputs[0];
  const int axis =
      NormalizeAxis(context.attributes.Get<int64_t>("axis"), type.shape.rank(), "all_gather");
  type.shape.set_dim(axis, Shape::kUnknown);
  return {type};
}

std::vector<Tensor> AllGatherGradient(const GradientContext& context) {
  return {ops::Emit1("ReplicaReduceScatter", {context.output_gradients[0], context.inputs[0]},
                     context.attributes)};
}

std::vector<TensorType> InferScatter(const InferenceContext& context) {
  return {context.inputs[1]};
}

std::vector<Tensor> ReduceScatterGradient(const GradientContext& context) {
  return {ops::Emit1("ReplicaAllGather", {context.output_gradients[0]}, context.attributes),
          Tensor()};
}

std::vector<TensorType> InferUpdate(const InferenceContext& context) {
  const ops::OpSpec& update =
      ops::OpRegistry::Global().Find(context.attributes.Get<std::string>("update"));
  if (update.meets || update.effects.writes == 0 || update.infer == nullptr) {
    throw Error(
        Code::kInvalidArgument,
        "[ReplicaUpdate] the attribute 'update' must name an op that writes a variable; got '" +
            update.name + "'");
  }
  ops::CheckImported(update, context.attributes, context.inputs);
  return update.infer({update, context.attributes, context.inputs});
}

std::vector<TensorType> InferMerge(const InferenceContext& context) {
  return ops::ObjectAttribute<const ResultTypes>(context.attributes, "results").types;
}

std::vector<Tensor> RunGradient(const GradientContext& context) {
  return ops::ObjectAttribute<ReplicaProgram>(context.attributes, "program").Gradient(context);
}

// Each replica's own tape, or gradients of its graph.
std::vector<Tensor> NoGradient(const GradientContext& context) {
  throw Error(Code::kUnimplemented,
              "[" + context.spec.name +
                  "] no gradient flows through it inside of a replica; got a tape around it; "
                  "exchange values by all_reduce or all_gather, or put the tape around Run");
}

const ops::RegisterOp kId({.name = "ReplicaId", .infer = InferId});
const ops::RegisterOp kAllReduce(
    {.name = "ReplicaAllReduce", .infer = InferSame, .gradient = AllReduceGradient, .meets = true});
const ops::RegisterOp kAllGather({.name = "ReplicaAllGather",
                                  .infer = InferGather,
                                  .gradient = AllGatherGradient,
                                  .meets = true});
const ops::RegisterOp kReduceScatter({.name = "ReplicaReduceScatter",
                                      .infer = InferScatter,
                                      .gradient = ReduceScatterGradient,
                                      .meets = true});
const ops::RegisterOp kUpdate({.name = "ReplicaUpdate",
                               .infer = InferUpdate,
                               .effects = {.reads = 1, .writes = 1},
                               .meets = true});
const ops::RegisterOp kMerge({.name = "ReplicaMerge",
                              .infer = InferMerge,
                              .gradient = NoGradient,
                              .effects = {.external = true},
                              .meets = true});
const ops::RegisterOp kRun({.name = "ReplicaRun",
                            .infer = InferMerge,
                            .gradient = RunGradient,
                            .effects = {.external = true}});

std::vector<Tensor> IdOnHost(const ops::OpSpec&, const ops::Attributes&,
                             const std::vector<Tensor>&) {
  return {Scalar<int32_t>(std::max(0, runtime::CurrentReplica()))};
}

std::vector<Tensor> MeetOnHost(const ops::OpSpec& spec, const ops::Attributes& attributes,
                               const std::vector<Tensor>& inputs) {
  ReplicaContext* context = GetReplicaContext();
  if (context == nullptr) {
    throw Error(Code::kFailedPrecondition,
                "[" + spec.name +
                    "] replicas meet inside of Run; got a call in cross-replica context; use "
                    "Strategy::Reduce or Gather here");
  }
  const ops::MeetingRecording meeting;
  Part part{&spec, attributes, inputs};
  if (context->meeter() != nullptr) return context->meeter()->Meet(std::move(part));
  return SoloMeeter(context->strategy()).Meet(std::move(part));
}

const runtime::RegisterHostOp kIdHost("ReplicaId", {IdOnHost});
const runtime::RegisterHostOp kAllReduceHost("ReplicaAllReduce", {MeetOnHost, true});
const runtime::RegisterHostOp kAllGatherHost("ReplicaAllGather", {MeetOnHost, true});
const runtime::RegisterHostOp kReduceScatterHost("ReplicaReduceScatter", {MeetOnHost, true});
const runtime::RegisterHostOp kUpdateHost("ReplicaUpdate", {MeetOnHost, true});
const runtime::RegisterHostOp kMergeHost("ReplicaMerge", {MeetOnHost, true});

}  // namespace
}  // namespace lockstep::distribute
