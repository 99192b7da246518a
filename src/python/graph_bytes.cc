#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "graph/export_graph_def.h"
#include "graph/graph_def.h"
#include "graph/tracer.h"
#include "python/bind.h"
#include "python/callback.h"
#include "runtime/body_tracer.h"
#include "runtime/variable_state.h"

namespace lockstep::python {

namespace {

// The address of what a handle names: two variables of one name have different ones.
std::string AddressOf(const Tensor& handle) {
  return std::to_string(reinterpret_cast<intptr_t>(handle.object().get()));
}

// Traces `body` on symbolic tensors of these dtypes and shapes. Returns the graph as the bytes of a
// GraphDef, with the parameters as `Placeholder` nodes in their order, the results as nodes
// "result_0", "result_1", and variables under the addresses that `handle_address` returns; and the
// dtypes and shapes of the results.
nb::object TracedGraph(nb::object body, const std::vector<std::pair<int, Shape>>& types) {
  const auto function = TensorFunction(std::move(body));
  graph::Tracer tracer;
  std::vector<Tensor> parameters;
  for (const auto& [dtype, shape] : types)
    parameters.push_back(tracer.AddParameter({static_cast<DType>(dtype), shape}));
  nb::list results;
  {
    const ops::RecordingPause pause;
    const ops::BuilderScope scope(&tracer);
    for (const Tensor& result : runtime::Strong(function(parameters), "function")) {
      tracer.graph()->results().push_back(tracer.EndpointOf(result));
      results.append(nb::make_tuple(static_cast<int>(result.dtype()), result.shape()));
    }
  }
  tracer.RequireNoCaptures("function");
  const auto exported =
      graph::ExportGraphDef(*tracer.graph(), {graph::EffectEdges::kAll, AddressOf, nullptr});
  const std::string bytes = graph::GraphDefBinary(*exported);
  return nb::make_tuple(nb::bytes(bytes.data(), bytes.size()), results);
}

}  // namespace

void BindGraphBytes(nb::module_& m) {
  m.def("traced_graph", &TracedGraph);
  m.def("handle_address",
        [](const Variable& variable) { return AddressOf(variable.state().first()); });
}

}  // namespace lockstep::python
