#include "graph/tracer.h"

#include "graph/device_scope.h"

namespace lockstep::graph {

Tracer::Tracer() : graph_(std::make_shared<Graph>()) {}

Tensor Tracer::TensorOf(Endpoint endpoint) {
  if (tensors_.size() <= static_cast<size_t>(endpoint.node)) tensors_.resize(graph_->num_nodes());
  std::vector<Tensor>& outputs = tensors_[endpoint.node];
  if (outputs.size() <= static_cast<size_t>(endpoint.index)) outputs.resize(endpoint.index + 1);
  Tensor& tensor = outputs[endpoint.index];
  if (!tensor.defined()) {
    const ops::TensorType& type = graph_->type(endpoint);
    tensor = Tensor::FromObject(std::make_shared<SymbolicValue>(graph_, endpoint), type.dtype,
                                type.shape, type.element);
  }
  return tensor;
}

OutOfScopeError::OutOfScopeError(std::string_view where, const Tensor& tensor)
    : Error(Code::kFailedPrecondition,
            "[" + std::string(where) +
                "] a symbolic tensor must stay in the function that is traced; got " +
                std::string(DTypeName(tensor.dtype())) + tensor.shape().ToString() +
                ", which is out of scope; return it from the function") {}

void Tracer::RequireNoCaptures(std::string_view where) const {
  if (!captures_.empty()) throw OutOfScopeError(where, captures_.front());
}

Tensor Tracer::AddParameter(const ops::TensorType& type) {
  return TensorOf(graph_->AddParameter(type));
}

Endpoint Tracer::EndpointOf(const Tensor& value) {
  if (const auto* symbol = dynamic_cast<const SymbolicValue*>(value.object().get())) {
    const auto graph = symbol->graph();
    if (graph == graph_) return symbol->endpoint();
    if (graph == nullptr) throw OutOfScopeError("function", value);
    auto [place, fresh] = captured_.try_emplace(value.id());
    if (fresh) {
      place->second = graph_->AddParameter(ops::TensorType::Of(value));
      captures_.push_back(value);
      captured_at_.emplace(place->second.node, value);
    }
    return place->second;
  }
  if (value.object() != nullptr) {
    auto [place, fresh] = resources_.try_emplace(value.object().get());
    if (fresh) place->second = graph_->AddConstant(value);
    return place->second;
  }
  auto [place, fresh] = constants_.try_emplace(value.id());
  if (fresh) {
    place->second = graph_->AddConstant(value);
    kept_.push_back(value);
  }
  return place->second;
}

const Tensor* Tracer::CapturedAt(Endpoint endpoint) const {
  const auto place = captured_at_.find(endpoint.node);
  return place == captured_at_.end() ? nullptr : &place->second;
}

void Tracer::Place(Node& node) const {
  node.device = DeviceFor(node);
  node.site = ops::CurrentSite();
}

std::vector<Tensor> Tracer::Emit(const ops::OpSpec& spec, const std::vector<Tensor>& inputs,
                                 const ops::Attributes& attributes) {
  std::vector<Endpoint> endpoints;
  std::vector<ops::TensorType> types;
  for (const Tensor& input : inputs) {
    endpoints.push_back(EndpointOf(input));
    types.push_back(graph_->type(endpoints.back()));
  }
  auto outputs = InferTypes(spec, attributes, types);
  Node& node = graph_->AddNode(spec, std::move(endpoints), attributes, std::move(outputs));
  for (const auto& control : controls_) {
    node.control_inputs.insert(node.control_inputs.end(), control.begin(), control.end());
  }
  Place(node);
  std::vector<Tensor> results;
  const int id = node.id;
  const int count = static_cast<int>(node.outputs.size());
  for (int i = 0; i < count; ++i) results.push_back(TensorOf({id, i}));
  return results;
}

}  // namespace lockstep::graph
