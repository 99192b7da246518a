#include "lockstep/runtime/function.h"

#include <map>
#include <mutex>

#include "graph/passes.h"
#include "graph/tracer.h"
#include "ops/builder.h"
#include "runtime/devices.h"
#include "runtime/eager.h"
#include "runtime/fold.h"
#include "runtime/plan.h"

namespace lockstep {

struct Function::State {
  Body body;
  std::string name;
  std::mutex mutex;
  std::map<std::string, std::shared_ptr<runtime::Plan>> plans;
};

namespace {

std::string SignatureOf(const std::vector<Tensor>& arguments) {
  std::string signature;
  for (const Tensor& argument : arguments) {
    signature += std::string(DTypeName(argument.dtype())) + argument.shape().ToString();
  }
  return signature;
}

std::vector<Tensor> Strong(std::vector<Tensor> arguments) {
  for (Tensor& argument : arguments) {
    std::vector<Tensor> one{argument};
    ops::ResolveWeak(one, "function");
    argument = one[0];
  }
  return arguments;
}

graph::Graph Trace(const Function::Body& body, const std::vector<Tensor>& arguments) {
  graph::Tracer tracer;
  std::vector<Tensor> parameters;
  for (const Tensor& argument : arguments)
    parameters.push_back(tracer.AddParameter(ops::TensorType::Of(argument)));
  {
    ops::BuilderScope scope(&tracer);
    for (const Tensor& result : body(parameters))
      tracer.graph()->results().push_back(tracer.EndpointOf(result));
  }
  return graph::Simplify(runtime::FoldConstants(graph::Prune(*tracer.graph())));
}

}  // namespace

Function::Function(Body body, std::string name) : state_(std::make_shared<State>()) {
  state_->body = std::move(body);
  state_->name = std::move(name);
}

std::vector<Tensor> Function::Call(const std::vector<Tensor>& given) const {
  const std::vector<Tensor> arguments = Strong(given);
  const bool traced = &ops::CurrentBuilder() != &runtime::EagerBuilder::Instance();
  if (traced || ops::IsRecording()) return state_->body(arguments);
  const std::string signature = SignatureOf(arguments);
  std::shared_ptr<runtime::Plan> plan;
  {
    std::lock_guard lock(state_->mutex);
    auto& place = state_->plans[signature];
    if (place == nullptr) place = runtime::Plan::Compile(Trace(state_->body, arguments), {});
    plan = place;
  }
  return plan->Run(arguments, runtime::CurrentTeam());
}

int Function::num_traces() const {
  std::lock_guard lock(state_->mutex);
  return static_cast<int>(state_->plans.size());
}

std::string Function::Describe(const std::vector<Tensor>& given) const {
  const graph::Graph graph = Trace(state_->body, Strong(given));
  return graph.ToString() + runtime::Plan::Compile(graph, {})->Describe();
}

Tensor Function::One(std::vector<Tensor> results) {
  if (results.size() != 1) {
    throw Error(Code::kInvalidArgument, "[function] exactly one result is needed here; got " +
                                            std::to_string(results.size()) +
                                            "; use Call for several");
  }
  return results[0];
}

}  // namespace lockstep
