#include "lockstep/runtime/function.h"

#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "graph/graph.h"
#include "graph/passes.h"
#include "graph/tracer.h"
#include "lockstep/runtime/custom_gradient.h"
#include "lockstep/runtime/gradient_tape.h"
#include "lockstep/runtime/gradients.h"
#include "python/bind.h"
#include "python/callback.h"
#include "runtime/body_tracer.h"
#include "runtime/eager.h"
#include "runtime/fold.h"
#include "runtime/host_ops.h"
#include "runtime/random_streams.h"

namespace lockstep::python {

namespace {

// Variables stand for their handles, everything else for a tensor; None for an empty one.
std::vector<Tensor> Sources(const std::vector<nb::handle>& objects) {
  std::vector<Tensor> sources;
  for (nb::handle object : objects) {
    if (nb::isinstance<Variable>(object)) {
      sources.push_back(nb::cast<Variable>(object).handle());
    } else {
      sources.push_back(Arg{object}.Optional());
    }
  }
  return sources;
}

std::vector<nb::object> OrNone(const std::vector<Tensor>& tensors) {
  std::vector<nb::object> objects;
  for (const Tensor& tensor : tensors)
    objects.push_back(tensor.defined() ? nb::cast(tensor) : nb::none());
  return objects;
}

std::vector<nb::object> TapeGradient(GradientTape& tape, const std::vector<nb::handle>& targets,
                                     const std::vector<nb::handle>& sources,
                                     const std::vector<nb::handle>& output_gradients, bool zeros) {
  const auto ys = Sources(targets), xs = Sources(sources), dys = Sources(output_gradients);
  return OrNone(Unlocked(
      [&] { return tape.Gradient(ys, xs, {.output_gradients = dys, .zero_unconnected = zeros}); }));
}

std::vector<nb::object> GraphGradients(const std::vector<nb::handle>& targets,
                                       const std::vector<nb::handle>& sources,
                                       const std::vector<nb::handle>& output_gradients,
                                       const std::vector<nb::handle>& stops, bool zeros) {
  const auto ys = Sources(targets), xs = Sources(sources), dys = Sources(output_gradients);
  const auto constants = Sources(stops);
  return OrNone(Unlocked([&] {
    return Gradients(ys, xs,
                     {.grad_ys = dys, .stop_gradients = constants, .zero_unconnected = zeros});
  }));
}

// `function(list)` gives (results, gradient), and gradient(list) a list.
std::vector<Tensor> CallWithGradient(nb::object function, const std::vector<Tensor>& arguments,
                                     const std::vector<Variable>& variables) {
  const Held held(std::move(function));
  const auto call = [held](const std::vector<Tensor>& given) {
    const nb::gil_scoped_acquire lock;
    nb::list list;
    for (const Tensor& argument : given) list.append(nb::cast(argument));
    const nb::object answer = held.get()(list);
    return WithGradient{TensorsOf(answer[0]), TensorFunction(nb::object(answer[1]))};
  };
  return Unlocked([&] { return CustomGradient(call, arguments, variables); });
}

// What a symbolic tensor is known to hold already, or None.
nb::object StaticValue(const Tensor& tensor) {
  if (!tensor.is_symbolic()) return nb::cast(tensor);
  const auto* symbol = dynamic_cast<const graph::SymbolicValue*>(tensor.object().get());
  if (symbol == nullptr || symbol->graph() == nullptr) return nb::none();
  try {
    graph::Graph copy = *symbol->graph();
    copy.results() = {symbol->endpoint()};
    const graph::Graph folded = runtime::FoldConstants(copy);
    const Tensor* value = folded.constant(folded.results()[0]);
    if (value != nullptr) return nb::cast(*value);
  } catch (const Error&) {
  }
  return nb::none();
}

// The nodes that the last result of `graph` needs, as flags; nullopt where it needs a parameter, or
// a node that does something outside of the program or meets other replicas.
std::optional<std::vector<bool>> NeededNodes(const graph::Graph& graph) {
  std::vector<bool> needed(graph.num_nodes(), false);
  needed[graph.results().back().node] = true;
  for (int id = graph.num_nodes() - 1; id >= 0; --id) {
    if (!needed[id]) continue;
    const graph::Node& node = graph.node(id);
    const runtime::HostOp* host = runtime::FindHostOp(node.spec->name);
    if (node.spec->name == "Arg" || node.spec->effects.external || (host != nullptr && host->meets))
      return std::nullopt;
    for (const graph::Endpoint& input : node.inputs) needed[input.node] = true;
  }
  return needed;
}

// The value of a symbolic tensor, computed now: the first value of a variable that a traced
// function makes. Random ops draw from the streams that they have in the trace. None where a
// parameter of the function is needed.
nb::object FirstValue(const Tensor& tensor) {
  const auto* symbol = dynamic_cast<const graph::SymbolicValue*>(tensor.object().get());
  if (symbol == nullptr || symbol->graph() == nullptr) return nb::none();
  graph::Graph graph = *symbol->graph();
  graph.results() = {symbol->endpoint()};
  const auto needed = NeededNodes(graph);
  if (!needed) return nb::none();
  return nb::cast(Unlocked([&] {
    const ops::RecordingPause pause;
    const ops::BuilderScope eager(&runtime::EagerBuilder::Instance());
    runtime::Inliner inliner(graph, {});
    for (int id = 0; id < graph.num_nodes(); ++id) {
      if ((*needed)[id]) inliner.Emit(id);
    }
    return inliner.Results(1)[0];
  }));
}

// The sizes that a symbolic shape is known to hold, -1 for others; None where nothing is known.
nb::object KnownSizes(const Tensor& tensor) {
  const auto* symbol = dynamic_cast<const graph::SymbolicValue*>(tensor.object().get());
  if (symbol == nullptr || symbol->graph() == nullptr) return nb::none();
  const graph::Graph& graph = *symbol->graph();
  graph::Endpoint place = symbol->endpoint();
  while (graph.node(place.node).spec->name == "Cast") place = graph.node(place.node).inputs[0];
  const graph::Node& node = graph.node(place.node);
  if (node.spec->name != "Shape" || !graph.type(node.inputs[0]).shape.ranked()) return nb::none();
  return nb::cast(graph.type(node.inputs[0]).shape.vector());
}

// Calls `function` while a graph is traced that nobody keeps.
void CallInScratch(const nb::callable& function) {
  graph::Tracer tracer;
  const ops::RecordingPause pause;
  const ops::BuilderScope scope(&tracer);
  function();
}

// What `function` gives for symbolic tensors of these dtypes and shapes, as dtypes and shapes.
nb::list CallOnSymbols(nb::object function, const std::vector<std::pair<int, Shape>>& types) {
  graph::Tracer tracer;
  std::vector<Tensor> parameters;
  for (const auto& [dtype, shape] : types)
    parameters.push_back(tracer.AddParameter({static_cast<DType>(dtype), shape}));
  const ops::RecordingPause pause;
  const ops::BuilderScope scope(&tracer);
  nb::list results;
  for (const Tensor& result : TensorFunction(std::move(function))(parameters))
    results.append(nb::make_tuple(static_cast<int>(result.dtype()), result.shape()));
  return results;
}

// Traces what `function` does; its random ops take their streams from `pool`, or from none.
nb::object TraceWith(runtime::StreamPool* pool, const nb::callable& function,
                     nb::object parameters) {
  const runtime::StreamPool::Scope scope(pool);
  return function(parameters);
}

}  // namespace

void BindFunction(nb::module_& m) {
  nb::class_<runtime::StreamPool>(m, "StreamPool").def(nb::init<>());
  m.def("trace_with", &TraceWith, nb::arg().none(), nb::arg(), nb::arg());
  nb::class_<Function>(m, "Function")
      .def("__init__",
           [](Function* self, nb::object body, const std::string& name) {
             new (self) Function(Function::Body(TensorFunction(std::move(body))), name);
           })
      .def("call", &Function::Call, nb::call_guard<nb::gil_scoped_release>())
      .def(
          "call1",
          [](const Function& function, const Tensor& argument) {
            return function.Call({argument})[0];
          },
          nb::call_guard<nb::gil_scoped_release>())
      .def("prepare", &Function::Prepare, nb::call_guard<nb::gil_scoped_release>())
      .def("num_traces", &Function::num_traces)
      .def("describe", &Function::Describe, nb::call_guard<nb::gil_scoped_release>());
  nb::class_<GradientTape>(m, "GradientTape")
      .def("__init__",
           [](GradientTape* self, bool persistent, bool watch) {
             new (self) GradientTape({.persistent = persistent, .watch_accessed_variables = watch});
           })
      .def("watch", [](GradientTape& t, const Tensor& value) { t.Watch(value); })
      .def("watch_variable", [](GradientTape& t, const Variable& value) { t.Watch(value); })
      .def("watched_handles", &GradientTape::WatchedHandles)
      .def("stop", &GradientTape::StopRecording)
      .def("resume", &GradientTape::ResumeRecording)
      .def("reset", &GradientTape::Reset)
      .def("gradient", &TapeGradient);
  m.def("gradients", &GraphGradients);
  m.def("custom_gradient", &CallWithGradient);
  m.def("static_value", &StaticValue);
  m.def("known_sizes", &KnownSizes);
  m.def("first_value", &FirstValue);
  m.def("scratch", &CallInScratch);
  m.def("symbolic_call", &CallOnSymbols);
}

}  // namespace lockstep::python
