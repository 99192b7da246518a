#include "remote/wire.h"

#include <algorithm>
#include <bit>
#include <cstring>

#include "ops/signature.h"
#include "runtime/graph_builder.h"
#include "runtime/shared_object.h"
#include "runtime/variable_cell.h"
#include "tensor/buffer.h"

namespace lockstep::remote {

namespace {

using cluster::FieldReader;
using cluster::FieldWriter;

constexpr uint8_t kUnranked = 255;  // in place of the number of axes

void PutShape(const Shape& shape, FieldWriter* writer) {
  writer->Put(shape.ranked() ? static_cast<uint8_t>(shape.rank()) : kUnranked);
  if (!shape.ranked()) return;
  for (int64_t size : shape.sizes()) writer->Put(size);
}

// Sizes may be unknown; a product past what memory can hold is no shape.
Shape TakeShape(FieldReader* reader, bool* good) {
  const auto rank = reader->Take<uint8_t>();
  if (rank == kUnranked) return Shape::Unranked();
  if (rank > Shape::kMaxRank) *good = false;
  Shape shape;
  int64_t elements = 1;
  for (int i = 0; *good && i < rank; ++i) {
    const auto size = reader->Take<int64_t>();
    constexpr int64_t kMost = int64_t{1} << 40;
    if (size < -1 || size > kMost || (size > 0 && elements > kMost / size)) *good = false;
    if (*good && size > 0) elements *= size;
    if (*good) shape.Append(size);
  }
  *good &= reader->ok();
  return shape;
}

DType TakeDType(FieldReader* reader, bool* good) {
  const auto number = reader->Take<uint8_t>();
  const auto dtype = static_cast<DType>(number);
  switch (dtype) {
    case DType::kFloat32:
    case DType::kFloat64:
    case DType::kInt32:
    case DType::kUInt8:
    case DType::kInt16:
    case DType::kInt8:
    case DType::kString:
    case DType::kInt64:
    case DType::kBool:
    case DType::kBFloat16:
    case DType::kFloat16:
    case DType::kResource:
      return dtype;
    default:
      *good = false;
      return DType::kInvalid;
  }
}

void PutType(const ops::TensorType& type, FieldWriter* writer) {
  writer->Put(static_cast<uint8_t>(type.dtype)).Put(static_cast<uint8_t>(type.element));
  PutShape(type.shape, writer);
}

ops::TensorType TakeType(FieldReader* reader, bool* good) {
  ops::TensorType type;
  type.dtype = TakeDType(reader, good);
  bool known = true;  // some ops leave it open
  type.element = TakeDType(reader, &known);
  type.shape = TakeShape(reader, good);
  return type;
}

Tensor NoTensor(FieldReader* reader) {
  reader->Refuse();
  return Tensor();
}

}  // namespace

void PutTensor(const Tensor& tensor, FieldWriter* writer) {
  writer->Put(static_cast<uint8_t>(tensor.dtype()));
  PutShape(tensor.shape(), writer);
  if (tensor.dtype() != DType::kString) {
    writer->PutText({static_cast<const char*>(tensor.raw_data()), tensor.num_bytes()});
    return;
  }
  const auto* texts = static_cast<const std::string*>(tensor.raw_data());
  for (int64_t i = 0; i < tensor.num_elements(); ++i) writer->PutText(texts[i]);
}

Tensor TakeTensor(FieldReader* reader) {
  bool good = true;
  const DType dtype = TakeDType(reader, &good);
  const Shape shape = TakeShape(reader, &good);
  if (!good || dtype == DType::kResource || !shape.fully_known()) return NoTensor(reader);
  const int64_t count = shape.num_elements();
  if (dtype == DType::kString) {
    std::vector<std::string> texts;
    for (int64_t i = 0; i < count && reader->ok(); ++i) texts.push_back(reader->TakeText());
    if (!reader->ok()) return Tensor();
    return Tensor::FromStrings(texts, shape);
  }
  const std::string_view bytes = reader->TakeView();
  if (!reader->ok() || bytes.size() != count * DTypeSize(dtype)) return NoTensor(reader);
  auto buffer = tensor::Buffer::Allocate(dtype, count);
  if (!bytes.empty()) std::memcpy(buffer->data(), bytes.data(), bytes.size());
  return Tensor::FromBuffer(std::move(buffer), dtype, shape);
}

void PutTensor(const Tensor& tensor, FieldWriter* writer, std::vector<net::Payload>* bodies) {
  const bool beside = tensor.dtype() != DType::kString && tensor.num_bytes() >= kBesideFrom;
  writer->Put(static_cast<uint8_t>(beside));
  if (!beside) return PutTensor(tensor, writer);
  writer->Put(static_cast<uint8_t>(tensor.dtype()));
  PutShape(tensor.shape(), writer);
  const std::span<const std::byte> bytes(static_cast<const std::byte*>(tensor.raw_data()),
                                         tensor.num_bytes());
  bodies->emplace_back(tensor.buffer(), bytes);
}

Tensor TakeTensor(FieldReader* reader, const std::vector<net::Payload>& bodies, size_t* next) {
  if (reader->Take<uint8_t>() == 0) return TakeTensor(reader);
  bool good = true;
  const DType dtype = TakeDType(reader, &good);
  const Shape shape = TakeShape(reader, &good);
  if (!good || dtype == DType::kResource || dtype == DType::kString || !shape.fully_known() ||
      *next >= bodies.size())
    return NoTensor(reader);
  const net::Payload& body = bodies[(*next)++];
  const int64_t count = shape.num_elements();
  if (body.size() != count * DTypeSize(dtype)) return NoTensor(reader);
  constexpr uintptr_t kLine = 64;  // as all buffers are aligned
  if (body.size() >= kStaysFrom && reinterpret_cast<uintptr_t>(body.data()) % kLine == 0) {
    return Tensor::FromBuffer(tensor::Buffer::Borrow(dtype, count, body.data(), body.owner()),
                              dtype, shape);
  }
  auto buffer = tensor::Buffer::Allocate(dtype, count);
  if (body.size() > 0) std::memcpy(buffer->data(), body.data(), body.size());
  return Tensor::FromBuffer(std::move(buffer), dtype, shape);
}

void PutStatus(const Status& status, FieldWriter* writer) {
  writer->Put(static_cast<uint8_t>(status.code())).PutText(status.message());
}

Status TakeStatus(FieldReader* reader) {
  const auto code = reader->Take<uint8_t>();
  std::string text = reader->TakeText();
  if (!reader->ok() || code > static_cast<uint8_t>(Code::kUnauthenticated)) {
    return Status(Code::kDataLoss, "[remote] an answer must have its form; got another one");
  }
  if (code == 0) return Status::Ok();
  return Status(static_cast<Code>(code), std::move(text));
}

namespace {

// The alternatives of an attribute, by their places in the variant; a variable after them.
enum AttributeTag : uint8_t {
  kBool,
  kInteger,
  kReal,
  kText,
  kDType,
  kIntegers,
  kReals,
  kTensor,
  kBody,
  kVariable,
  kObject
};

uint64_t BitsOf(double value) { return std::bit_cast<uint64_t>(value); }

class GraphWriter {
 public:
  explicit GraphWriter(FieldWriter* writer) : writer_(*writer) {}

  Status Put(const graph::Graph& graph) {
    writer_.Put(static_cast<uint32_t>(graph.num_nodes()));
    for (const graph::Node& node : graph.nodes()) {
      writer_.PutText(NameElsewhere(node)).PutText(node.name);
      writer_.Put(static_cast<uint32_t>(node.inputs.size()));
      for (graph::Endpoint input : node.inputs) Put(input);
      writer_.Put(static_cast<uint32_t>(node.control_inputs.size()));
      for (int control : node.control_inputs) writer_.Put(static_cast<uint32_t>(control));
      writer_.Put(static_cast<uint32_t>(node.outputs.size()));
      for (const ops::TensorType& type : node.outputs) PutType(type, &writer_);
      LOCKSTEP_RETURN_IF_ERROR(PutAttributes(node, node.attributes));
    }
    writer_.Put(static_cast<uint32_t>(graph.results().size()));
    for (graph::Endpoint result : graph.results()) Put(result);
    return Status::Ok();
  }

 private:
  void Put(graph::Endpoint e) {
    writer_.Put(static_cast<uint32_t>(e.node)).Put(static_cast<uint32_t>(e.index));
  }
  template <typename T>
  void PutList(const std::vector<T>& list) {
    writer_.Put(static_cast<uint32_t>(list.size()));
    for (T value : list) writer_.Put(std::bit_cast<int64_t>(value));
  }

  Status PutResource(const graph::Node& node, const Tensor& handle) {
    if (const auto* object = dynamic_cast<const runtime::NamedObject*>(handle.object().get())) {
      writer_.Put(static_cast<uint8_t>(kObject)).PutText(object->name).PutText(object->kind);
      return PutAttributes(node, object->spec);
    }
    const runtime::GraphVariable* variable = runtime::AsGraphVariable(handle);
    if (variable == nullptr) {
      const auto* cell = dynamic_cast<const runtime::VariableCell*>(handle.object().get());
      return Status(Code::kInvalidArgument,
                    "[remote] a run on servers uses variables of its graph; got '" +
                        (cell == nullptr ? node.name : cell->name()) +
                        "', which is a variable of this process; make it in graph.AsDefault(), or "
                        "in the scope of the coordinator");
    }
    writer_.Put(static_cast<uint8_t>(kVariable)).PutText(variable->name);
    PutType({DType::kResource, handle.shape(), handle.element_dtype()}, &writer_);
    writer_.Put(static_cast<uint8_t>(variable->trainable));
    writer_.Put(static_cast<uint8_t>(variable->begins_with.defined()));
    if (variable->begins_with.defined()) PutTensor(variable->begins_with, &writer_);
    return Status::Ok();
  }

  // A function of Python may name an op that does the same where there is no Python.
  static std::string NameElsewhere(const graph::Node& node) {
    const std::string own = node.attributes.GetOr<std::string>("elsewhere", "");
    return own.empty() ? node.spec->name : own;
  }

  Status PutAttributes(const graph::Node& node, const ops::Attributes& attributes) {
    const bool elsewhere = attributes.Find("elsewhere") != nullptr;
    const auto left_out = [&](const auto& entry) {
      return elsewhere && std::holds_alternative<std::shared_ptr<TensorObject>>(entry.second);
    };
    const auto& entries = attributes.entries();
    const auto count = entries.size() - std::ranges::count_if(entries, left_out);
    writer_.Put(static_cast<uint32_t>(count));
    for (const auto& entry : entries) {
      if (left_out(entry)) continue;
      const auto& [name, value] = entry;
      writer_.PutText(name);
      LOCKSTEP_RETURN_IF_ERROR(PutAttribute(node, value));
    }
    return Status::Ok();
  }

  Status PutAttribute(const graph::Node& node, const ops::AttributeValue& value) {
    if (const auto* tensor = std::get_if<Tensor>(&value);
        tensor != nullptr && tensor->dtype() == DType::kResource) {
      return PutResource(node, *tensor);
    }
    writer_.Put(static_cast<uint8_t>(value.index()));
    if (const auto* flag = std::get_if<bool>(&value)) writer_.Put(static_cast<uint8_t>(*flag));
    if (const auto* number = std::get_if<int64_t>(&value)) writer_.Put(*number);
    if (const auto* real = std::get_if<double>(&value)) writer_.Put(BitsOf(*real));
    if (const auto* text = std::get_if<std::string>(&value)) writer_.PutText(*text);
    if (const auto* dtype = std::get_if<DType>(&value)) writer_.Put(static_cast<uint8_t>(*dtype));
    if (const auto* list = std::get_if<std::vector<int64_t>>(&value)) PutList(*list);
    if (const auto* list = std::get_if<std::vector<double>>(&value)) PutList(*list);
    if (const auto* tensor = std::get_if<Tensor>(&value)) PutTensor(*tensor, &writer_);
    if (const auto* object = std::get_if<std::shared_ptr<TensorObject>>(&value)) {
      const auto* body = dynamic_cast<const graph::Graph*>(object->get());
      if (body != nullptr) return Put(*body);
      return Status(Code::kInvalidArgument,
                    "[remote] an op on a server must not need what only this process has; got '" +
                        node.name + "' of " + node.spec->name);
    }
    return Status::Ok();
  }

  FieldWriter& writer_;
};

class GraphReader {
 public:
  GraphReader(FieldReader* reader, const WireResources& resources)
      : reader_(*reader), resources_(resources) {}

  Result<graph::Graph> Take(int depth) {
    graph::Graph graph;
    const uint32_t count = reader_.TakeCount();
    for (uint32_t id = 0; good() && id < count; ++id) TakeNode(&graph, depth);
    const uint32_t results = reader_.TakeCount();
    for (uint32_t i = 0; good() && i < results; ++i) {
      const graph::Endpoint e = TakeEndpoint(graph);
      if (good()) graph.results().push_back(e);
    }
    if (!good()) {
      return Status(Code::kDataLoss, "[remote] a graph must have its form; got another one");
    }
    return graph;
  }

 private:
  bool good() const { return good_ && reader_.ok(); }

  graph::Endpoint TakeEndpoint(const graph::Graph& graph) {
    const auto node = reader_.Take<uint32_t>();
    const auto index = reader_.Take<uint32_t>();
    if (node >= static_cast<uint32_t>(graph.num_nodes()) ||
        index >= graph.node(static_cast<int>(node)).outputs.size()) {
      good_ = false;
      return {};
    }
    return {static_cast<int>(node), static_cast<int>(index)};
  }

  void TakeNode(graph::Graph* graph, int depth) {
    const std::string op = reader_.TakeText();
    std::string name = reader_.TakeText();
    std::vector<graph::Endpoint> inputs;
    for (uint32_t i = reader_.TakeCount(); good() && i > 0; --i) {
      inputs.push_back(TakeEndpoint(*graph));
    }
    std::vector<int> controls;
    for (uint32_t i = reader_.TakeCount(); good() && i > 0; --i) {
      controls.push_back(static_cast<int>(reader_.Take<uint32_t>()));
      good_ &= controls.back() >= 0 && controls.back() < graph->num_nodes();
    }
    std::vector<ops::TensorType> outputs;
    for (uint32_t i = reader_.TakeCount(); good() && i > 0; --i) {
      outputs.push_back(TakeType(&reader_, &good_));
    }
    ops::Attributes attributes = TakeAttributes(depth);
    if (!good()) return;
    const ops::OpSpec& spec = ops::OpRegistry::Global().Find(op);
    Check(spec, *graph, name, inputs, attributes, outputs);
    int id = 0;
    if (op == "Arg") {
      good_ &= outputs.size() == 1;
      if (good()) id = graph->AddParameter(outputs[0]).node;
    } else if (inputs.empty()) {
      if (op != "Const") outputs = graph::InferTypes(spec, attributes, {});
      id = graph->AddNode(spec, {}, std::move(attributes), std::move(outputs)).id;
    } else {
      id = graph->AddNode(op, std::move(inputs), std::move(attributes)).id;
    }
    if (!good()) return;
    graph->node(id).name = std::move(name);
    graph->node(id).control_inputs = std::move(controls);
  }

  // InvalidArgument, naming the node and its op, for a node that does not fit what its op declares.
  static void Check(const ops::OpSpec& spec, const graph::Graph& graph, const std::string& name,
                    const std::vector<graph::Endpoint>& inputs, const ops::Attributes& attributes,
                    const std::vector<ops::TensorType>& outputs) {
    try {
      std::vector<ops::TensorType> types;
      for (graph::Endpoint input : inputs) types.push_back(graph.type(input));
      ops::CheckImported(spec, attributes, types);
      if (spec.name != "Const") return;
      const auto of_value = ops::TensorType::Of(attributes.Get<Tensor>("value"));
      if (outputs.size() == 1 && outputs[0].dtype == of_value.dtype &&
          outputs[0].shape == of_value.shape)
        return;
      throw Error(Code::kInvalidArgument, "[Const] the output must be like the value; got " +
                                              of_value.ToString() + " and another output");
    } catch (const Error& error) {
      throw Error(error.code(), error.status().message() + " (node '" + name + "')");
    }
  }

  template <typename T>
  std::vector<T> TakeList() {
    std::vector<T> list;
    for (uint32_t i = reader_.TakeCount(); good() && i > 0; --i) {
      list.push_back(std::bit_cast<T>(reader_.Take<int64_t>()));
    }
    return list;
  }

  Tensor TakeVariable() {
    WireVariable variable;
    variable.name = reader_.TakeText();
    const ops::TensorType type = TakeType(&reader_, &good_);
    variable.dtype = type.element;
    variable.shape = type.shape;
    variable.trainable = reader_.Take<uint8_t>() != 0;
    if (reader_.Take<uint8_t>() != 0) {
      variable.begins_with = TakeTensor(&reader_);
      good_ &= variable.begins_with.defined() && variable.begins_with.dtype() == variable.dtype &&
               variable.begins_with.shape() == variable.shape;
    }
    good_ &= variable.shape.fully_known() && variable.dtype != DType::kResource;
    return good() ? resources_.variable(variable) : Tensor();
  }

  Tensor TakeObject(int depth) {
    WireObject object;
    object.name = reader_.TakeText();
    object.kind = reader_.TakeText();
    good_ &= depth < kDeepest;
    if (good()) object.spec = TakeAttributes(depth + 1);
    return good() ? resources_.object(object) : Tensor();
  }

  ops::Attributes TakeAttributes(int depth) {
    ops::Attributes attributes;
    for (uint32_t i = reader_.TakeCount(); good() && i > 0; --i) {
      const std::string key = reader_.TakeText();
      ops::AttributeValue value = TakeAttribute(depth);
      if (good()) attributes.Set(key, std::move(value));
    }
    return attributes;
  }

  ops::AttributeValue TakeAttribute(int depth) {
    switch (reader_.Take<uint8_t>()) {
      case kBool:
        return reader_.Take<uint8_t>() != 0;
      case kInteger:
        return reader_.Take<int64_t>();
      case kReal:
        return std::bit_cast<double>(reader_.Take<uint64_t>());
      case kText:
        return reader_.TakeText();
      case kDType:
        return TakeDType(&reader_, &good_);
      case kIntegers:
        return TakeList<int64_t>();
      case kReals:
        return TakeList<double>();
      case kTensor: {
        Tensor tensor = TakeTensor(&reader_);
        good_ &= tensor.defined();
        return tensor;
      }
      case kVariable:
        return TakeVariable();
      case kObject:
        return TakeObject(depth);
      case kBody: {
        good_ &= depth < kDeepest;
        if (!good()) return false;
        Result<graph::Graph> body = Take(depth + 1);
        good_ &= body.ok();
        if (!good()) return false;
        return std::shared_ptr<TensorObject>(std::make_shared<graph::Graph>(std::move(*body)));
      }
      default:
        good_ = false;
        return false;
    }
  }

  static constexpr int kDeepest = 64;
  FieldReader& reader_;
  const WireResources& resources_;
  bool good_ = true;
};

}  // namespace

Status PutGraph(const graph::Graph& graph, FieldWriter* writer) {
  return GraphWriter(writer).Put(graph);
}

Result<graph::Graph> TakeGraph(FieldReader* reader, const WireResources& resources) {
  try {
    return GraphReader(reader, resources).Take(0);
  } catch (const Error& error) {
    return error.status();
  } catch (const std::bad_alloc&) {
    return Status(Code::kResourceExhausted, "[remote] a graph needs more memory than there is");
  } catch (const std::exception& error) {
    return Status(
        Code::kInvalidArgument,
        std::string("[remote] a graph must be right; got one that gives: ") + error.what());
  }
}

}  // namespace lockstep::remote
