#include "lockstep/runtime/function.h"

#include <map>
#include <mutex>

#include "graph/tracer.h"
#include "ops/builder.h"
#include "runtime/compiled.h"
#include "runtime/devices.h"
#include "runtime/eager.h"
#include "runtime/replica.h"

namespace lockstep {

struct Function::State {
  Body body;
  std::string name;
  std::mutex mutex;
  // What was traced for a signature; per replica where it names variables that each replica has.
  struct Traced {
    graph::Graph graph;
    bool per_replica = false;
    std::map<int, std::shared_ptr<runtime::Compiled>> compiled;
  };
  std::map<std::string, Traced> traces;
  uint64_t layout = 0;
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

graph::Graph TraceOnce(const Function::Body& body, const std::vector<Tensor>& arguments) {
  graph::Tracer tracer;
  std::vector<Tensor> parameters;
  for (const Tensor& argument : arguments)
    parameters.push_back(tracer.AddParameter(ops::TensorType::Of(argument)));
  {
    ops::BuilderScope scope(&tracer);
    for (const Tensor& result : body(parameters))
      tracer.graph()->results().push_back(tracer.EndpointOf(result));
  }
  return *tracer.graph();
}

// A body whose tracing gives a variable copies for each replica is traced anew: what came before
// that in it named the one value.
graph::Graph Trace(const Function::Body& body, const std::vector<Tensor>& arguments) {
  while (true) {
    const uint64_t layout = runtime::VariableLayout();
    graph::Graph graph = TraceOnce(body, arguments);
    if (layout == runtime::VariableLayout()) return graph;
  }
}

std::unique_ptr<runtime::Compiled> Compile(const graph::Graph& graph) {
  const int replica = runtime::CurrentReplica();
  if (replica < 0 || !runtime::HasReplicaCells(graph)) {
    return std::make_unique<runtime::Compiled>(graph);
  }
  return std::make_unique<runtime::Compiled>(runtime::ForReplica(graph, replica));
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
  std::shared_ptr<runtime::Compiled> compiled;
  {
    std::lock_guard lock(state_->mutex);
    if (state_->layout != runtime::VariableLayout()) state_->traces.clear();
    auto [place, fresh] = state_->traces.try_emplace(signature);
    State::Traced& traced = place->second;
    if (fresh) {
      try {
        traced.graph = Trace(state_->body, arguments);
      } catch (...) {
        state_->traces.erase(place);
        throw;
      }
      traced.per_replica = runtime::HasReplicaCells(traced.graph);
      state_->layout = runtime::VariableLayout();
    }
    auto& ready = traced.compiled[traced.per_replica ? runtime::CurrentReplica() : -1];
    if (ready == nullptr) ready = Compile(traced.graph);
    compiled = ready;
  }
  return compiled->Run(arguments, runtime::CurrentTeam());
}

int Function::num_traces() const {
  std::lock_guard lock(state_->mutex);
  return static_cast<int>(state_->traces.size());
}

std::string Function::Describe(const std::vector<Tensor>& given) const {
  const graph::Graph graph = Trace(state_->body, Strong(given));
  return graph.ToString() + Compile(graph)->Describe();
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
