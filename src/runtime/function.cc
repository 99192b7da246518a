#include "lockstep/runtime/function.h"

#include <map>
#include <mutex>
#include <optional>
#include <set>

#include "graph/tracer.h"
#include "lockstep/ops/indexed_slices.h"
#include "ops/builder.h"
#include "runtime/body_tracer.h"
#include "runtime/callable_graph.h"
#include "runtime/eager.h"
#include "runtime/graph_builder.h"
#include "runtime/placed_variable.h"
#include "runtime/replica.h"

namespace lockstep {

namespace runtime {
namespace {

// What a function has given while it was traced.
struct Given {
  bool slices = false;  // two results: values and indices
  Shape dense_shape;
};
struct TracedFunction {
  graph::Graph graph;
  std::vector<Given> results;
};

}  // namespace
}  // namespace runtime

// What was traced for a signature; per replica where it names variables that each replica has.
struct Function::Traced {
  runtime::TracedFunction function;
  bool per_replica = false;
  runtime::PlacedVariable::Call placed;  // where it names a variable of another process
  std::map<int, std::shared_ptr<runtime::CallableGraph>> callable;
};

struct Function::State {
  Body body;
  std::string name;
  std::mutex mutex;
  std::map<std::string, Traced> traces;
  std::vector<const Traced*> order;  // in which they were traced
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

runtime::TracedFunction TraceOnce(const Function::Body& body,
                                  const std::vector<Tensor>& arguments) {
  graph::Tracer tracer;
  std::vector<Tensor> parameters;
  for (const Tensor& argument : arguments)
    parameters.push_back(tracer.AddParameter(ops::TensorType::Of(argument)));
  runtime::TracedFunction traced;
  const auto give = [&](const Tensor& value) {
    tracer.graph()->results().push_back(tracer.EndpointOf(value));
  };
  {
    const ops::RecordingPause pause;
    const ops::BuilderScope scope(&tracer);
    for (const Tensor& result : body(parameters)) {
      const IndexedSlices* slices = IndexedSlices::Of(result);
      traced.results.push_back({slices != nullptr, result.shape()});
      give(slices != nullptr ? slices->values : result);
      if (slices != nullptr) give(slices->indices);
    }
  }
  tracer.RequireNoCaptures("function");
  traced.graph = *tracer.graph();
  return traced;
}

// A body whose tracing gives a variable copies for each replica is traced anew: what came before
// that in it named the one value.
runtime::TracedFunction Trace(const Function::Body& body, const std::vector<Tensor>& arguments) {
  while (true) {
    const uint64_t layout = runtime::VariableLayout();
    runtime::TracedFunction traced = TraceOnce(body, arguments);
    if (layout == runtime::VariableLayout()) return traced;
  }
}

std::shared_ptr<runtime::CallableGraph> Compile(const graph::Graph& graph) {
  const int replica = runtime::CurrentReplica();
  if (replica < 0 || !runtime::HasReplicaCells(graph)) {
    return std::make_shared<runtime::CallableGraph>(graph);
  }
  return std::make_shared<runtime::CallableGraph>(runtime::ForReplica(graph, replica));
}

std::vector<Tensor> WithSlices(std::vector<Tensor> values,
                               const std::vector<runtime::Given>& given) {
  if (values.size() == given.size()) return values;
  std::vector<Tensor> results;
  auto next = values.begin();
  for (const runtime::Given& one : given) {
    results.push_back(*next++);
    if (!one.slices) continue;
    results.back() = IndexedSlices{results.back(), *next++, one.dense_shape}.ToTensor();
  }
  return results;
}

// Tapes around the replicas' run see what a meeting is made of, which no compiled call shows.
bool RecordsOutside() {
  const ops::MeetingRecording outside;
  return ops::IsRecording();
}

// Calls inside of each other, which a function that calls itself never ends.
class CallDepth {
 public:
  explicit CallDepth(const std::string& name) {
    if (++depth_ <= kMost) return;
    depth_ = 0;  // all of them end with the error
    throw Error(
        Code::kInvalidArgument,
        "[" + name +
            "] functions may be called 200 deep while they are traced; got more: a function "
            "that calls itself has no end there; use WhileLoop, or Cond around plain C++ that "
            "knows its depth");
  }
  ~CallDepth() {
    if (depth_ > 0) --depth_;
  }

 private:
  static constexpr int kMost = 200;
  static thread_local int depth_;
};
thread_local int CallDepth::depth_ = 0;

}  // namespace

Function::Function(Body body, std::string name) : state_(std::make_shared<State>()) {
  state_->body = std::move(body);
  state_->name = std::move(name);
}

Function::Traced& Function::TraceFor(const std::vector<Tensor>& arguments) const {
  if (state_->layout != runtime::VariableLayout()) {
    state_->traces.clear();
    state_->order.clear();
  }
  auto [place, fresh] = state_->traces.try_emplace(SignatureOf(arguments));
  Traced& traced = place->second;
  if (!fresh) return traced;
  try {
    traced.function = Trace(state_->body, arguments);
  } catch (...) {
    state_->traces.erase(place);
    throw;
  }
  if (auto* variable = runtime::PlacedVariableIn(traced.function.graph))
    traced.placed = variable->Prepare(traced.function.graph);
  traced.per_replica = runtime::HasReplicaCells(traced.function.graph);
  state_->order.push_back(&traced);
  state_->layout = runtime::VariableLayout();
  return traced;
}

std::vector<Tensor> Function::Call(const std::vector<Tensor>& given) const {
  const CallDepth depth(state_->name);
  const std::vector<Tensor> arguments = runtime::Strong(given, "function");
  if (auto* tracer = dynamic_cast<runtime::GraphTracer*>(&ops::CurrentBuilder())) {
    return runtime::CallInOrder(*tracer, [&] { return state_->body(arguments); });
  }
  if (&ops::CurrentBuilder() != &runtime::EagerBuilder::Instance()) return state_->body(arguments);
  std::shared_ptr<runtime::CallableGraph> callable;
  std::vector<runtime::Given> given_results;
  runtime::PlacedVariable::Call placed;
  {
    std::lock_guard lock(state_->mutex);
    Traced& traced = TraceFor(arguments);
    given_results = traced.function.results;
    if (traced.placed != nullptr) {
      placed = traced.placed;
    } else {
      auto& ready = traced.callable[traced.per_replica ? runtime::CurrentReplica() : -1];
      if (ready == nullptr) ready = Compile(traced.function.graph);
      callable = ready;
    }
  }
  if (placed) {
    if (ops::IsRecording()) return state_->body(arguments);
    return WithSlices(placed(arguments), given_results);
  }
  if (callable->meets() && RecordsOutside()) return state_->body(arguments);
  return WithSlices(callable->Call(arguments), given_results);
}

const std::string& Function::name() const { return state_->name; }

int Function::num_traces() const {
  std::lock_guard lock(state_->mutex);
  return static_cast<int>(state_->traces.size());
}

void Function::Prepare(const std::vector<Tensor>& given) const {
  const std::vector<Tensor> arguments = runtime::Strong(given, "function");
  std::lock_guard lock(state_->mutex);
  TraceFor(arguments);
}

std::vector<Tensor> Function::Variables() const {
  std::vector<Tensor> all;
  std::set<const void*> known;
  std::lock_guard lock(state_->mutex);
  for (const Traced* traced : state_->order) {
    for (Tensor& handle : runtime::VariablesIn(traced->function.graph))
      if (known.insert(handle.object().get()).second) all.push_back(std::move(handle));
  }
  return all;
}

std::string Function::Describe(const std::vector<Tensor>& given) const {
  const graph::Graph graph = Trace(state_->body, runtime::Strong(given, "function")).graph;
  return graph.ToString() + Compile(graph)->Describe();
}

void Function::RequireCount(const std::string& name, size_t expected, size_t got) {
  if (expected == got) return;
  throw Error(Code::kInvalidArgument,
              "[" + name + "] the function takes " + std::to_string(expected) +
                  (expected == 1 ? " argument" : " arguments") + "; got " + std::to_string(got));
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
