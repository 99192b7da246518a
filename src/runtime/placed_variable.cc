#include "runtime/placed_variable.h"

#include "graph/bodies.h"
#include "graph/tracer.h"

namespace lockstep::runtime {

PlacedVariable* AsPlacedVariable(const Tensor& handle) {
  if (handle.dtype() != DType::kResource) return nullptr;
  return dynamic_cast<PlacedVariable*>(handle.object().get());
}

PlacedVariable* PlacedVariableIn(const graph::Graph& graph) {
  for (const graph::Node& node : graph.nodes()) {
    const Tensor* constant = graph.constant({node.id, 0});
    PlacedVariable* found = constant == nullptr ? nullptr : AsPlacedVariable(*constant);
    if (found != nullptr) return found;
    for (const graph::Graph* body : graph::BodiesOf(node.attributes))
      if ((found = PlacedVariableIn(*body)) != nullptr) return found;
  }
  return nullptr;
}

std::vector<Tensor> RunWherePlaced(PlacedVariable& variable, const ops::OpSpec& spec,
                                   const std::vector<Tensor>& inputs,
                                   const ops::Attributes& attributes) {
  graph::Tracer tracer;
  std::vector<Tensor> arguments, symbols;
  for (const Tensor& input : inputs) {
    if (input.dtype() == DType::kResource) {
      symbols.push_back(input);
      continue;
    }
    symbols.push_back(tracer.AddParameter(ops::TensorType::Of(input)));
    arguments.push_back(input);
  }
  for (const Tensor& result : tracer.Emit(spec, symbols, attributes)) {
    tracer.graph()->results().push_back(tracer.EndpointOf(result));
  }
  return variable.Run(*tracer.graph(), arguments);
}

}  // namespace lockstep::runtime
