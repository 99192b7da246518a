#include <nanobind/stl/optional.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include <algorithm>
#include <chrono>
#include <memory>

#include "lockstep/runtime/graph_def.h"
#include "lockstep/runtime/session.h"
#include "ops/builder.h"
#include "ops/known_site.h"
#include "ops/signature.h"
#include "python/attributes.h"
#include "python/bind.h"
#include "python/callback.h"
#include "python/site.h"
#include "runtime/graph_builder.h"
#include "runtime/shared_object.h"

namespace lockstep::python {

namespace {

Fetch FetchOf(nb::handle object) {
  if (nb::isinstance<Tensor>(object)) return Fetch(nb::cast<Tensor>(object));
  if (nb::isinstance<Variable>(object)) return Fetch(nb::cast<Variable>(object));
  if (nb::isinstance<Operation>(object)) return Fetch(nb::cast<Operation>(object));
  return Fetch(nb::cast<std::string>(object));
}

std::vector<Fetch> FetchesOf(nb::handle list) {
  std::vector<Fetch> fetches;
  for (nb::handle one : list) fetches.push_back(FetchOf(one));
  return fetches;
}

nb::list RunSession(const Session& session, nb::object fetches, nb::object feeds,
                    nb::object targets, double timeout_seconds, nb::object traced,
                    nb::object partitions) {
  const ops::KnownSite site(PythonSite());
  const std::vector<Fetch> wanted = FetchesOf(fetches), only_run = FetchesOf(targets);
  Feeds fed;
  for (nb::handle pair : feeds)
    fed.push_back({FetchOf(pair[0]), Arg{nb::object(pair[1])}.Strong()});
  RunOptions options;
  options.timeout = std::chrono::nanoseconds(static_cast<int64_t>(timeout_seconds * 1e9));
  RunMetadata metadata;
  options.trace = !traced.is_none();
  options.partition_graphs = !partitions.is_none();
  const bool tells = options.trace || options.partition_graphs;
  const std::vector<Tensor> values = Unlocked(
      [&] { return session.Run(wanted, fed, only_run, options, tells ? &metadata : nullptr); });
  for (const RunMetadata::PartitionGraph& one : metadata.partition_graphs)
    partitions.attr("append")(nb::bytes(one.graph_def.data(), one.graph_def.size()));
  if (options.trace) {
    for (const RunMetadata::Op& op : metadata.ops) {
      traced.attr("append")(nb::make_tuple(op.name, op.op, op.device, op.start_nanoseconds,
                                           op.nanoseconds, op.output_bytes));
    }
  }
  nb::list results;
  for (const Tensor& value : values) results.append(value.defined() ? nb::cast(value) : nb::none());
  return results;
}

// A Python context.
class GraphScope {
 public:
  explicit GraphScope(Graph graph) : graph_(std::move(graph)) {}
  void Enter() { scope_ = std::make_unique<Graph::Scope>(graph_); }
  void Exit() { scope_.reset(); }

 private:
  Graph graph_;
  std::unique_ptr<Graph::Scope> scope_;
};

class ColocationContext {
 public:
  explicit ColocationContext(const Tensor& beside) : beside_(beside) {}
  void Enter() { scope_ = std::make_unique<ColocateWith>(Operation(beside_)); }
  void Exit() { scope_.reset(); }

 private:
  const Tensor beside_;
  std::unique_ptr<ColocateWith> scope_;
};

class NameScopeContext {
 public:
  explicit NameScopeContext(std::string name) : name_(std::move(name)) {}
  std::string Enter() {
    scope_ = std::make_unique<NameScope>(name_);
    return scope_->prefix();
  }
  void Exit() { scope_.reset(); }

 private:
  std::string name_;
  std::unique_ptr<NameScope> scope_;
};

nb::object AttributeOf(const ops::AttributeValue& value) {
  return std::visit(
      []<typename T>(const T& held) -> nb::object {
        if constexpr (std::is_same_v<T, DType>) {
          return nb::cast(static_cast<int>(held));
        } else if constexpr (std::is_same_v<T, std::shared_ptr<TensorObject>>) {
          return nb::none();
        } else {
          return nb::cast(held);
        }
      },
      value);
}

// The nodes in their order: {op, name, inputs [(node, output)], attributes, outputs [(dtype,
// shape)], value}, the last for constants; what a bodies' graph holds is left out.
nb::list NodesOf(const Graph& given) {
  const std::lock_guard lock(given.state()->mutex);
  const graph::Graph& graph = given.state()->graph();
  nb::list nodes;
  for (const graph::Node& node : graph.nodes()) {
    nb::dict made, attributes;
    for (const auto& [name, value] : node.attributes.entries()) {
      attributes[name.c_str()] = AttributeOf(value);
    }
    nb::list inputs, outputs;
    for (const graph::Endpoint& input : node.inputs) {
      inputs.append(nb::make_tuple(input.node, input.index));
    }
    for (const ops::TensorType& type : node.outputs) {
      outputs.append(nb::make_tuple(static_cast<int>(type.dtype), type.shape));
    }
    const Tensor* value = node.outputs.empty() ? nullptr : graph.constant({node.id, 0});
    made["op"] = std::string(node.spec->name);
    made["name"] = node.name;
    made["inputs"] = inputs;
    made["outputs"] = outputs;
    made["control_inputs"] = node.control_inputs;
    made["attributes"] = attributes;
    made["value"] = value == nullptr ? nb::none() : nb::cast(*value);
    nodes.append(made);
  }
  return nodes;
}

// An op by its name; None where there is no such op.
nb::object EmitOp(const std::string& op, const std::vector<Tensor>& inputs, nb::dict given) {
  const auto all = ops::OpRegistry::Global().All();
  if (std::none_of(all.begin(), all.end(), [&](const ops::OpSpec* one) { return one->name == op; }))
    return nb::none();
  const ops::Attributes attributes = AttributesFrom(given);
  ops::CheckImported(ops::OpRegistry::Global().Find(op), attributes, ops::TypesOf(inputs));
  return nb::cast(Unlocked([&] { return ops::Emit(op, inputs, attributes); }));
}

// The same under a name in the graph that is built, and the op itself.
nb::object EmitNode(const std::string& op, const std::vector<Tensor>& inputs, nb::dict given,
                    const std::string& name) {
  const nb::object outputs = EmitOp(op, inputs, given);
  if (outputs.is_none()) return outputs;
  runtime::GraphState* state = runtime::GraphState::Current();
  const std::lock_guard lock(state->mutex);
  const int id = state->graph().num_nodes() - 1;
  state->NameNode(state->built->node(id), state->UniqueName(state->prefix + name));
  return nb::make_tuple(outputs, Operation(state->shared_from_this(), id));
}

// A queue or an accumulator: its handle, and the name of it, which no other op of a graph has.
std::pair<Tensor, std::string> MakeSharedObject(const std::string& kind, const std::string& name,
                                                const std::string& shared_name, nb::dict spec) {
  std::string own = name;
  if (runtime::GraphState* state = runtime::GraphState::Current()) {
    const std::lock_guard lock(state->mutex);
    own = state->UniqueName(state->prefix + name);
  }
  const Tensor handle =
      runtime::MakeNamedObject(kind, shared_name.empty() ? own : shared_name, AttributesFrom(spec));
  return {handle, own};
}

nb::bytes WrittenGraph(const Graph& graph) {
  const std::string bytes = Unlocked([&] { return ToGraphDef(graph, GraphForm::kBinary); });
  return nb::bytes(bytes.data(), bytes.size());
}

// The value of the variable that a handle names, now.
Tensor ReadHandle(const Tensor& handle) {
  return Unlocked([&] { return ops::Emit("ReadVariableOp", {handle})[0]; });
}

// Names the op of a tensor where it is one of the graph's nodes from `first` on, and the other new
// ones below it.
void NameNew(const Tensor& tensor, const std::string& name, int first) {
  const auto* symbol = dynamic_cast<const graph::SymbolicValue*>(tensor.object().get());
  runtime::GraphState* state = runtime::GraphState::Current();
  if (symbol == nullptr || symbol->graph() != state->built) return;
  const std::lock_guard lock(state->mutex);
  const int made = symbol->endpoint().node;
  if (made < first) return;
  const std::string scope =
      name.ends_with('/') ? name : state->prefix + name.substr(0, name.find('/')) + "/";
  const std::string below = state->built->node(made).name + "/";  // its constants, "Add/y"
  for (int id = state->graph().num_nodes() - 1; id >= first;
       --id) {  // the last number is free first
    graph::Node& node = state->built->node(id);
    const Tensor* constant = state->graph().constant({id, 0});
    const bool is_resource = constant != nullptr && constant->object() != nullptr;
    if (id == made || is_resource || !node.name.starts_with(state->prefix)) continue;
    const size_t kept = node.name.starts_with(below) ? below.size() : state->prefix.size();
    state->NameNode(node, scope + node.name.substr(kept));
  }
  Named(tensor, name);
}

// The name that an op gets which asks for this one; it is taken then, unless `is_taken` is false.
std::string UniqueName(const Graph& graph, const std::string& name, bool is_taken) {
  runtime::GraphState& state = *graph.state();
  const std::lock_guard lock(state.mutex);
  const auto before = state.used_names;
  const std::string made = state.UniqueName(state.prefix + name);
  if (!is_taken) state.used_names = before;
  return made;
}

void BindGraphs(nb::module_& m) {
  nb::class_<Operation>(m, "Operation")
      .def_prop_ro("name", &Operation::name)
      .def_prop_ro("type", &Operation::type)
      .def_prop_ro("device", &Operation::device)
      .def("outputs", &Operation::outputs)
      .def("inputs", &Operation::inputs)
      .def("control_inputs", &Operation::control_inputs);
  nb::class_<Graph>(m, "Graph")
      .def(nb::init<>())
      .def("operations", &Graph::operations)
      .def("operation_by_name", &Graph::OperationByName)
      .def("tensor_by_name", &Graph::TensorByName)
      .def("variables", &Graph::variables)
      .def("trainable_variables", &Graph::trainable_variables)
      .def("initializer", &Graph::GlobalVariablesInitializer)
      .def(
          "group",
          [](const Graph& g, nb::object list, const std::string& name) {
            return g.Group(FetchesOf(list), name);
          },
          nb::arg(), nb::arg("name") = "group_deps")
      .def("group_effects",
           [](const Graph& g, nb::callable body, const std::string& name) {
             return g.GroupEffects([&] { body(); }, name);
           })
      .def("unique_name", &UniqueName)
      .def("finalize", &Graph::Finalize)
      .def("reopen", &Graph::Reopen)
      .def_prop_ro("key",
                   [](const Graph& g) { return reinterpret_cast<intptr_t>(g.state().get()); })
      .def_prop_ro("finalized", &Graph::finalized)
      .def_prop_rw("seed", &Graph::seed, &Graph::SetSeed, nb::arg().none())
      .def("dot", &Graph::ToDot)
      .def("nodes", &NodesOf)
      .def("graph_def", &WrittenGraph)
      .def("same", [](const Graph& a, const Graph& b) { return a == b; });
  nb::class_<GraphScope>(m, "GraphScope")
      .def(nb::init<Graph>())
      .def("enter", &GraphScope::Enter)
      .def("exit", &GraphScope::Exit);
  nb::class_<ColocationContext>(m, "Colocate")
      .def(nb::init<const Tensor&>())
      .def("enter", &ColocationContext::Enter)
      .def("exit", &ColocationContext::Exit);
  nb::class_<NameScopeContext>(m, "NameScope")
      .def(nb::init<std::string>())
      .def("enter", &NameScopeContext::Enter)
      .def("exit", &NameScopeContext::Exit);
  m.def("has_graph", &Graph::HasDefault);
  m.def("graph_of",
        [](const Tensor& tensor) { return Graph(runtime::GraphState::Of(tensor, "graph")); });
  m.def("graph_of_variable", [](const Variable& variable) -> std::optional<Graph> {
    const auto* own = runtime::AsGraphVariable(variable.state().first());
    const auto graph = own == nullptr ? nullptr : own->graph.lock();
    return graph == nullptr ? std::nullopt : std::optional(Graph(graph));
  });
  m.def("default_graph", &Graph::Default);
  m.def("placeholder", &Placeholder);
  m.def("placeholder_with_default", &PlaceholderWithDefault);
  m.def("variables_initializer", &VariablesInitializer);
  m.def("is_variable_initialized", &IsVariableInitialized);
  m.def("named", &Named);
  m.def("named_constant", &NamedConstant);
  m.def("graph_size", [] { return runtime::GraphState::Current()->graph().num_nodes(); });
  m.def("name_new", &NameNew);
  m.def("read_handle", &ReadHandle);
  m.def("emit", &EmitOp);
  m.def("emit_node", &EmitNode);
  m.def("initializer_of", &InitializerOf);
  m.def("operation_of", [](const Tensor& tensor) { return Operation(tensor); });
  m.def("name_of", [](const Tensor& tensor) -> std::optional<std::string> {
    try {
      return NameOf(tensor);
    } catch (const Error&) {
      return std::nullopt;
    }
  });
}

}  // namespace

void BindSessions(nb::module_& m) {
  using namespace nb::literals;
  BindGraphs(m);
  m.def("shared_object", &MakeSharedObject);
  nb::class_<Session>(m, "Session")
      .def(
          "__init__",
          [](Session* session, const Graph& graph, const std::string& target, bool logs, bool soft,
             int devices, double patience_seconds, const std::vector<std::string>& device_filters,
             int threads) {
            SessionOptions options{.graph = std::make_shared<Graph>(graph),
                                   .devices = devices,
                                   .soft_placement = soft,
                                   .log_placement = logs,
                                   .device_filters = device_filters,
                                   .threads = threads};
            if (patience_seconds > 0) {
              options.patience =
                  std::chrono::nanoseconds(static_cast<int64_t>(patience_seconds * 1e9));
            }
            Unlocked([&] { new (session) Session(target, options); });
          },
          "graph"_a, "target"_a = "", "log_placement"_a = false, "soft_placement"_a = true,
          "devices"_a = 1, "patience_seconds"_a = 0.0,
          "device_filters"_a = std::vector<std::string>(), "threads"_a = 0)
      .def_static("reset",
                  [](const std::string& target) { Unlocked([&] { Session::Reset(target); }); })
      .def("run", &RunSession, "fetches"_a, "feeds"_a, "targets"_a, "timeout_seconds"_a = 0.0,
           "traced"_a = nb::none(), "partitions"_a = nb::none())
      .def_prop_ro("devices", &Session::devices)
      .def("close", [](const Session& session) { session.Close(); })
      .def_prop_ro("closed", &Session::closed)
      .def("uninitialized", &Session::UninitializedVariables);
}

}  // namespace lockstep::python
