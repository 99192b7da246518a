#include "runtime/expandable.h"

#include <algorithm>

#include "graph/tracer.h"
#include "ops/builder.h"
#include "runtime/body_tracer.h"

namespace lockstep::runtime {

Expandable* ExpandableIn(const ops::Attributes& attributes) {
  const ops::AttributeValue* value = attributes.Find("program");
  const auto* object =
      value == nullptr ? nullptr : std::get_if<std::shared_ptr<TensorObject>>(value);
  return object == nullptr ? nullptr : dynamic_cast<Expandable*>(object->get());
}

bool HasExpandable(const graph::Graph& graph) {
  return std::any_of(graph.nodes().begin(), graph.nodes().end(), [](const graph::Node& node) {
    return ExpandableIn(node.attributes) != nullptr;
  });
}

graph::Graph Expanded(const graph::Graph& graph) {
  graph::Tracer tracer;
  std::vector<Tensor> parameters;
  for (graph::Endpoint parameter : graph.parameters())
    parameters.push_back(tracer.AddParameter(graph.type(parameter)));
  const ops::RecordingPause pause;
  const ops::BuilderScope scope(&tracer);
  Inliner inliner(graph, std::move(parameters));
  for (const graph::Node& node : graph.nodes()) {
    if (Expandable* program = ExpandableIn(node.attributes)) {
      inliner.Give(node.id, program->Expand(inliner.InputsOf(node.id)));
    } else {
      inliner.Emit(node.id);
    }
  }
  for (const Tensor& result : inliner.Results(graph.results().size()))
    tracer.graph()->results().push_back(tracer.EndpointOf(result));
  return *tracer.graph();
}

}  // namespace lockstep::runtime
