#include "runtime/callable_graph.h"

#include "graph/passes.h"
#include "ops/builder.h"
#include "runtime/body_tracer.h"
#include "runtime/devices.h"
#include "runtime/eager.h"
#include "runtime/expandable.h"
#include "runtime/replica.h"

namespace lockstep::runtime {

namespace {

// The handles of the variables that `graph` reads, and the floating tensors that it names.
bool TakesPart(const graph::Graph& graph, const graph::Node& node) {
  if (node.spec->name != "Const") return false;
  const Tensor& value = node.attributes.Get<Tensor>("value");
  if (value.dtype() != DType::kResource) return IsFloating(value.dtype());
  // Control flow names the variables that its bodies read.
  for (const graph::Node& reader : graph.nodes()) {
    const std::string& op = reader.spec->name;
    if (op != "ReadVariableOp" && op != "If" && op != "While") continue;
    for (graph::Endpoint input : reader.inputs)
      if (input.node == node.id) return true;
  }
  return false;
}

}  // namespace

CallableGraph::CallableGraph(graph::Graph graph)
    : graph_(graph::Prune(graph)),
      compiled_(graph_),
      meets_(ReplicasMeetIn(graph_)),
      expandable_(HasExpandable(graph_)) {
  const auto& parameters = graph_.parameters();
  for (int i = 0; i < static_cast<int>(parameters.size()); ++i) {
    if (IsFloating(graph_.type(parameters[i]).dtype)) {
      origins_.push_back({parameters[i], i, Tensor()});
    }
  }
  for (const graph::Node& node : graph_.nodes()) {
    if (TakesPart(graph_, node)) {
      origins_.push_back({{node.id, 0}, -1, node.attributes.Get<Tensor>("value")});
    }
  }
}

CallableGraph::~CallableGraph() = default;

std::vector<CallableGraph::Origin> CallableGraph::Followed(
    const std::vector<Tensor>& arguments) const {
  std::vector<Origin> followed;
  for (const Origin& origin : origins_) {
    if (ops::IsFollowed(origin.parameter < 0 ? origin.outside : arguments[origin.parameter])) {
      followed.push_back(origin);
    }
  }
  return followed;
}

// Gradients flow through programs that run as one op where their ops are written out.
CallableGraph& CallableGraph::WrittenOut() {
  std::lock_guard lock(mutex_);
  if (written_out_ == nullptr) written_out_ = std::make_unique<CallableGraph>(Expanded(graph_));
  return *written_out_;
}

std::vector<Tensor> CallableGraph::Call(const std::vector<Tensor>& arguments) {
  if (&ops::CurrentBuilder() != &EagerBuilder::Instance()) return Inline(graph_, arguments);
  if (expandable_ && ops::IsRecording() && !WrittenOut().Followed(arguments).empty()) {
    return WrittenOut().Call(arguments);
  }
  const std::vector<Origin> followed =
      ops::IsRecording() ? Followed(arguments) : std::vector<Origin>();
  if (followed.empty()) return compiled_.Run(arguments, CurrentTeam());
  const bool twice = ops::MayDifferentiateTwice();
  std::vector<Tensor> inputs = arguments;
  std::vector<graph::Endpoint> places = graph_.parameters();
  std::vector<int> sources;
  std::string key = twice ? "2" : "1";
  for (const Origin& origin : followed) {
    sources.push_back(origin.parameter);
    if (origin.parameter < 0) {
      sources.back() = static_cast<int>(inputs.size());
      inputs.push_back(origin.outside);
      places.push_back(origin.place);
    }
    key += " " + std::to_string(origin.place.node);
  }
  std::shared_ptr<DifferentiableGraph> graph;
  {
    std::lock_guard lock(mutex_);
    auto& known = differentiable_[key];
    if (known == nullptr) {
      known = std::make_shared<DifferentiableGraph>(graph_, places, sources, twice);
    }
    graph = known;
  }
  std::vector<Tensor> outputs =
      ops::Emit("FunctionCall", std::move(inputs),
                {{"call", std::shared_ptr<TensorObject>(graph)},
                 {"graph", std::shared_ptr<TensorObject>(graph->graph())}});
  outputs.resize(graph_.results().size());
  return outputs;
}

}  // namespace lockstep::runtime
