#include "runtime/body_tracer.h"

#include <algorithm>
#include <span>
#include <unordered_map>

#include "graph/bodies.h"
#include "graph/passes.h"
#include "lockstep/ops/indexed_slices.h"
#include "ops/builder.h"
#include "runtime/expandable.h"
#include "runtime/replay.h"

namespace lockstep::runtime {

namespace {

ops::TensorType TypeOfValue(const Tensor& handle) {
  return {handle.element_dtype(), handle.shape(), handle.element_dtype()};
}

// The same graph with other parameters: parameter i becomes parameter `place[i]` of `types`; where
// that is negative nobody uses it. Nodes in `moved` become the parameters named there.
std::shared_ptr<graph::Graph> WithParameters(const graph::Graph& graph,
                                             const std::vector<int>& place,
                                             const std::vector<ops::TensorType>& types,
                                             const std::map<int, int>& moved = {}) {
  auto result = std::make_shared<graph::Graph>();
  for (const auto& type : types) result->AddParameter(type);
  std::vector<int> copy_of(graph.num_nodes());
  for (const graph::Node& node : graph.nodes()) {
    if (node.spec->name == "Arg") {
      const int at = place[node.attributes.Get<int64_t>("index")];
      copy_of[node.id] = at < 0 ? -1 : result->parameters()[at].node;
      continue;
    }
    if (const auto at = moved.find(node.id); at != moved.end()) {
      copy_of[node.id] = result->parameters()[at->second].node;
      continue;
    }
    std::vector<graph::Endpoint> inputs;
    for (graph::Endpoint input : node.inputs) inputs.push_back({copy_of[input.node], input.index});
    graph::Node& copy =
        result->AddNode(*node.spec, std::move(inputs), node.attributes, node.outputs);
    for (int control : node.control_inputs)
      if (!moved.contains(control)) copy.control_inputs.push_back(copy_of[control]);
    copy.device = node.device;
    copy.site = node.site;
    copy_of[node.id] = copy.id;
  }
  for (graph::Endpoint r : graph.results()) result->results().push_back({copy_of[r.node], r.index});
  return result;
}

}  // namespace

bool Outside::operator==(const Outside& other) const {
  if (is_read != other.is_read) return false;
  return is_read ? tensor.object() == other.tensor.object() : tensor.id() == other.tensor.id();
}

void CollectWrites(const graph::Graph& graph, ResourceSet* writes) {
  for (const graph::Node& node : graph.nodes()) {
    std::vector<Tensor> inputs;
    for (graph::Endpoint input : node.inputs) {
      const Tensor* constant = graph.constant(input);
      inputs.push_back(constant != nullptr ? *constant : Tensor());
    }
    CollectWrites(*node.spec, node.attributes, inputs, writes);
  }
}

void CollectWrites(const ops::OpSpec& spec, const ops::Attributes& attributes,
                   const std::vector<Tensor>& inputs, ResourceSet* writes) {
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (ops::HasBit(spec.effects.writes, i) && inputs[i].defined()) {
      writes->insert(inputs[i].object().get());
    }
  }
  for (const graph::Graph* body : graph::BodiesOf(attributes)) CollectWrites(*body, writes);
}

class OpenBody::Tracer : public graph::Tracer {
 public:
  explicit Tracer(Reads reads) : reads_(reads) {}

  std::vector<Tensor> Emit(const ops::OpSpec& spec, const std::vector<Tensor>& inputs,
                           const ops::Attributes& attributes) override {
    if (spec.name == "ReadVariableOp" && !writes.contains(inputs[0].object().get())) {
      if (reads_ == Reads::kOutside) return {ReadOutside(inputs[0])};
      std::vector<Tensor> value = graph::Tracer::Emit(spec, inputs, attributes);
      inside[EndpointOf(value[0]).node] = inputs[0];
      return value;
    }
    CollectWrites(spec, attributes, inputs, &writes);
    return graph::Tracer::Emit(spec, inputs, attributes);
  }

  const Tensor* VariableReadAt(graph::Endpoint endpoint) const override {
    const auto place = outside.find(endpoint.node);
    return place == outside.end() ? nullptr : &place->second;
  }

  ResourceSet writes;
  std::unordered_map<int, Tensor> outside;  // by node of the parameter: the variable's handle
  std::map<int, Tensor> inside;             // by node that reads it

 private:
  Tensor ReadOutside(const Tensor& handle) {
    auto [place, fresh] = parameter_of_.try_emplace(handle.object().get());
    if (fresh) {
      place->second = graph()->AddParameter(TypeOfValue(handle));
      outside[place->second.node] = handle;
    }
    return TensorOf(place->second);
  }

  const Reads reads_;
  std::unordered_map<const TensorObject*, graph::Endpoint> parameter_of_;
};

OpenBody::OpenBody(const std::vector<ops::TensorType>& types, Reads reads)
    : tracer_(std::make_unique<Tracer>(reads)) {
  for (const auto& type : types) parameters_.push_back(tracer_->AddParameter(type));
}

OpenBody::~OpenBody() = default;

void OpenBody::Trace(const std::function<void()>& part) {
  const ops::RecordingPause pause;
  const ops::BuilderScope scope(tracer_.get());
  part();
}

Body OpenBody::Close(const std::function<std::vector<Tensor>()>& results) {
  Trace([&] {
    for (const Tensor& result : Strong(results(), "control flow"))
      tracer_->graph()->results().push_back(tracer_->EndpointOf(result));
  });
  Body body{tracer_->graph(), {}, std::move(tracer_->writes), std::move(tracer_->inside)};
  size_t captured = 0;
  const auto& all = body.graph->parameters();
  for (size_t i = parameters_.size(); i < all.size(); ++i) {
    const auto read = tracer_->outside.find(all[i].node);
    if (read != tracer_->outside.end()) {
      body.outside.push_back({read->second, true});
    } else {
      body.outside.push_back({tracer_->captures()[captured++], false});
    }
  }
  return body;
}

Body TraceBody(const BodyFunction& function, const std::vector<ops::TensorType>& types,
               Reads reads) {
  OpenBody body(types, reads);
  return body.Close([&] { return function(body.parameters()); });
}

void MoveReadsOut(Body* body, const ResourceSet& written) {
  std::vector<int> place;
  std::vector<ops::TensorType> types;
  for (graph::Endpoint parameter : body->graph->parameters()) {
    place.push_back(static_cast<int>(types.size()));
    types.push_back(body->graph->type(parameter));
  }
  std::map<int, int> moved;
  std::unordered_map<const TensorObject*, int> parameter_of;
  for (const auto& [node, handle] : body->reads) {
    const TensorObject* variable = handle.object().get();
    if (written.contains(variable)) continue;
    auto [at, fresh] = parameter_of.try_emplace(variable, static_cast<int>(types.size()));
    if (fresh) {
      types.push_back(TypeOfValue(handle));
      body->outside.push_back({handle, true});
    }
    moved[node] = at->second;
  }
  body->reads.clear();
  if (!moved.empty()) body->graph = WithParameters(*body->graph, place, types, moved);
}

void DropUnused(Body* body) {
  const graph::Graph pruned = graph::Prune(*body->graph);
  const int count = static_cast<int>(pruned.parameters().size());
  const int lead = count - static_cast<int>(body->outside.size());
  std::vector<char> used(pruned.num_nodes());
  for (graph::Endpoint result : pruned.results()) used[result.node] = 1;
  for (const graph::Node& node : pruned.nodes()) {
    for (graph::Endpoint input : node.inputs) used[input.node] = 1;
    for (int control : node.control_inputs) used[control] = 1;
  }
  std::vector<int> place(count, -1);
  std::vector<ops::TensorType> types;
  std::vector<Outside> outside;
  for (int i = 0; i < count; ++i) {
    if (i >= lead && !used[pruned.parameters()[i].node]) continue;
    place[i] = static_cast<int>(types.size());
    types.push_back(pruned.type(pruned.parameters()[i]));
    if (i >= lead) outside.push_back(body->outside[i - lead]);
  }
  body->graph = WithParameters(pruned, place, types);
  body->outside = std::move(outside);
}

void InsertUnused(Body* body, int lead, std::span<const ops::TensorType> more) {
  std::vector<int> place;
  std::vector<ops::TensorType> types;
  for (graph::Endpoint parameter : body->graph->parameters()) {
    if (static_cast<int>(place.size()) == lead) types.insert(types.end(), more.begin(), more.end());
    place.push_back(static_cast<int>(types.size()));
    types.push_back(body->graph->type(parameter));
  }
  if (static_cast<int>(place.size()) == lead) types.insert(types.end(), more.begin(), more.end());
  body->graph = WithParameters(*body->graph, place, types);
}

void NameVariablesRead(const std::vector<Body*>& bodies) {
  for (const Body* from : bodies) {
    for (const Tensor& handle : VariablesReadIn(*from->graph)) {
      const Outside named{handle, false};
      auto& outside = bodies[0]->outside;
      if (std::find(outside.begin(), outside.end(), named) != outside.end()) continue;
      bodies[0]->graph->AddParameter(ops::TensorType::Of(handle));
      outside.push_back(named);
    }
  }
}

std::vector<Outside> Unify(std::vector<Body*> bodies, int lead) {
  std::vector<Outside> all;
  std::vector<std::vector<int>> places;
  for (const Body* body : bodies) {
    std::vector<int> place(lead);
    for (int i = 0; i < lead; ++i) place[i] = i;
    for (const Outside& outside : body->outside) {
      const auto known = std::find(all.begin(), all.end(), outside);
      place.push_back(lead + static_cast<int>(known - all.begin()));
      if (known == all.end()) all.push_back(outside);
    }
    places.push_back(std::move(place));
  }
  std::vector<ops::TensorType> types;
  const graph::Graph& first = *bodies[0]->graph;
  for (int i = 0; i < lead; ++i) types.push_back(first.type(first.parameters()[i]));
  for (const Outside& outside : all) {
    ops::TensorType type = ops::TensorType::Of(outside.tensor);
    if (outside.is_read) type.dtype = type.element;
    types.push_back(type);
  }
  for (size_t i = 0; i < bodies.size(); ++i) {
    bodies[i]->graph = WithParameters(*bodies[i]->graph, places[i], types);
    bodies[i]->outside = all;
  }
  return all;
}

std::vector<Tensor> ValuesOf(const std::vector<Outside>& outside) {
  std::vector<Tensor> values;
  for (const Outside& one : outside) {
    values.push_back(one.is_read ? ops::Emit1("ReadVariableOp", {one.tensor}) : one.tensor);
  }
  return values;
}

std::vector<Tensor> Strong(std::vector<Tensor> tensors, const char* where) {
  for (Tensor& tensor : tensors) {
    if (const IndexedSlices* slices = IndexedSlices::Of(tensor)) tensor = slices->ToDense();
    std::vector<Tensor> one{tensor};
    ops::ResolveWeak(one, where);
    tensor = one[0];
  }
  return tensors;
}

Inliner::Inliner(const graph::Graph& graph, std::vector<Tensor> arguments)
    : graph_(graph), arguments_(std::move(arguments)), values_(graph.num_nodes()) {}

void Inliner::Emit(int id) {
  const graph::Node& node = graph_.node(id);
  if (node.spec->name == "Arg")
    return Give(id, {arguments_[node.attributes.Get<int64_t>("index")]});
  if (node.spec->name == "Const") return Give(id, {node.attributes.Get<Tensor>("value")});
  ops::Attributes attributes = node.attributes;
  if (ops::IsRecording()) {
    if (Expandable* program = ExpandableIn(attributes)) {
      return Give(id, program->Expand(InputsOf(id)));
    }
    // What is going to be differentiated keeps what its gradient needs.
    if (node.spec->name == "If" || node.spec->name == "While")
      KeepForGradient(node.spec->name, &attributes);
  }
  Give(id, ops::Emit(node.spec->name, InputsOf(id), std::move(attributes)));
}

std::vector<Tensor> Inliner::InputsOf(int node) const {
  std::vector<Tensor> inputs;
  for (graph::Endpoint input : graph_.node(node).inputs)
    inputs.push_back(values_[input.node][input.index]);
  return inputs;
}

void Inliner::Give(int node, std::vector<Tensor> outputs) { values_[node] = std::move(outputs); }

std::vector<Tensor> Inliner::Results(size_t count) const {
  std::vector<Tensor> results;
  for (graph::Endpoint result : std::span(graph_.results()).first(count))
    results.push_back(values_[result.node][result.index]);
  return results;
}

std::vector<Tensor> Inline(const graph::Graph& graph, const std::vector<Tensor>& arguments) {
  Inliner inliner(graph, arguments);
  for (int node = 0; node < graph.num_nodes(); ++node) inliner.Emit(node);
  return inliner.Results(graph.results().size());
}

}  // namespace lockstep::runtime
