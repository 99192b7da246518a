#pragma once

#include <functional>
#include <vector>

#include "graph/tracer.h"

/// For tests: what a function is before anything is made of it.
namespace lockstep::runtime {

inline graph::Graph TracedGraph(
    const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& body,
    const std::vector<Tensor>& arguments) {
  graph::Tracer tracer;
  std::vector<Tensor> parameters;
  for (const Tensor& argument : arguments)
    parameters.push_back(tracer.AddParameter(ops::TensorType::Of(argument)));
  const ops::BuilderScope scope(&tracer);
  for (const Tensor& result : body(parameters))
    tracer.graph()->results().push_back(tracer.EndpointOf(result));
  return *tracer.graph();
}

}  // namespace lockstep::runtime
