#include "graph/graph.h"

#include <algorithm>

#include "base/check.h"
#include "ops/signature.h"

namespace lockstep::graph {

Node& Graph::AddNode(const ops::OpSpec& spec, std::vector<Endpoint> inputs,
                     ops::Attributes attributes, std::vector<ops::TensorType> outputs) {
  Node node;
  node.id = num_nodes();
  node.spec = &spec;
  node.attributes = std::move(attributes);
  node.inputs = std::move(inputs);
  node.outputs = std::move(outputs);
  node.name = spec.name + "_" + std::to_string(node.id);
  nodes_.push_back(std::move(node));
  return nodes_.back();
}

Node& Graph::AddNode(std::string_view op, std::vector<Endpoint> inputs,
                     ops::Attributes attributes) {
  const ops::OpSpec& spec = ops::OpRegistry::Global().Find(op);
  std::vector<ops::TensorType> types;
  for (Endpoint input : inputs) types.push_back(type(input));
  auto outputs = InferTypes(spec, attributes, types);
  return AddNode(spec, std::move(inputs), std::move(attributes), std::move(outputs));
}

Endpoint Graph::AddParameter(const ops::TensorType& type) {
  ops::Attributes attributes{{"index", static_cast<int64_t>(parameters_.size())}};
  const Node& node =
      AddNode(ops::OpRegistry::Global().Find("Arg"), {}, std::move(attributes), {type});
  parameters_.push_back({node.id, 0});
  return parameters_.back();
}

Endpoint Graph::AddConstant(const Tensor& value) {
  ops::Attributes attributes{{"value", value}};
  const Node& node = AddNode(ops::OpRegistry::Global().Find("Const"), {}, std::move(attributes),
                             {ops::TensorType::Of(value)});
  return {node.id, 0};
}

const Tensor* Graph::constant(Endpoint e) const {
  const Node& n = nodes_[e.node];
  if (n.spec->name != "Const") return nullptr;
  return &n.attributes.Get<Tensor>("value");
}

std::string Graph::ToString() const {
  std::string text;
  for (const Node& node : nodes_) {
    text += std::to_string(node.id) + ": " + node.spec->name + "(";
    for (size_t i = 0; i < node.inputs.size(); ++i) {
      if (i > 0) text += ", ";
      text += std::to_string(node.inputs[i].node) + ":" + std::to_string(node.inputs[i].index);
    }
    text += ")";
    for (int control : node.control_inputs) text += " ^" + std::to_string(control);
    text += " ->";
    for (const auto& type : node.outputs) text += " " + type.ToString();
    text += "\n";
  }
  return text;
}

std::vector<ops::TensorType> InferTypes(const ops::OpSpec& spec, const ops::Attributes& attributes,
                                        const std::vector<ops::TensorType>& inputs) {
  LOCKSTEP_CHECK(spec.infer != nullptr);
  ops::CheckInputs(spec, inputs);
  const bool ranked = std::all_of(inputs.begin(), inputs.end(),
                                  [](const ops::TensorType& type) { return type.shape.ranked(); });
  if (ranked) return spec.infer(ops::InferenceContext{spec, attributes, inputs});
  try {
    return spec.infer(ops::InferenceContext{spec, attributes, inputs});
  } catch (const Error& error) {  // the message of Shape::rank does not name the op
    throw Error(error.code(), "[" + spec.name + "] " + std::string(error.what()));
  }
}

Graph Specialize(const Graph& graph, const std::vector<ops::TensorType>& types) {
  Graph result;
  for (const Node& node : graph.nodes()) {
    if (node.spec->name == "Arg") {
      result.AddParameter(types[node.attributes.Get<int64_t>("index")]);
    } else if (node.inputs.empty()) {
      result.AddNode(*node.spec, {}, node.attributes, node.outputs);
    } else {
      result.AddNode(node.spec->name, node.inputs, node.attributes);
    }
    Node& copy = result.node(node.id);
    copy.control_inputs = node.control_inputs;
    copy.name = node.name;
    copy.device = node.device;
    copy.site = node.site;
  }
  result.results() = graph.results();
  return result;
}

}  // namespace lockstep::graph
