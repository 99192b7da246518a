#include <algorithm>

#include "distribute/context.h"
#include "distribute/distributed_variable.h"
#include "distribute/leaves.h"
#include "distribute/programs/replica_program.h"
#include "distribute/programs/uniform.h"
#include "distribute/programs/unrolled_replicas.h"
#include "distribute/replica_ops.h"
#include "distribute/run.h"
#include "graph/tracer.h"
#include "lockstep/ops/indexed_slices.h"
#include "ops/builder.h"
#include "runtime/variable_cell.h"

namespace lockstep::distribute {

namespace {

Tensor Strong(const Tensor& value) {
  if (!value.defined()) {
    throw Error(Code::kInvalidArgument,
                "[run] arguments and results of a traced replica function must exist; got an empty "
                "tensor; leave it out");
  }
  if (const IndexedSlices* slices = IndexedSlices::Of(value)) return slices->ToDense();
  std::vector<Tensor> one{value};
  ops::ResolveWeak(one, "run");
  return one[0];
}

// One type for what all replicas get: sizes that differ are unknown.
ops::TensorType TypeOf(const PerReplica& argument) {
  ops::TensorType type = ops::TensorType::Of(Strong(argument.value(0)));
  for (const Tensor& value : argument.values()) {
    const ops::TensorType other = ops::TensorType::Of(Strong(value));
    if (other.dtype != type.dtype || other.shape.rank() != type.shape.rank()) {
      throw Error(Code::kInvalidArgument,
                  "[run] an argument must have one dtype and rank on all replicas; got " +
                      type.ToString() + " and " + other.ToString());
    }
    for (int axis = 0; axis < type.shape.rank(); ++axis) {
      if (type.shape[axis] != other.shape[axis]) type.shape.set_dim(axis, Shape::kUnknown);
    }
  }
  return type;
}

void TraceReplica(Strategy& strategy, graph::Tracer& tracer, const ReplicaFunction& function,
                  const std::vector<Tensor>& parameters) {
  const ops::RecordingPause pause;
  const auto creator = MakeVariableCreator(strategy);
  const ReplicaScope scope(strategy, -1, nullptr, creator.get());
  const ReplicaBatchScope whole(0, 1);  // what a replica is given is its whole batch
  const ops::BuilderScope builder(&tracer);
  for (const Tensor& result : function(parameters))
    tracer.graph()->results().push_back(tracer.EndpointOf(Strong(result)));
}

// The handles of the trainable variables that all replicas read: a tape is to know that they
// matter.
std::vector<Tensor> VariablesReadBy(const graph::Graph& graph) {
  std::vector<Tensor> handles;
  for (const graph::Node& node : graph.nodes()) {
    if (node.spec->name != "ReadVariableOp") continue;
    const Tensor* handle = graph.constant(node.inputs[0]);
    if (handle == nullptr) continue;
    const auto* cell = dynamic_cast<const runtime::VariableCell*>(handle->object().get());
    const bool known = std::any_of(handles.begin(), handles.end(), [&](const Tensor& other) {
      return other.object() == handle->object();
    });
    if (cell != nullptr && cell->trainable() && !known) handles.push_back(*handle);
  }
  return handles;
}

}  // namespace

std::vector<PerReplica> TraceRun(Strategy& strategy, const ReplicaFunction& function,
                                 const std::vector<PerReplica>& arguments) {
  const int replicas = strategy.num_replicas_in_sync();
  graph::Tracer tracer;
  std::vector<Tensor> parameters, inputs;
  std::vector<bool> varies;
  for (const PerReplica& argument : arguments) {
    parameters.push_back(tracer.AddParameter(TypeOf(argument)));
    varies.push_back(!argument.is_same());
    for (const Tensor& value : argument.values()) inputs.push_back(Strong(value));
  }
  TraceReplica(strategy, tracer, function, parameters);
  inputs.insert(inputs.end(), tracer.captures().begin(), tracer.captures().end());
  const auto& graph = tracer.graph();
  std::vector<bool> flags = varies;
  flags.resize(graph->parameters().size(), false);
  RequireUniformPredicates(*graph, flags);
  auto types = std::make_shared<ResultTypes>();
  for (graph::Endpoint result : graph->results())
    types->types.insert(types->types.end(), replicas, graph->type(result));
  for (const Tensor& handle : VariablesReadBy(*graph)) inputs.push_back(handle);
  const auto program = std::make_shared<ReplicaProgram>(strategy, graph, varies);
  const bool followed =
      std::any_of(inputs.begin(), inputs.end(), ops::IsFollowed) || NamesFollowed(*graph);
  const std::vector<Tensor> outputs =
      followed ? program->Expand(inputs)
               : ops::Emit("ReplicaRun", std::move(inputs),
                           {{"program", std::shared_ptr<TensorObject>(program)},
                            {"graph", std::shared_ptr<TensorObject>(graph)},
                            {"results", std::shared_ptr<TensorObject>(types)}});
  std::vector<PerReplica> results;
  for (size_t i = 0; i < graph->results().size(); ++i) {
    const auto begin = outputs.begin() + static_cast<long>(i) * replicas;
    if (replicas == 1) {
      results.emplace_back(*begin);
    } else {
      results.emplace_back(std::vector<Tensor>(begin, begin + replicas));
    }
  }
  return results;
}

}  // namespace lockstep::distribute
