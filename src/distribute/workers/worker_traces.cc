// Functions as the workers of a coordinator get them.

#include <algorithm>

#include "distribute/servers/coordinator_state.h"
#include "lockstep/ops/indexed_slices.h"
#include "ops/builder.h"
#include "remote/beside_variables.h"
#include "runtime/body_tracer.h"

namespace lockstep::distribute {

namespace {

// What a function that is being traced takes from iterators.
struct Tracing {
  graph::Tracer tracer;
  std::vector<std::vector<ops::TensorType>> known;  // types that have been drawn
  std::vector<WorkerTrace::Draw> draws;
};

thread_local Tracing* tracing = nullptr;
thread_local CoordinatorState* coordinator = nullptr;

class TracingScope {
 public:
  explicit TracingScope(Tracing* own) : outer_(std::exchange(tracing, own)) {}
  ~TracingScope() { tracing = outer_; }

 private:
  Tracing* outer_;
};

std::string TextOf(const std::vector<ops::TensorType>& types) {
  std::string text;
  for (const ops::TensorType& type : types) text += type.ToString() + ";";
  return text;
}

bool SameTypes(const std::vector<ops::TensorType>& a, const std::vector<ops::TensorType>& b) {
  return TextOf(a) == TextOf(b);
}

// Errors of workers name the line, where it is known.
void NameOps(graph::Graph* graph) {
  for (int id = 0; id < graph->num_nodes(); ++id) {
    graph::Node& node = graph->node(id);
    if (node.site.line == 0) continue;
    node.name += std::string(" at ") + node.site.file + ":" + std::to_string(node.site.line);
  }
}

}  // namespace

CurrentCoordinator::CurrentCoordinator(CoordinatorState* state)
    : outer_(std::exchange(coordinator, state)) {}
CurrentCoordinator::~CurrentCoordinator() { coordinator = outer_; }
CoordinatorState* CurrentCoordinator::Get() { return coordinator; }

PerWorkerState::PerWorkerState(std::function<Dataset(const InputContext&)> make)
    : make_(std::move(make)) {
  const Dataset dataset = make_(InputContext{});
  const DatasetIterator first = dataset.Resume({});
  if (first == dataset.end()) {
    throw Error(Code::kInvalidArgument,
                "[coordinator] a dataset for workers must have an element; got an empty one");
  }
  types_ = ops::TypesOf(*first);
}

Element PerWorkerState::Next(int worker, int life) {
  const std::lock_guard lock(mutex_);
  std::unique_ptr<Position>& position = positions_[worker];
  if (position == nullptr || position->life != life) {
    position = std::make_unique<Position>(make_(InputContext{}));
    position->life = life;
  }
  if (position->next == position->dataset.end()) {
    throw Error(Code::kOutOfRange,
                "[coordinator] a worker's dataset has ended; repeat it, or schedule fewer steps");
  }
  const Element element = *position->next;
  ++position->next;
  return element;
}

std::shared_ptr<remote::DispatchedFunction> CoordinatorState::Dispatched(graph::Graph graph,
                                                                         std::string name) const {
  auto function = std::make_shared<remote::DispatchedFunction>();
  function->graph = std::move(graph);
  function->name = std::move(name);
  NameOps(&function->graph);
  remote::PlaceBesideVariables(&function->graph);
  function->mode = options.effects == Effects::kImmediate ? remote::RunMode::kRelaxed
                                                          : remote::HoldingOf(function->graph);
  return function;
}

std::string WorkerTraces::KeyOf(const WorkerSignature& signature) {
  std::string key = std::to_string(reinterpret_cast<uintptr_t>(signature.function.identity()));
  for (int place : signature.order) {
    key += place >= 0 ? "|" + signature.types[place].ToString()
                      : "|worker " + std::to_string(signature.resources[-1 - place]->resource);
  }
  return key;
}

std::shared_ptr<WorkerTrace> WorkerTraces::For(CoordinatorState& state,
                                               const WorkerSignature& signature) {
  const std::lock_guard lock(mutex_);
  Traces& traces = traces_[KeyOf(signature)];
  if (traces.empty()) {
    kept_.push_back(signature.function);
    traces.push_back(Trace(state, signature, {}));
  }
  return traces.front();
}

std::shared_ptr<WorkerTrace> WorkerTraces::Trace(
    CoordinatorState& state, const WorkerSignature& signature,
    const std::vector<std::vector<ops::TensorType>>& drawn) {
  Tracing own;
  own.known = drawn;
  const auto add = [&](const std::vector<ops::TensorType>& types) {
    std::vector<Tensor> added;
    for (const ops::TensorType& type : types) added.push_back(own.tracer.AddParameter(type));
    return added;
  };
  const std::vector<Tensor> tensors = add(signature.types);
  std::vector<std::vector<Tensor>> values;
  for (const PerWorkerPtr& one : signature.resources) values.push_back(add(one->types));
  std::vector<Tensor> arguments;
  for (int place : signature.order) {
    if (place >= 0) {
      arguments.push_back(tensors[place]);
    } else {
      const auto& of_worker = values[-1 - place];
      arguments.insert(arguments.end(), of_worker.begin(), of_worker.end());
    }
  }
  {
    const TracingScope scope(&own);
    const runtime::VariableCreatorScope creator(&state);
    const CurrentCoordinator current(&state);
    const ops::RecordingPause pause;
    const ops::BuilderScope builder(&own.tracer);
    for (Tensor result : signature.function.Call(arguments)) {
      if (const IndexedSlices* slices = IndexedSlices::Of(result)) result = slices->ToDense();
      own.tracer.graph()->results().push_back(own.tracer.EndpointOf(result));
    }
  }
  return std::make_shared<WorkerTrace>(WorkerTrace{
      state.Dispatched(*own.tracer.graph(), signature.function.name()), std::move(own.draws)});
}

remote::Dispatcher::Drawn WorkerTraces::Draw(CoordinatorState& state, const WorkerTrace& trace,
                                             const WorkerSignature& signature, int worker,
                                             int life) {
  remote::Dispatcher::Drawn drawn;
  std::vector<std::vector<ops::TensorType>> types;
  bool same = true;
  for (const WorkerTrace::Draw& draw : trace.draws) {
    const Element element = draw.iterator->Next(worker, life);
    types.push_back(ops::TypesOf(element));
    same &= SameTypes(types.back(), draw.types);
    drawn.feeds.insert(drawn.feeds.end(), element.begin(), element.end());
  }
  if (same) return drawn;
  const std::lock_guard lock(mutex_);
  Traces& traces = traces_[KeyOf(signature)];
  const auto fits = [&](const std::shared_ptr<WorkerTrace>& one) {
    return one->draws.size() == types.size() &&
           std::equal(types.begin(), types.end(), one->draws.begin(),
                      [](const auto& a, const auto& b) { return SameTypes(a, b.types); });
  };
  auto place = std::find_if(traces.begin(), traces.end(), fits);
  if (place == traces.end()) {
    place = traces.insert(traces.end(), Trace(state, signature, types));
    if (!fits(*place)) {
      throw Error(Code::kInvalidArgument,
                  "[coordinator] a function takes as many elements of its datasets each time; got "
                  "one for which that depends on their shapes");
    }
  }
  drawn.function = (*place)->function;
  return drawn;
}

PerWorkerPtr WorkerTraces::Resource(CoordinatorState& state, const Function& function) {
  const std::shared_ptr<WorkerTrace> trace = For(state, {function, {}, {}, {}});
  if (!trace->draws.empty()) {
    throw Error(Code::kInvalidArgument,
                "[coordinator] values of a worker are made without its datasets; got a function "
                "that takes elements");
  }
  auto made = std::make_shared<PerWorkerFunction>();
  for (graph::Endpoint result : trace->function->graph.results()) {
    made->types.push_back(trace->function->graph.type(result));
  }
  made->resource = state.AddResource(trace->function);
  return made;
}

}  // namespace lockstep::distribute

namespace lockstep {

PerWorkerIterator PerWorkerDataset::Iterator() const {
  PerWorkerIterator iterator;
  iterator.state_ = std::make_shared<distribute::PerWorkerState>(make_);
  return iterator;
}

Element PerWorkerIterator::Next() const {
  distribute::Tracing* tracing = distribute::tracing;
  if (tracing == nullptr || &ops::CurrentBuilder() != &tracing->tracer) {
    throw Error(
        Code::kFailedPrecondition,
        std::string("[coordinator] the next element of a worker's dataset is taken in a "
                    "function that is scheduled; got a call ") +
            (tracing == nullptr ? "outside of one" : "inside of a branch or loop of its graph") +
            "; take it at the function's beginning");
  }
  const size_t number = tracing->draws.size();
  const auto& types = number < tracing->known.size() ? tracing->known[number] : state_->types();
  Element element;
  for (const ops::TensorType& type : types) element.push_back(tracing->tracer.AddParameter(type));
  tracing->draws.push_back({state_, types});
  return element;
}

}  // namespace lockstep
