// Gradients through what all replicas do.

#include "distribute/programs/replica_program.h"
#include "distribute/programs/unrolled_replicas.h"
#include "graph/bodies.h"
#include "lockstep/ops/structure.h"
#include "lockstep/runtime/gradient_tape.h"
#include "ops/builder.h"
#include "runtime/body_tracer.h"

namespace lockstep::distribute {

namespace {

// An op that must not happen twice; empty: none.
std::string OnceOnly(const graph::Graph& graph) {
  for (const graph::Node& node : graph.nodes()) {
    const auto bodies = graph::BodiesOf(node.attributes);
    const bool acts = node.spec->effects.external && bodies.empty();
    if (acts || node.spec->effects.writes != 0) {
      return node.name.empty() ? node.spec->name : node.name;
    }
    for (const graph::Graph* body : bodies) {
      const std::string inside = OnceOnly(*body);
      if (!inside.empty()) return inside;
    }
  }
  return "";
}

}  // namespace

std::vector<Tensor> ReplicaProgram::Expand(const std::vector<Tensor>& inputs) {
  std::vector<std::vector<Tensor>> arguments;
  for (int r = 0; r < strategy_.num_replicas_in_sync(); ++r)
    arguments.push_back(ArgumentsOf(r, inputs));
  const auto by_replica = UnrollReplicas(strategy_, *graph_, arguments);
  std::vector<Tensor> outputs;
  for (size_t i = 0; i < graph_->results().size(); ++i)
    for (const std::vector<Tensor>& own : by_replica) outputs.push_back(own[i]);
  return outputs;
}

std::vector<Tensor> ReplicaProgram::Gradient(const ops::GradientContext& context) {
  const std::string once = OnceOnly(*graph_);
  if (!once.empty()) {
    throw Error(Code::kUnimplemented,
                "[run] gradients of a graph compute the replicas' program a second time, so that "
                "it must not change anything; got " +
                    once + "; record Run with a GradientTape around it");
  }
  GradientTape tape({.watch_accessed_variables = false});
  std::vector<Tensor> own, sources, targets, weights;
  std::vector<size_t> places;
  for (size_t i = 0; i < context.inputs.size(); ++i) {
    const Tensor& input = context.inputs[i];
    const bool is_variable = input.dtype() == DType::kResource;
    own.push_back(is_variable ? input : Identity(input));
    if (!is_variable && !IsFloating(input.dtype())) continue;
    tape.Watch(own.back());
    sources.push_back(own.back());
    places.push_back(i);
  }
  const std::vector<Tensor> outputs = Expand(own);
  for (size_t i = 0; i < outputs.size(); ++i) {
    if (!context.output_gradients[i].defined() || !IsFloating(outputs[i].dtype())) continue;
    targets.push_back(outputs[i]);
    weights.push_back(context.output_gradients[i]);
  }
  std::vector<Tensor> gradients(context.inputs.size());
  if (targets.empty()) return gradients;
  const auto slopes = tape.Gradient(targets, sources, {.output_gradients = weights});
  for (size_t i = 0; i < places.size(); ++i) gradients[places[i]] = slopes[i];
  return gradients;
}

}  // namespace lockstep::distribute
