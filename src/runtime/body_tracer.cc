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

class BodyTracer : public graph::Tracer {
 public:
  explicit BodyTracer(const ResourceSet& keep_inside) : keep_inside_(keep_inside) {}

  std::vector<Tensor> Emit(const ops::OpSpec& spec, const std::vector<Tensor>& inputs,
                           const ops::Attributes& attributes) override {
    if (spec.name == "ReadVariableOp") {
      const TensorObject* variable = inputs[0].object().get();
      if (!writes.contains(variable) && !keep_inside_.contains(variable)) {
        return {ReadOutside(inputs[0])};
      }
    }
    CollectWrites(spec, attributes, inputs, &writes);
    return Tracer::Emit(spec, inputs, attributes);
  }

  const Tensor* VariableReadAt(graph::Endpoint endpoint) const override {
    const auto place = reads.find(endpoint.node);
    return place == reads.end() ? nullptr : &place->second;
  }

  ResourceSet writes;
  std::unordered_map<int, Tensor> reads;  // by node of the parameter: the variable's handle

 private:
  Tensor ReadOutside(const Tensor& handle) {
    auto [place, fresh] = parameter_of_.try_emplace(handle.object().get());
    if (fresh) {
      const ops::TensorType type{handle.element_dtype(), handle.shape(), handle.element_dtype()};
      place->second = graph()->AddParameter(type);
      reads[place->second.node] = handle;
    }
    return TensorOf(place->second);
  }

  const ResourceSet& keep_inside_;
  std::unordered_map<const TensorObject*, graph::Endpoint> parameter_of_;
};

// The same graph with other parameters: parameter i becomes parameter `place[i]` of `types`; where
// that is negative nobody uses it.
std::shared_ptr<graph::Graph> WithParameters(const graph::Graph& graph,
                                             const std::vector<int>& place,
                                             const std::vector<ops::TensorType>& types) {
  auto result = std::make_shared<graph::Graph>();
  for (const auto& type : types) result->AddParameter(type);
  std::vector<int> copy_of(graph.num_nodes());
  for (const graph::Node& node : graph.nodes()) {
    if (node.spec->name == "Arg") {
      const int at = place[node.attributes.Get<int64_t>("index")];
      copy_of[node.id] = at < 0 ? -1 : result->parameters()[at].node;
      continue;
    }
    std::vector<graph::Endpoint> inputs;
    for (graph::Endpoint input : node.inputs) inputs.push_back({copy_of[input.node], input.index});
    graph::Node& copy =
        result->AddNode(*node.spec, std::move(inputs), node.attributes, node.outputs);
    for (int control : node.control_inputs) copy.control_inputs.push_back(copy_of[control]);
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

Body TraceBody(const BodyFunction& function, const std::vector<ops::TensorType>& types,
               const ResourceSet& keep_inside) {
  BodyTracer tracer(keep_inside);
  std::vector<Tensor> parameters;
  for (const auto& type : types) parameters.push_back(tracer.AddParameter(type));
  {
    ops::RecordingPause pause;
    ops::BuilderScope scope(&tracer);
    for (Tensor result : function(parameters)) {
      if (const IndexedSlices* slices = IndexedSlices::Of(result)) result = slices->ToDense();
      if (result.is_weak()) {
        std::vector<Tensor> one{result};
        ops::ResolveWeak(one, "control flow");
        result = one[0];
      }
      tracer.graph()->results().push_back(tracer.EndpointOf(result));
    }
  }
  Body body{tracer.graph(), {}, std::move(tracer.writes)};
  size_t captured = 0;
  const auto& all = body.graph->parameters();
  for (size_t i = types.size(); i < all.size(); ++i) {
    const auto read = tracer.reads.find(all[i].node);
    if (read != tracer.reads.end()) {
      body.outside.push_back({read->second, true});
    } else {
      body.outside.push_back({tracer.captures()[captured++], false});
    }
  }
  return body;
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
