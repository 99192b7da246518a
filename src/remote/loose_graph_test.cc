#include "remote/loose_graph_test.h"

#include <bit>
#include <limits>

#include "graph/graph.h"
#include "ops/builder.h"
#include "remote/wire.h"

namespace lockstep::remote {

namespace {

using cluster::FieldWriter;

// The tags of attributes on the wire, behind those of the alternatives of ops::AttributeValue.
constexpr uint8_t kTensorTag = 7, kBodyTag = 8, kVariableTag = 9, kObjectTag = 10;

void PutLooseShape(const Shape& shape, FieldWriter* writer) {
  writer->Put(static_cast<uint8_t>(shape.ranked() ? shape.rank() : 255));
  if (!shape.ranked()) return;
  for (int64_t size : shape.sizes()) writer->Put(size);
}

void PutLooseType(const ops::TensorType& type, FieldWriter* writer) {
  writer->Put(static_cast<uint8_t>(type.dtype)).Put(static_cast<uint8_t>(type.element));
  PutLooseShape(type.shape, writer);
}

void PutEndpoint(graph::Endpoint endpoint, FieldWriter* writer) {
  writer->Put(static_cast<uint32_t>(endpoint.node)).Put(static_cast<uint32_t>(endpoint.index));
}

template <typename T>
void PutNumbers(const std::vector<T>& numbers, FieldWriter* writer) {
  writer->Put(static_cast<uint32_t>(numbers.size()));
  for (T number : numbers) writer->Put(std::bit_cast<int64_t>(number));
}

std::string AttributeBytes(const ops::AttributeValue& value) {
  FieldWriter writer;
  writer.Put(static_cast<uint8_t>(value.index()));
  if (const auto* flag = std::get_if<bool>(&value)) writer.Put(static_cast<uint8_t>(*flag));
  if (const auto* number = std::get_if<int64_t>(&value)) writer.Put(*number);
  if (const auto* real = std::get_if<double>(&value)) writer.Put(std::bit_cast<int64_t>(*real));
  if (const auto* text = std::get_if<std::string>(&value)) writer.PutText(*text);
  if (const auto* dtype = std::get_if<DType>(&value)) writer.Put(static_cast<uint8_t>(*dtype));
  if (const auto* list = std::get_if<std::vector<int64_t>>(&value)) PutNumbers(*list, &writer);
  if (const auto* list = std::get_if<std::vector<double>>(&value)) PutNumbers(*list, &writer);
  if (const auto* tensor = std::get_if<Tensor>(&value)) PutTensor(*tensor, &writer);
  return writer.Take();
}

std::string BodyBytes(const LooseGraph& body) {
  return std::string(1, static_cast<char>(kBodyTag)) + body.Bytes();
}

// A variable that a server makes, with or without a first value.
std::string VariableBytes(const std::string& name, DType dtype, const Shape& shape,
                          const Tensor* value) {
  FieldWriter writer;
  writer.Put(kVariableTag).PutText(name);
  PutLooseType({DType::kResource, shape, dtype}, &writer);
  writer.Put(uint8_t{1}).Put(static_cast<uint8_t>(value != nullptr));
  if (value != nullptr) PutTensor(*value, &writer);
  return writer.Take();
}

std::string ObjectBytes(const std::string& kind, const std::vector<int64_t>& numbers) {
  FieldWriter writer;
  writer.Put(kObjectTag).PutText("an object").PutText(kind).Put(uint32_t{3});
  writer.PutText("capacity").Put(uint8_t{1}).Put(int64_t{3});
  for (const char* name : {"dtypes", "shapes"}) {
    writer.PutText(name).Put(uint8_t{5});
    PutNumbers(numbers, &writer);
  }
  return writer.Take();
}

const std::vector<int64_t> kNumbers = {0,
                                       1,
                                       -1,
                                       2,
                                       3,
                                       7,
                                       int64_t{1} << 31,
                                       int64_t{1} << 40,
                                       int64_t{1} << 62,
                                       std::numeric_limits<int64_t>::max(),
                                       std::numeric_limits<int64_t>::min()};

}  // namespace

std::string LooseGraph::Bytes() const {
  FieldWriter writer;
  writer.Put(static_cast<uint32_t>(nodes.size()));
  for (const LooseNode& node : nodes) {
    writer.PutText(node.op).PutText(node.name);
    writer.Put(static_cast<uint32_t>(node.inputs.size()));
    for (graph::Endpoint input : node.inputs) PutEndpoint(input, &writer);
    writer.Put(static_cast<uint32_t>(node.controls.size()));
    for (int control : node.controls) writer.Put(static_cast<uint32_t>(control));
    writer.Put(static_cast<uint32_t>(node.outputs.size()));
    for (const ops::TensorType& type : node.outputs) PutLooseType(type, &writer);
    writer.Put(static_cast<uint32_t>(node.attributes.size()));
    std::string bytes = writer.Take();
    for (const LooseAttribute& attribute : node.attributes) {
      FieldWriter name;
      bytes += name.PutText(attribute.name).Take() + attribute.bytes;
    }
    writer = FieldWriter();
    for (char byte : bytes) writer.Put(byte);
  }
  writer.Put(static_cast<uint32_t>(results.size()));
  for (graph::Endpoint result : results) PutEndpoint(result, &writer);
  return writer.Take();
}

std::string LooseGraph::ToString() const {
  std::string text;
  for (size_t id = 0; id < nodes.size(); ++id) {
    text += std::to_string(id) + ": " + nodes[id].op + "(";
    for (graph::Endpoint input : nodes[id].inputs)
      text += std::to_string(input.node) + ":" + std::to_string(input.index) + " ";
    text += ";";
    for (const LooseAttribute& attribute : nodes[id].attributes)
      text += " " + attribute.name + "#" +
              std::to_string(attribute.bytes.empty() ? -1 : attribute.bytes[0]);
    text += ")";
    for (const ops::TensorType& type : nodes[id].outputs) text += " " + type.ToString();
    text += "\n";
  }
  for (graph::Endpoint result : results)
    text += "result " + std::to_string(result.node) + ":" + std::to_string(result.index) + "\n";
  return text;
}

int LooseGraphDraws::AddConstant(LooseGraph* graph, const Tensor& value) {
  LooseNode node{.op = "Const", .name = "c" + std::to_string(graph->nodes.size())};
  if (value.dtype() == DType::kResource) {
    const std::string name = "v" + std::to_string(random_());
    const Shape shape = value.shape();
    if (Chance(70)) {
      const Tensor zeros = ops::Emit1(
          "Cast",
          {Tensor::FromVector(std::vector<double>(static_cast<size_t>(shape.num_elements()), 1.0),
                              shape)},
          {{"DstT", value.element_dtype()}});
      node.attributes = {{"value", VariableBytes(name, value.element_dtype(), shape, &zeros)}};
    } else {
      node.attributes = {{"value", VariableBytes(name, value.element_dtype(), shape, nullptr)}};
    }
  } else {
    node.attributes = {{"value", AttributeBytes(value)}};
  }
  node.outputs = {ops::TensorType::Of(value)};
  graph->nodes.push_back(std::move(node));
  return static_cast<int>(graph->nodes.size()) - 1;
}

// A call that the op takes, if one can be drawn; else the last one. `outputs`: how many it gives.
std::optional<runtime::testing::OpCall> LooseGraphDraws::DrawCall(const ops::OpSpec* op,
                                                                  size_t* outputs) {
  const std::vector<const ops::OpSpec*> of =
      op == nullptr ? specs_ : std::vector<const ops::OpSpec*>{op};
  std::optional<runtime::testing::OpCall> call;
  *outputs = 0;
  for (int i = op == nullptr ? 4 : 150; i > 0 && *outputs == 0; --i) {
    call = calls_.Draw(of);
    if (!call.has_value()) continue;
    try {
      const std::vector<ops::TensorType> types = ops::TypesOf(call->inputs);
      ops::CheckImported(*call->spec, call->attributes, types);
      *outputs = graph::InferTypes(*call->spec, call->attributes, types).size();
      if (*outputs == 0) break;
    } catch (const Error&) {
      continue;
    }
  }
  return call;
}

void LooseGraphDraws::AddCall(LooseGraph* graph, const ops::OpSpec* op) {
  size_t outputs = 0;
  const std::optional<runtime::testing::OpCall> call = DrawCall(op, &outputs);
  if (!call.has_value()) return AddControlFlow(graph, 0);
  LooseNode node{.op = call->spec->name};
  for (const Tensor& input : call->inputs) {
    const bool earlier = !graph->nodes.empty() && Chance(3);
    node.inputs.push_back(earlier ? RandomEndpoint(*graph)
                                  : graph::Endpoint{AddConstant(graph, input), 0});
  }
  for (const auto& [name, value] : call->attributes.entries())
    node.attributes.push_back({name, AttributeBytes(value)});
  node.name = "n" + std::to_string(graph->nodes.size());
  if (outputs > 0) graph->results.push_back({static_cast<int>(graph->nodes.size()), 0});
  graph->nodes.push_back(std::move(node));
}

LooseGraph LooseGraphDraws::Body(const std::vector<ops::TensorType>& parameters, bool condition,
                                 int depth) {
  LooseGraph body;
  for (const ops::TensorType& type : parameters) {
    body.nodes.push_back(
        {.op = "Arg", .name = "a" + std::to_string(body.nodes.size()), .outputs = {type}});
    body.nodes.back().attributes = {
        {"index", AttributeBytes(static_cast<int64_t>(body.nodes.size()) - 1)}};
  }
  if (Chance(50)) AddCall(&body, nullptr);
  if (depth < 3 && Chance(20)) AddControlFlow(&body, depth + 1);
  body.results.clear();
  if (condition) {
    body.results = {{AddConstant(&body, Tensor::FromBools({false}, Shape{})), 0}};
  } else {
    for (size_t i = 0; i < parameters.size(); ++i) body.results.push_back({static_cast<int>(i), 0});
  }
  return body;
}

// If, While or a function, with bodies that take what it is given.
void LooseGraphDraws::AddControlFlow(LooseGraph* graph, int depth) {
  std::vector<ops::TensorType> types;
  LooseNode node;
  for (uint64_t i = 1 + Below(2); i > 0; --i) {
    const Tensor value = Chance(50) ? Tensor::FromVector(std::vector<float>{1, 2}, Shape{2})
                                    : Tensor::FromVector(std::vector<int64_t>{3}, Shape{1});
    types.push_back(ops::TensorType::Of(value));
    node.inputs.push_back({AddConstant(graph, value), 0});
  }
  const auto body = [&](bool condition) { return BodyBytes(Body(types, condition, depth)); };
  switch (Below(3)) {
    case 0:
      node.op = "If";
      node.inputs.insert(node.inputs.begin(),
                         {AddConstant(graph, Tensor::FromBools({Chance(50)}, Shape{})), 0});
      node.attributes = {{"then", body(false)}, {"else", body(false)}};
      break;
    case 1:
      node.op = "While";
      node.attributes = {{"condition", body(true)},
                         {"body", body(false)},
                         {"variables", AttributeBytes(static_cast<int64_t>(types.size()))},
                         {"maximum_iterations", AttributeBytes(int64_t{3})}};
      if (Chance(30)) node.attributes.push_back({"record", AttributeBytes(true)});
      break;
    default:
      node.op = "FunctionCall";
      node.attributes = {{"call", body(false)}, {"graph", body(false)}};
  }
  node.name = "n" + std::to_string(graph->nodes.size());
  graph->results.push_back({static_cast<int>(graph->nodes.size()), 0});
  graph->nodes.push_back(std::move(node));
}

LooseGraph LooseGraphDraws::Draw(int calls, const ops::OpSpec* op) {
  LooseGraph graph;
  AddCall(&graph, op);
  while (--calls > 0) Chance(20) ? AddControlFlow(&graph, 0) : AddCall(&graph, nullptr);
  return graph;
}

graph::Endpoint LooseGraphDraws::RandomEndpoint(const LooseGraph& graph) {
  if (Chance(5)) return {static_cast<int>(random_()), static_cast<int>(random_())};
  return {static_cast<int>(Below(graph.nodes.size() + 1)),
          Chance(85) ? 0 : static_cast<int>(Below(3))};
}

std::string LooseGraphDraws::RandomAttribute(int depth) {
  const auto number = [&] { return kNumbers[Below(kNumbers.size())]; };
  switch (Below(11)) {
    case 0:
      return AttributeBytes(Chance(50));
    case 1:
      return AttributeBytes(number());
    case 2:
      return AttributeBytes(Chance(50) ? std::numeric_limits<double>::quiet_NaN()
                                       : static_cast<double>(number()));
    case 3:
      return AttributeBytes(std::string(Below(4), 'A'));
    case 4:
      return AttributeBytes(static_cast<DType>(Below(25)));
    case 5: {
      std::vector<int64_t> list(Below(5));
      for (int64_t& one : list) one = number();
      return AttributeBytes(list);
    }
    case 6:
      return AttributeBytes(std::vector<double>(Below(3), 0.5));
    case kTensorTag:
      return AttributeBytes(Tensor::FromVector(std::vector<float>{1, 2}, Shape{2}));
    case kBodyTag:
      return depth < 2
                 ? BodyBytes(Body({{DType::kFloat32, Shape{2}, DType::kFloat32}}, Chance(30), 2))
                 : "";
    case kVariableTag:
      return VariableBytes("v" + std::to_string(Below(3)),
                           Chance(50) ? DType::kFloat32 : DType::kString, Shape{2}, nullptr);
    default:
      return ObjectBytes(Chance(50) ? "queue" : "accumulator", {number(), number()});
  }
}

void LooseGraphDraws::DamageInputs(LooseGraph* graph, LooseNode* node) {
  if (node->inputs.empty()) {
    node->inputs.push_back(RandomEndpoint(*graph));
    return;
  }
  const auto at = node->inputs.begin() + static_cast<long>(Below(node->inputs.size()));
  switch (Below(4)) {
    case 0:
      node->inputs.erase(at);
      break;
    case 1: {
      const graph::Endpoint again = *at;
      node->inputs.push_back(again);
      break;
    }
    case 2:
      std::swap(*at, node->inputs[Below(node->inputs.size())]);
      break;
    default:
      *at = RandomEndpoint(*graph);
  }
}

void LooseGraphDraws::DamageAttributes(LooseNode* node) {
  if (node->attributes.empty() || Chance(10)) {
    node->attributes.push_back({Chance(50) ? "value" : "axis", RandomAttribute(0)});
    return;
  }
  const size_t at = Below(node->attributes.size());
  switch (Below(4)) {
    case 0:
      node->attributes.erase(node->attributes.begin() + static_cast<long>(at));
      break;
    case 1:
      node->attributes[at].name += Chance(50) ? "" : "x";
      break;
    default: {
      // Another value, more often of the same kind.
      std::string other = RandomAttribute(0);
      for (int i = 0; i < 30 && Chance(85); ++i) {
        if (!other.empty() && !node->attributes[at].bytes.empty() &&
            other[0] == node->attributes[at].bytes[0])
          break;
        other = RandomAttribute(0);
      }
      node->attributes[at].bytes = other;
    }
  }
}

void LooseGraphDraws::Damage(LooseGraph* graph) {
  if (graph->nodes.empty()) return;
  LooseNode& node = graph->nodes[Below(graph->nodes.size())];
  std::vector<size_t> calls;
  for (size_t id = 0; id < graph->nodes.size(); ++id) {
    if (graph->nodes[id].op != "Const") calls.push_back(id);
  }
  const bool any = calls.empty() || Chance(30);
  LooseNode& call = any ? node : graph->nodes[calls[Below(calls.size())]];
  switch (Below(8)) {
    case 0:
    case 1:
      return DamageInputs(graph, &call);
    case 2:
    case 3:
      return DamageAttributes(&call);
    case 4:
      call.op = Chance(10) ? "Nothing" : specs_[Below(specs_.size())]->name;
      return;
    case 5:
      call.controls.push_back(RandomEndpoint(*graph).node);
      if (Chance(30)) call.name = graph->nodes[Below(graph->nodes.size())].name;
      return;
    case 6:
      if (node.outputs.empty() || Chance(20))
        node.outputs.push_back({DType::kFloat32, Shape{2}, DType::kFloat32});
      node.outputs[0].dtype = static_cast<DType>(Below(24));
      if (Chance(30))
        node.outputs[0].shape = Chance(50) ? Shape::Unranked() : Shape{-1, int64_t{1} << 40, 3};
      return;
    default:
      graph->results.push_back(RandomEndpoint(*graph));
  }
}

}  // namespace lockstep::remote
