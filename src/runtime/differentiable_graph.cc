#include <algorithm>

#include "graph/tracer.h"
#include "lockstep/ops/array.h"
#include "lockstep/ops/indexed_slices.h"
#include "ops/builder.h"
#include "ops/object_attribute.h"
#include "runtime/callable_graph.h"
#include "runtime/devices.h"
#include "runtime/graph_gradient.h"
#include "runtime/host_ops.h"

namespace lockstep::runtime {

DifferentiableGraph::DifferentiableGraph(const graph::Graph& graph,
                                         std::vector<graph::Endpoint> places,
                                         std::vector<int> sources, bool twice)
    : graph_(std::make_shared<graph::Graph>(graph)),
      places_(std::move(places)),
      sources_(std::move(sources)) {
  // What the gradient takes from inside becomes a result. Gradients of gradients flow into these
  // results, too, and take more, until nothing is added.
  while (true) {
    const Backward backward = Differentiate(std::vector<bool>(graph_->results().size(), true));
    for (graph::Endpoint e : backward.captured) {
      const auto is_there = [&](const std::vector<graph::Endpoint>& known) {
        return std::find(known.begin(), known.end(), e) != known.end();
      };
      if (!is_there(places_) && !is_there(graph_->results())) graph_->results().push_back(e);
    }
    if (backward.complete || !twice) break;
  }
  compiled_ = std::make_unique<Compiled>(*graph_);
}

std::vector<ops::TensorType> DifferentiableGraph::OutputTypes() const {
  std::vector<ops::TensorType> types;
  for (graph::Endpoint result : graph_->results()) types.push_back(graph_->type(result));
  return types;
}

std::vector<Tensor> DifferentiableGraph::Run(std::span<const Tensor> inputs) {
  std::vector<Tensor> outputs =
      compiled_->Run(inputs.first(graph_->parameters().size()), CurrentTeam());
  // Each output is a value of its own to who records, though it may be an input or another output.
  for (Tensor& output : outputs) output = output.WithShape(output.shape());
  return outputs;
}

DifferentiableGraph::Backward DifferentiableGraph::Differentiate(const std::vector<bool>& given) {
  graph::Tracer forward(graph_), backward;
  std::vector<Tensor> targets, weights, sources;
  for (size_t i = 0; i < given.size(); ++i) {
    const graph::Endpoint result = graph_->results()[i];
    if (!given[i] || !IsFloating(graph_->type(result).dtype)) continue;
    targets.push_back(forward.TensorOf(result));
    weights.push_back(backward.AddParameter(graph_->type(result)));
  }
  for (int source : sources_) {
    const Tensor* outside = graph_->constant(places_[source]);
    sources.push_back(outside != nullptr ? *outside : forward.TensorOf(places_[source]));
  }
  Backward result;
  {
    const ops::RecordingPause pause;
    const ops::BuilderScope scope(&backward);
    graph::Tracer* const tracers[] = {&forward, &backward};
    const std::vector<Tensor> gradients = GraphGradient(tracers, targets, sources, weights);
    const auto give = [&](const Tensor& value) {
      backward.graph()->results().push_back(backward.EndpointOf(value));
    };
    for (size_t i = 0; i < sources.size(); ++i) {
      if (!gradients[i].defined()) continue;
      const IndexedSlices* slices = IndexedSlices::Of(gradients[i]);
      result.flows.push_back({sources_[i], slices != nullptr, gradients[i].shape()});
      give(slices != nullptr ? slices->values : gradients[i]);
      if (slices != nullptr) give(slices->indices);
    }
  }
  for (const Tensor& captured : backward.captures()) {
    const graph::Endpoint e =
        dynamic_cast<const graph::SymbolicValue&>(*captured.object()).endpoint();
    const auto find = [&](const std::vector<graph::Endpoint>& known) {
      const auto place = std::find(known.begin(), known.end(), e);
      return place == known.end() ? -1 : static_cast<int>(place - known.begin());
    };
    const int input = find(places_);
    result.taken.push_back({input >= 0, input >= 0 ? input : find(graph_->results())});
    result.complete &= result.taken.back().index >= 0;
    result.captured.push_back(e);
  }
  if (result.complete && !result.flows.empty()) {
    result.graph = std::make_unique<CallableGraph>(*backward.graph());
  }
  return result;
}

const DifferentiableGraph::Backward& DifferentiableGraph::BackwardFor(
    const std::vector<bool>& given) {
  std::lock_guard lock(mutex_);
  const auto known = backward_.find(given);
  if (known != backward_.end()) return known->second;
  return backward_.emplace(given, Differentiate(given)).first->second;
}

std::vector<Tensor> DifferentiableGraph::Gradient(std::span<const Tensor> inputs,
                                                  std::span<const Tensor> outputs,
                                                  std::span<const Tensor> output_gradients) {
  std::vector<bool> given;
  for (const Tensor& gradient : output_gradients) given.push_back(gradient.defined());
  const Backward* backward = &BackwardFor(given);
  std::vector<Tensor> upstream(output_gradients.begin(), output_gradients.end());
  if (!backward->complete) {
    // An op wants a value in place of a gradient that is missing.
    for (size_t i = 0; i < upstream.size(); ++i) {
      given[i] = IsFloating(outputs[i].dtype());
      if (given[i] && !upstream[i].defined()) upstream[i] = ops::Emit1("ZerosLike", {outputs[i]});
    }
    backward = &BackwardFor(given);
  }
  std::vector<Tensor> gradients(inputs.size());
  if (backward->graph == nullptr) return gradients;
  std::vector<Tensor> arguments;
  for (size_t i = 0; i < upstream.size(); ++i) {
    if (!given[i] || !IsFloating(outputs[i].dtype())) continue;
    const IndexedSlices* slices = IndexedSlices::Of(upstream[i]);
    arguments.push_back(slices != nullptr ? slices->ToDense() : upstream[i]);
  }
  for (const Taken& taken : backward->taken) {
    arguments.push_back(taken.is_input ? inputs[taken.index] : outputs[taken.index]);
  }
  const std::vector<Tensor> results = backward->graph->Call(arguments);
  auto next = results.begin();
  for (const Backward::Flow& flow : backward->flows) {
    gradients[flow.input] = *next++;
    if (!flow.slices) continue;
    const Tensor indices = *next++;
    gradients[flow.input] =
        IndexedSlices{gradients[flow.input], indices, flow.dense_shape}.ToTensor();
  }
  return gradients;
}

namespace {

DifferentiableGraph& GraphOf(const ops::Attributes& attributes) {
  return ops::ObjectAttribute<DifferentiableGraph>(attributes, "call");
}

std::vector<ops::TensorType> InferCall(const ops::InferenceContext& context) {
  return GraphOf(context.attributes).OutputTypes();
}

std::vector<Tensor> DifferentiateCall(const ops::GradientContext& context) {
  return GraphOf(context.attributes)
      .Gradient(context.inputs, context.outputs, context.output_gradients);
}

std::vector<Tensor> RunOnHost(const ops::OpSpec&, const ops::Attributes& attributes,
                              const std::vector<Tensor>& inputs) {
  return GraphOf(attributes).Run(inputs);
}

const ops::RegisterOp kFunctionCall({.name = "FunctionCall",
                                     .infer = InferCall,
                                     .gradient = DifferentiateCall,
                                     .effects = {.external = true}});
const RegisterHostOp kFunctionCallHost("FunctionCall", {RunOnHost});

}  // namespace
}  // namespace lockstep::runtime
