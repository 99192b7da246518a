#include "runtime/graph_builder.h"

#include <algorithm>
#include <optional>
#include <string_view>

#include "ops/builder.h"
#include "ops/op.h"

namespace lockstep::runtime {

namespace {

std::vector<ops::TensorType> InferPlaceholder(const ops::InferenceContext& context) {
  const DType dtype = context.attributes.Get<DType>("dtype");
  return {{dtype, Shape(context.attributes.Get<std::vector<int64_t>>("shape")), dtype}};
}
const ops::RegisterOp kPlaceholder({.name = "Placeholder", .infer = InferPlaceholder});

std::vector<ops::TensorType> InferPlaceholderWithDefault(const ops::InferenceContext& context) {
  const Shape shape(context.attributes.Get<std::vector<int64_t>>("shape"));
  const ops::TensorType& input = context.inputs[0];
  // What is built as a scalar and has its axes in a run alone.
  const bool open = context.attributes.GetOr<bool>("any_rank", false) && input.shape.rank() == 0;
  if (!open && !input.shape.CompatibleWith(shape)) {
    throw Error(Code::kInvalidArgument,
                "[PlaceholderWithDefault] the default must fit the shape; got " + input.ToString() +
                    " for " + shape.ToString());
  }
  return {{input.dtype, shape, input.element}};
}
const ops::RegisterOp kPlaceholderWithDefault({.name = "PlaceholderWithDefault",
                                               .infer = InferPlaceholderWithDefault,
                                               .gradient = [](const ops::GradientContext& context) {
                                                 return std::vector<Tensor>{
                                                     context.output_gradients[0]};
                                               }});

}  // namespace

const GraphVariable* AsGraphVariable(const Tensor& handle) {
  return dynamic_cast<const GraphVariable*>(handle.object().get());
}

namespace {

const GraphResource* AsGraphResource(const Tensor& handle) {
  return dynamic_cast<const GraphResource*>(handle.object().get());
}

}  // namespace

namespace {

// What an op is called, as TensorFlow calls what its functions make.
std::string_view DefaultName(std::string_view op) {
  static const std::unordered_map<std::string_view, std::string_view> kNames = {
      {"AddV2", "Add"},
      {"BatchMatMul", "MatMul"},
      {"ConcatV2", "concat"},
      {"If", "cond"},
      {"OneHot", "one_hot"},
      {"OnesLike", "ones_like"},
      {"PadV2", "Pad"},
      {"RealDiv", "truediv"},
      {"Split", "split"},
      {"SplitV", "split"},
      {"StatelessRandomNormal", "random_normal"},
      {"StatelessRandomUniform", "random_uniform"},
      {"StatelessTruncatedNormal", "truncated_normal"},
      {"StridedSlice", "strided_slice"},
      {"Transpose", "transpose"},
      {"While", "while"},
      {"ZerosLike", "zeros_like"}};
  const auto known = kNames.find(op);
  return known == kNames.end() ? op : known->second;
}

// TensorFlow takes "add" and "Add" for one name.
std::string LowerCase(std::string name) {
  for (char& c : name) c = static_cast<char>(c >= 'A' && c <= 'Z' ? c - 'A' + 'a' : c);
  return name;
}

}  // namespace

GraphTracer::GraphTracer(GraphState& state, std::shared_ptr<BuiltGraph> graph)
    : Tracer(std::move(graph)), state_(state) {}

std::vector<Tensor> GraphTracer::Emit(const ops::OpSpec& spec, const std::vector<Tensor>& inputs,
                                      const ops::Attributes& attributes) {
  const std::lock_guard lock(state_.mutex);
  state_.RequireOpen(spec.name);
  for (const Tensor& input : inputs) {
    const auto* symbol = dynamic_cast<const graph::SymbolicValue*>(input.object().get());
    if (symbol == nullptr || symbol->graph() == graph()) continue;
    throw Error(Code::kInvalidArgument,
                "[graph] an op takes tensors of its own graph; got one of another graph or "
                "function for " +
                    spec.name + "; fetch it there, and feed it here");
  }
  const int before = graph()->num_nodes();
  std::vector<Tensor> results;
  try {
    results = Tracer::Emit(spec, inputs, attributes);
  } catch (const Error& error) {
    throw Error(error.code(),
                error.status().message() + " (op '" + state_.prefix + spec.name + "')");
  }
  // The op is the last node; before it come new constants that it takes.
  for (int id = graph()->num_nodes() - 1; id >= before; --id) {
    graph::Node& node = graph()->node(id);
    const Tensor* constant = graph()->constant({id, 0});
    const GraphResource* resource = constant == nullptr ? nullptr : AsGraphResource(*constant);
    if (resource != nullptr) {
      node.name = resource->name;
      node.device = resource->device;
      state_.by_name[node.name] = id;
    } else if (constant == nullptr) {
      state_.NameNode(node, state_.prefix + std::string(DefaultName(node.spec->name)));
      state_.NameConstants(node, before);
    }
    // What touches a variable is where the variable is, whatever scopes say.
    const GraphResource* touched = nullptr;
    for (graph::Endpoint input : node.inputs) {
      const Tensor* handle = graph()->constant(input);
      if (touched == nullptr && handle != nullptr) touched = AsGraphResource(*handle);
    }
    if (touched != nullptr) {
      node.device = touched->device;
    } else if (!state_.colocations.empty() && resource == nullptr) {
      node.attributes.Set("_class", "loc:@" + state_.colocations.back().name);
      node.device = state_.colocations.back().device;
    }
  }
  return results;
}

GraphState::GraphState() : built(std::make_shared<BuiltGraph>()) {
  tracer = std::make_unique<GraphTracer>(*this, built);
}

std::shared_ptr<GraphState> GraphState::Make() {
  auto state = std::make_shared<GraphState>();
  state->built->owner = state;
  return state;
}

GraphState* GraphState::Current() {
  const auto builders = ops::BuilderStack();
  for (auto builder = builders.rbegin(); builder != builders.rend(); ++builder) {
    if (auto* tracer = dynamic_cast<GraphTracer*>(*builder)) return &tracer->state();
  }
  return nullptr;
}

std::shared_ptr<GraphState> GraphState::Of(const Tensor& tensor, const char* where) {
  bool is_gone = false;
  if (tensor.defined()) {
    if (const auto* symbol = dynamic_cast<const graph::SymbolicValue*>(tensor.object().get())) {
      const auto graph = symbol->graph();
      const auto* built = dynamic_cast<const BuiltGraph*>(graph.get());
      if (built != nullptr) return built->owner.lock();
      is_gone = graph == nullptr;
    }
  }
  throw Error(Code::kInvalidArgument,
              std::string("[") + where + "] a tensor of a graph is needed; got " +
                  (!tensor.defined() ? "none"
                   : is_gone ? "one whose graph is no more; keep the Graph as long as its tensors"
                   : tensor.is_symbolic() ? "one of a function or body that is being traced"
                                          : "a value: " + std::string(DTypeName(tensor.dtype())) +
                                                tensor.shape().ToString()));
}

graph::Endpoint GraphState::EndpointOf(const Tensor& tensor) const {
  const auto* symbol = dynamic_cast<const graph::SymbolicValue*>(tensor.object().get());
  return symbol->endpoint();
}

Tensor GraphTracer::AddNamedConstant(const Tensor& value, const std::string& name) {
  const std::lock_guard lock(state_.mutex);
  state_.RequireOpen("Const");
  const graph::Endpoint made = graph()->AddConstant(value);
  graph::Node& node = graph()->node(made.node);
  Place(node);
  state_.NameInScope(node, name);
  return TensorOf(made);
}

FinalizedGraphError::FinalizedGraphError(const std::string& op)
    : Error(Code::kFailedPrecondition, "[graph] a finalized graph takes no more ops; got " + op +
                                           "; add it before Finalize, or build another graph") {}

void GraphState::RequireOpen(const std::string& op) const {
  if (finalized) throw FinalizedGraphError(op);
}

std::string GraphState::UniqueName(const std::string& base) {
  const std::string key = LowerCase(base);
  auto [place, fresh] = used_names.try_emplace(key, 0);
  if (fresh) return base;
  while (true) {
    const std::string end = "_" + std::to_string(++used_names[key]);
    if (used_names.try_emplace(key + end, 0).second) return base + end;
  }
}

void GraphState::NameConstants(const graph::Node& node, int first) {
  const std::vector<graph::Endpoint> inputs = node.inputs;
  for (size_t i = 0; i < inputs.size(); ++i) {
    const Tensor* constant = built->constant(inputs[i]);
    if (inputs[i].node < first || constant == nullptr || constant->object() != nullptr) continue;
    const char* own = inputs.size() != 2 ? "/Const" : i == 0 ? "/x" : "/y";
    NameNode(built->node(inputs[i].node), node.name + own);
  }
}

void GraphState::ForgetName(const std::string& key) {
  const auto used = used_names.find(key);
  if (used == used_names.end() || used->second != 0) return;
  used_names.erase(used);
  const size_t end = key.rfind('_');
  if (end == std::string::npos) return;
  const auto base = used_names.find(key.substr(0, end));
  if (base != used_names.end() && key.substr(end + 1) == std::to_string(base->second))
    --base->second;
}

void GraphState::DropName(const graph::Node& node) {
  const auto known = by_name.find(node.name);
  if (known == by_name.end() || known->second != node.id) return;
  by_name.erase(known);
  ForgetName(LowerCase(node.name));
}

void GraphState::NameNode(graph::Node& node, const std::string& base) {
  DropName(node);
  node.name = UniqueName(base);
  by_name[node.name] = node.id;
}

std::string GraphState::FullName(const std::string& name) const {
  return name.ends_with('/') ? name.substr(0, name.size() - 1) : prefix + name;
}

void GraphState::NameInScope(graph::Node& node, const std::string& name) {
  const std::string full = FullName(name);
  if (!name.ends_with('/') || by_name.contains(full)) return NameNode(node, full);
  DropName(node);
  used_names.try_emplace(LowerCase(full), 0);
  node.name = full;
  by_name[full] = node.id;
}

int GraphState::AddControlled(const std::string& name, const std::vector<int>& controls,
                              bool in_scope) {
  const ops::BuilderScope scope(tracer.get());
  std::optional<ControlDependencies> none;
  if (!in_scope) none.emplace(nullptr);
  tracer->PushControl(controls);
  const Tensor done = ops::Emit1("Group", {});
  tracer->PopControl();
  graph::Node& node = built->node(EndpointOf(done).node);
  NameInScope(node, name);
  return node.id;
}

int GraphState::NodeOf(const Fetch& element) {
  if (element.operation().defined()) {
    if (element.operation().state().get() != this) {
      throw Error(Code::kInvalidArgument, "[graph] an op of this graph is needed; got '" +
                                              element.operation().name() + "' of another one");
    }
    return element.operation().id();
  }
  if (!element.name().empty()) {
    const std::string& name = element.name();
    const lockstep::Graph graph(shared_from_this());
    return name.find(':') == std::string::npos ? graph.OperationByName(name).id()
                                               : EndpointOf(graph.TensorByName(name)).node;
  }
  if (Of(element.tensor(), "graph").get() != this) {
    throw Error(Code::kInvalidArgument, "[graph] a tensor of this graph is needed; got '" +
                                            NameOf(element.tensor()) + "' of another one");
  }
  return EndpointOf(element.tensor()).node;
}

int ControlNode(graph::Tracer& tracer, const Operation& operation) {
  if (operation.defined() && tracer.graph() == operation.state()->built) return operation.id();
  if (!operation.defined()) {
    throw Error(Code::kInvalidArgument, "[control_dependencies] an op is needed; got none");
  }
  // A body waits for what its node is given.
  GraphState& state = *operation.state();
  const int done = state.AddControlled(operation.name() + "/done", {operation.id()});
  return tracer.EndpointOf(state.tracer->TensorOf({done, 0})).node;
}

std::vector<Tensor> CallInOrder(GraphTracer& tracer,
                                const std::function<std::vector<Tensor>()>& body) {
  const int before = tracer.graph()->num_nodes();
  std::vector<Tensor> results = body();
  std::vector<int> effects;
  for (int id = before; id < tracer.graph()->num_nodes(); ++id) {
    const ops::Effects& own = tracer.graph()->node(id).spec->effects;
    if (own.writes != 0 || own.external) effects.push_back(id);
  }
  if (effects.empty()) return results;
  tracer.PushControl(effects);
  for (Tensor& result : results) result = ops::Emit1("Identity", {result});
  tracer.PopControl();
  return results;
}

}  // namespace lockstep::runtime
