#include "runtime/graph_gradient.h"

#include <algorithm>
#include <deque>
#include <map>
#include <unordered_map>
#include <unordered_set>

#include "runtime/backpropagate.h"
#include "runtime/replay.h"

namespace lockstep::runtime {

namespace {

// A node of one of the graphs; in the order of the program, outer graphs first.
struct Place {
  size_t tracer;
  int node;
  auto operator<=>(const Place&) const = default;
};

class Walk {
 public:
  explicit Walk(std::span<graph::Tracer* const> tracers) : tracers_(tracers) {}

  // The one tensor that stands for the value that `tensor` is.
  Tensor Known(const Tensor& tensor) {
    if (const auto* symbol = dynamic_cast<const graph::SymbolicValue*>(tensor.object().get())) {
      const auto graph = symbol->graph();
      for (size_t t = 0; t < tracers_.size(); ++t) {
        if (tracers_[t]->graph() == graph) return Known(t, symbol->endpoint());
      }
      return tensor;
    }
    if (tensor.object() == nullptr) return tensor;
    return objects_.try_emplace(tensor.object().get(), tensor).first->second;
  }
  std::vector<Tensor> Known(const std::vector<Tensor>& tensors) {
    std::vector<Tensor> known;
    for (const Tensor& tensor : tensors) known.push_back(Known(tensor));
    return known;
  }

  // The ops through which gradients flow from `targets` to `sources`.
  std::deque<RecordedOp> Between(const std::vector<Tensor>& targets,
                                 const std::vector<Tensor>& sources,
                                 const std::vector<Tensor>& stops) {
    std::unordered_set<uint64_t> followed, stopped;
    for (const Tensor& source : sources) followed.insert(source.id());
    for (const Tensor& stop : stops) stopped.insert(stop.id());
    std::deque<RecordedOp> operations;
    for (const Place place : Before(targets)) {
      RecordedOp op = OpAt(place);
      const auto is_in = [](const std::unordered_set<uint64_t>& set) {
        return [&set](const Tensor& tensor) { return set.contains(tensor.id()); };
      };
      if (std::none_of(op.inputs.begin(), op.inputs.end(), is_in(followed)) ||
          std::any_of(op.outputs.begin(), op.outputs.end(), is_in(stopped))) {
        continue;
      }
      if (op.spec->name == "If" || op.spec->name == "While") op = WithKept(place);
      for (const Tensor& output : op.outputs) {
        if (IsFloating(output.dtype())) followed.insert(output.id());
      }
      operations.push_back(std::move(op));
    }
    return operations;
  }

 private:
  Tensor Known(size_t tracer, graph::Endpoint e) {
    if (const Tensor* outer = tracers_[tracer]->CapturedAt(e)) return Known(*outer);
    const Tensor* constant = tracers_[tracer]->graph()->constant(e);
    return constant != nullptr ? Known(*constant) : tracers_[tracer]->TensorOf(e);
  }

  // All nodes on which `targets` depend.
  std::vector<Place> Before(const std::vector<Tensor>& targets) {
    std::map<Place, bool> seen;
    std::vector<Tensor> waiting = targets;
    while (!waiting.empty()) {
      const Tensor tensor = std::move(waiting.back());
      waiting.pop_back();
      const auto* symbol = dynamic_cast<const graph::SymbolicValue*>(tensor.object().get());
      if (symbol == nullptr) continue;
      for (size_t t = 0; t < tracers_.size(); ++t) {
        const Place place{t, symbol->endpoint().node};
        if (tracers_[t]->graph() != symbol->graph() || !seen.try_emplace(place).second) continue;
        const std::vector<Tensor> inputs = OpAt(place).inputs;
        waiting.insert(waiting.end(), inputs.begin(), inputs.end());
      }
    }
    std::vector<Place> places;
    for (const auto& [place, unused] : seen) places.push_back(place);
    return places;
  }

  RecordedOp OpAt(Place place) {
    graph::Tracer& tracer = *tracers_[place.tracer];
    const graph::Node& node = tracer.graph()->node(place.node);
    RecordedOp op{node.spec, node.attributes, {}, {}};
    if (const Tensor* handle = tracer.VariableReadAt({node.id, 0})) {
      op.spec = &ops::OpRegistry::Global().Find("ReadVariableOp");
      op.inputs.push_back(Known(*handle));
    }
    for (graph::Endpoint input : node.inputs) op.inputs.push_back(Known(place.tracer, input));
    for (size_t i = 0; i < node.outputs.size(); ++i) {
      op.outputs.push_back(Known(place.tracer, {node.id, static_cast<int>(i)}));
    }
    return op;
  }

  // Control flow that is differentiated gives more.
  RecordedOp WithKept(Place place) {
    graph::Graph& graph = *tracers_[place.tracer]->graph();
    KeepForGradient(graph, &graph.node(place.node));
    return OpAt(place);
  }

  std::span<graph::Tracer* const> tracers_;
  std::unordered_map<const TensorObject*, Tensor> objects_;
};

}  // namespace

std::vector<Tensor> GraphGradient(std::span<graph::Tracer* const> tracers,
                                  const std::vector<Tensor>& targets,
                                  const std::vector<Tensor>& sources,
                                  const std::vector<Tensor>& output_gradients,
                                  const std::vector<Tensor>& stops) {
  Walk walk(tracers);
  const std::vector<Tensor> from = walk.Known(targets), to = walk.Known(sources);
  const auto operations = walk.Between(from, to, walk.Known(stops));
  return Backpropagate(operations, from, to, output_gradients);
}

}  // namespace lockstep::runtime
