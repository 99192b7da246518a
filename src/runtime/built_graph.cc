// The surface of graphs that are built first and run later.

#include <set>
#include <utility>

#include "lockstep/runtime/graph.h"
#include "ops/builder.h"
#include "runtime/graph_builder.h"
#include "runtime/graph_dot.h"

namespace lockstep {

namespace {

runtime::GraphState& Current(const char* where) {
  runtime::GraphState* state = runtime::GraphState::Current();
  if (state == nullptr) {
    throw Error(Code::kFailedPrecondition, std::string("[") + where +
                                               "] a graph must be the default; got none; write "
                                               "auto scope = graph.AsDefault() before it");
  }
  return *state;
}

const graph::Node& NodeOf(const Operation& operation) {
  if (!operation.defined()) {
    throw Error(Code::kInvalidArgument, "[graph] an op is needed; got none");
  }
  return operation.state()->graph().node(operation.id());
}

}  // namespace

Operation::Operation(const Tensor& tensor)
    : graph_(runtime::GraphState::Of(tensor, "operation")), id_(graph_->EndpointOf(tensor).node) {}

const std::string& Operation::name() const { return NodeOf(*this).name; }
const std::string& Operation::type() const { return NodeOf(*this).spec->name; }
const std::string& Operation::device() const { return NodeOf(*this).device; }
Graph Operation::graph() const { return Graph(graph_); }

std::vector<Tensor> Operation::outputs() const {
  std::vector<Tensor> tensors;
  const int count = static_cast<int>(NodeOf(*this).outputs.size());
  for (int i = 0; i < count; ++i) tensors.push_back(graph_->tracer->TensorOf({id_, i}));
  return tensors;
}

std::vector<Tensor> Operation::inputs() const {
  std::vector<Tensor> tensors;
  for (graph::Endpoint e : NodeOf(*this).inputs) tensors.push_back(graph_->tracer->TensorOf(e));
  return tensors;
}

std::vector<Operation> Operation::control_inputs() const {
  std::vector<Operation> operations;
  for (int control : NodeOf(*this).control_inputs) operations.emplace_back(graph_, control);
  return operations;
}

Graph::Graph() : state_(runtime::GraphState::Make()) {}

struct Graph::Scope::Scopes {
  explicit Scopes(std::shared_ptr<runtime::GraphState> state)
      : keep(state), builder(state->tracer.get()), creator(state), creating(&creator) {}
  std::shared_ptr<runtime::GraphState> keep;
  ops::BuilderScope builder;
  runtime::GraphVariableCreator creator;
  runtime::VariableCreatorScope creating;
};

Graph::Scope::Scope(const Graph& graph) : scopes_(std::make_unique<Scopes>(graph.state_)) {}
Graph::Scope::~Scope() = default;

Graph Graph::Default() { return Graph(Current("graph").shared_from_this()); }
bool Graph::HasDefault() { return runtime::GraphState::Current() != nullptr; }

std::vector<Operation> Graph::operations() const {
  const std::lock_guard lock(state_->mutex);
  std::vector<Operation> operations;
  for (int id = 0; id < state_->graph().num_nodes(); ++id) operations.emplace_back(state_, id);
  return operations;
}

Operation Graph::OperationByName(const std::string& name) const {
  const std::lock_guard lock(state_->mutex);
  const auto place = state_->by_name.find(name);
  if (place == state_->by_name.end()) {
    throw Error(Code::kNotFound, "[graph] a name must be that of an op; got '" + name +
                                     "', which is none of the graph's " +
                                     std::to_string(state_->graph().num_nodes()) + " ops");
  }
  return Operation(state_, place->second);
}

Tensor Graph::TensorByName(const std::string& name) const {
  const size_t colon = name.find(':');
  const std::string number = colon == std::string::npos ? "" : name.substr(colon + 1);
  if (number.empty() || number.size() > 6 ||
      number.find_first_not_of("0123456789") != std::string::npos) {
    throw Error(Code::kInvalidArgument,
                "[graph] a tensor's name is that of its op and its place, as \"x:0\"; got \"" +
                    name + "\"" + (colon == std::string::npos ? "; write \"" + name + ":0\"" : ""));
  }
  const Operation operation = OperationByName(name.substr(0, colon));
  const std::vector<Tensor> outputs = operation.outputs();
  const size_t index = std::stoul(number);
  if (index >= outputs.size()) {
    throw Error(Code::kNotFound, "[graph] a tensor's place must be one of its op's outputs; got " +
                                     number + " of '" + operation.name() + "', which has " +
                                     std::to_string(outputs.size()));
  }
  return outputs[index];
}

std::vector<Variable> Graph::variables() const {
  const std::lock_guard lock(state_->mutex);
  return state_->variables;
}

std::vector<Variable> Graph::trainable_variables() const {
  std::vector<Variable> result;
  for (const Variable& variable : variables()) {
    if (variable.trainable()) result.push_back(variable);
  }
  return result;
}

Operation Graph::GlobalVariablesInitializer() const {
  std::vector<int> nodes;
  for (const Variable& variable : variables()) nodes.push_back(InitializerOf(variable).id());
  const std::lock_guard lock(state_->mutex);
  return Operation(state_, state_->AddControlled("init", nodes));
}

Operation Graph::Group(const std::vector<Fetch>& elements, const std::string& name) const {
  const std::lock_guard lock(state_->mutex);
  std::vector<int> nodes;
  for (const Fetch& element : elements) nodes.push_back(state_->NodeOf(element));
  return Operation(state_, state_->AddControlled(name, nodes, true));
}

Operation Graph::GroupEffects(const std::function<void()>& body, const std::string& name) const {
  const std::lock_guard lock(state_->mutex);
  const int before = state_->graph().num_nodes();
  {
    const Scope scope(*this);
    body();
  }
  // The first values of variables that the body makes, such as slots, are no effects of it.
  std::set<int> initializers;
  for (const Variable& variable : state_->variables)
    initializers.insert(runtime::AsGraphVariable(variable.state().first())->initializer);
  std::vector<int> effects;
  for (int id = before; id < state_->graph().num_nodes(); ++id) {
    const ops::Effects& own = state_->graph().node(id).spec->effects;
    if ((own.writes != 0 || own.external) && !initializers.contains(id)) effects.push_back(id);
  }
  return Operation(state_, state_->AddControlled(name, effects));
}

void Graph::Finalize() const { state_->finalized = true; }
void Graph::Reopen() const { state_->finalized = false; }
bool Graph::finalized() const { return state_->finalized; }

std::optional<int64_t> Graph::seed() const {
  const std::lock_guard lock(state_->mutex);
  return state_->seeds.global_seed();
}
void Graph::SetSeed(std::optional<int64_t> seed) const {
  const std::lock_guard lock(state_->mutex);
  state_->seeds.set_global_seed(seed);
}

std::string Graph::ToDot() const {
  const std::lock_guard lock(state_->mutex);
  return runtime::GraphToDot(state_->graph(), "graph");
}

Tensor Placeholder(DType dtype, const Shape& shape, const std::string& name) {
  Current("placeholder");
  const Tensor value = ops::Emit1("Placeholder", {}, {{"dtype", dtype}, {"shape", shape.vector()}});
  return name == "Placeholder" ? value : Named(value, name);
}

Tensor PlaceholderWithDefault(const Tensor& input, const Shape& shape, const std::string& name) {
  Current("placeholder");
  std::vector<Tensor> strong{input};
  ops::ResolveWeak(strong, "PlaceholderWithDefault");
  const Tensor value =
      ops::Emit1("PlaceholderWithDefault", std::move(strong), {{"shape", shape.vector()}});
  return name == "PlaceholderWithDefault" ? value : Named(value, name);
}

Tensor NamedConstant(const Tensor& value, const std::string& name) {
  return Current("constant").tracer->AddNamedConstant(value, name);
}

Tensor Named(const Tensor& tensor, const std::string& name) {
  const auto state = runtime::GraphState::Of(tensor, "name");
  const std::lock_guard lock(state->mutex);
  graph::Node& node = state->built->node(state->EndpointOf(tensor).node);
  if (node.name == state->FullName(name)) return tensor;
  const std::string before = node.name + "/";
  int first = node.id;  // of the constants that were made for it
  while (first > 0 && state->built->node(first - 1).name.starts_with(before)) --first;
  state->NameInScope(node, name);
  state->NameConstants(node, first);
  return tensor;
}

std::string NameOf(const Tensor& tensor) {
  const auto state = runtime::GraphState::Of(tensor, "name");
  const graph::Endpoint e = state->EndpointOf(tensor);
  return state->graph().node(e.node).name + ":" + std::to_string(e.index);
}

NameScope::NameScope(const std::string& name)
    : graph_(Current("name_scope").shared_from_this()), outer_(graph_->prefix) {
  if (name.empty()) {
    graph_->prefix.clear();
  } else if (name.back() == '/') {
    graph_->prefix = name;  // an existing scope, entered again
  } else {
    graph_->prefix = graph_->UniqueName(graph_->prefix + name) + "/";
  }
}
NameScope::~NameScope() { graph_->prefix = outer_; }
const std::string& NameScope::prefix() const { return graph_->prefix; }

ColocateWith::ColocateWith(const Operation& operation)
    : graph_(Current("colocate_with").shared_from_this()) {
  const graph::Node* node = &NodeOf(operation);
  // What touches a variable is where the variable is.
  for (graph::Endpoint input : node->inputs) {
    if (graph_->graph().type(input).dtype != DType::kResource) continue;
    node = &graph_->graph().node(input.node);
    break;
  }
  graph_->colocations.push_back({node->name, node->device});
}
ColocateWith::~ColocateWith() { graph_->colocations.pop_back(); }

}  // namespace lockstep
