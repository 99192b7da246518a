// Variables of a graph: a handle, an op that assigns the first value, and a read.

#include <utility>

#include "graph/device_scope.h"
#include "lockstep/runtime/graph.h"
#include "ops/builder.h"
#include "runtime/graph_builder.h"
#include "runtime/host_ops.h"
#include "runtime/variable_cell.h"

namespace lockstep {

namespace runtime {
namespace {

class GraphVariableState : public VariableState {
 public:
  GraphVariableState(const std::shared_ptr<GraphState>& graph, const Tensor& handle,
                     VariableOptions options)
      : VariableState(handle, std::move(options), Existing{}), graph_(graph) {}

  Tensor Read() const override {
    Require("read");
    return VariableState::Read();
  }
  std::vector<Tensor> Update(std::string_view op, const std::vector<Tensor>& inputs) override {
    Require("changed");
    std::vector<Tensor> outputs = VariableState::Update(op, inputs);
    auto* tracer = dynamic_cast<graph::Tracer*>(&ops::CurrentBuilder());
    if (tracer != nullptr) updated_ = tracer->graph()->num_nodes() - 1;
    if (tracer != nullptr) updated_in_ = tracer->graph();
    return outputs;
  }
  // The value after the assignment, whatever else a run is asked for.
  Tensor ReadAssigned() const override {
    auto* tracer = dynamic_cast<graph::Tracer*>(&ops::CurrentBuilder());
    const bool here = tracer != nullptr && tracer->graph() == updated_in_.lock();
    if (here) tracer->PushControl({updated_});
    Tensor value = VariableState::Read();
    if (here) tracer->PopControl();
    return value;
  }
  std::string Describe() const override {
    const std::string& device = AsGraphVariable(first())->device;
    return "Variable " + NameAndType() + ": of a graph, a value in each session" +
           (device.empty() ? "" : "; on " + device + ", as a device scope says");
  }

 private:
  void Require(const char* what) const {
    if (GraphState::Current() != nullptr && GraphState::Current() == graph_.lock().get()) return;
    throw Error(Code::kFailedPrecondition,
                "[variable] a graph's variable is " + std::string(what) +
                    " where the graph is the default; got " + NameAndType() +
                    (GraphState::Current() == nullptr ? " outside of every graph"
                                                      : " under another graph") +
                    "; build the op in graph.AsDefault(), and get its value by session.Run");
  }

  std::weak_ptr<GraphState> graph_;  // which keeps its variables
  int updated_ = -1;
  std::weak_ptr<graph::Graph> updated_in_;
};

// Tells whether the variable's cell has a value.
std::vector<ops::TensorType> InferIsInitialized(const ops::InferenceContext&) {
  return {{DType::kBool, Shape{}, DType::kBool}};
}
const ops::RegisterOp kIsInitialized({.name = "VarIsInitializedOp",
                                      .infer = InferIsInitialized,
                                      .effects = {.reads = 1}});
std::vector<Tensor> IsInitialized(const ops::OpSpec&, const ops::Attributes&,
                                  const std::vector<Tensor>& inputs) {
  return {Tensor::FromBools({CellOf(inputs[0]).initialized()}, Shape{})};
}
const RegisterHostOp kRunIsInitialized("VarIsInitializedOp", {IsInitialized});

const GraphVariable& Required(const Variable& variable, const char* where) {
  const GraphVariable* own =
      variable.defined() ? AsGraphVariable(variable.state().first()) : nullptr;
  if (own != nullptr) return *own;
  throw Error(Code::kInvalidArgument, std::string("[") + where +
                                          "] a graph's variable is needed; got " +
                                          (variable.defined() ? variable.ToString() : "none"));
}

std::shared_ptr<GraphState> CurrentGraph(const char* where) {
  GraphState* state = GraphState::Current();
  if (state == nullptr) {
    throw Error(Code::kFailedPrecondition, std::string("[") + where +
                                               "] a graph must be the default; got none; write "
                                               "auto scope = graph.AsDefault() before it");
  }
  return state->shared_from_this();
}

}  // namespace

std::shared_ptr<VariableState> GraphVariableCreator::Create(const std::function<Tensor()>& initial,
                                                            VariableOptions options) {
  const std::lock_guard lock(graph_->mutex);
  GraphState& state = *graph_;
  const ops::BuilderScope scope(state.tracer.get());
  const ops::RecordingPause pause;
  const ControlDependencies none(nullptr);
  options.name = state.UniqueName(state.prefix + options.name);
  const std::string outer = std::exchange(state.prefix, options.name + "/");
  Tensor value = initial();
  std::vector<Tensor> strong{value};
  ops::ResolveWeak(strong, "variable");
  value = strong[0];
  if (!value.shape().fully_known()) {
    state.prefix = outer;
    throw Error(Code::kInvalidArgument,
                "[variable] the shape of the first value must be known; got " +
                    std::string(DTypeName(value.dtype())) + value.shape().ToString() + " for '" +
                    options.name + "'");
  }
  auto variable = std::make_shared<GraphVariable>();
  variable->name = options.name;
  variable->graph = graph_;
  variable->trainable =
      options.trainable.value_or(options.synchronization != VariableSynchronization::kOnRead);
  variable->device = graph::DeviceForVariable(value.dtype(), value.shape());
  const Tensor handle =
      Tensor::FromObject(variable, DType::kResource, value.shape(), value.dtype());
  {
    const Device beside(variable->device);
    ops::Emit("AssignVariableOp", {handle, value});
    variable->initializer = state.graph().num_nodes() - 1;
    state.NameNode(state.built->node(variable->initializer), options.name + "/Assign");
    const Tensor read = ops::Emit1("ReadVariableOp", {handle});
    variable->value = state.EndpointOf(read);
    state.NameNode(state.built->node(variable->value.node), options.name + "/Read");
  }
  state.prefix = outer;
  auto result = std::make_shared<GraphVariableState>(graph_, handle, std::move(options));
  state.variables.emplace_back(result);
  return result;
}

}  // namespace runtime

Fetch::Fetch(const Variable& variable) {
  const runtime::GraphVariable* own =
      variable.defined() ? runtime::AsGraphVariable(variable.state().first()) : nullptr;
  if (own == nullptr) {
    tensor_ = variable.value();
    return;
  }
  tensor_ = own->graph.lock()->tracer->TensorOf(own->value);
}

Operation InitializerOf(const Variable& variable) {
  const runtime::GraphVariable& own = runtime::Required(variable, "initializer");
  return Operation(own.graph.lock(), own.initializer);
}

Operation VariablesInitializer(const std::vector<Variable>& variables) {
  const auto state = runtime::CurrentGraph("initializer");
  std::vector<int> nodes;
  for (const Variable& variable : variables) {
    nodes.push_back(runtime::Required(variable, "initializer").initializer);
  }
  return Operation(state, state->AddControlled("init", nodes));
}

Tensor IsVariableInitialized(const Variable& variable) {
  runtime::Required(variable, "is_variable_initialized");
  return ops::Emit1("VarIsInitializedOp", {variable.state().first()});
}

}  // namespace lockstep
