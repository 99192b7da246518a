#include "lockstep/nn/functional.h"

#include <algorithm>
#include <cctype>
#include <set>

#include "graph/tracer.h"
#include "nn/functional_value.h"
#include "ops/builder.h"

namespace lockstep {

namespace nn {

namespace {

// The names given on this thread since a model was made of the symbols last.
thread_local std::set<std::string> names_given;

void CollectNames(const Tensor& tensor, std::set<const Layer*>& seen,
                  std::set<std::string>& names) {
  const FunctionalValue* value = FunctionalValue::Of(tensor);
  if (value == nullptr || value->layer() == nullptr) return;
  const bool fresh = seen.insert(value->layer().get()).second;
  names.insert(value->layer()->name());
  if (!fresh) return;
  for (const Tensor& input : value->inputs()) CollectNames(input, seen, names);
}

// "dense", "dense_1", ...: unique among the layers before it and those of the model to be.
void GiveName(Layer& layer, const std::vector<Tensor>& inputs) {
  std::set<std::string> taken = names_given;
  std::set<const Layer*> seen;
  for (const Tensor& input : inputs) CollectNames(input, seen, taken);
  std::string name = layer.type();
  for (int i = 1; taken.contains(name); ++i) name = layer.type() + "_" + std::to_string(i);
  names_given.insert(name);
  layer.set_name(name);
}

// What the layer makes of a batch of `examples`, by tracing it into a graph that is thrown away.
ops::TensorType OutputFor(Layer& layer, const std::vector<Tensor>& inputs, int64_t examples) {
  graph::Tracer tracer;
  std::vector<Tensor> traced;
  for (const Tensor& input : inputs) {
    Shape shape = input.shape();
    for (int i = 0; i < shape.rank(); ++i) {
      if (shape[i] == Shape::kUnknown) shape.set_dim(i, examples);
    }
    traced.push_back(tracer.AddParameter({input.dtype(), shape, input.dtype()}));
  }
  ops::BuilderScope scope(&tracer);
  const ops::RecordingPause pause;
  return ops::TensorType::Of(layer(traced));
}

// `text` with '?' for each number that is `examples`.
std::string WithoutExamples(const std::string& text, int64_t examples) {
  const std::string number = std::to_string(examples);
  const auto digit = [&](size_t at) {
    return at < text.size() && std::isdigit(static_cast<unsigned char>(text[at])) != 0;
  };
  std::string result;
  for (size_t at = 0; at < text.size();) {
    const bool whole = text.compare(at, number.size(), number) == 0 && !digit(at + number.size()) &&
                       (at == 0 || !digit(at - 1));
    result += whole ? "?" : text.substr(at, 1);
    at += whole ? number.size() : 1;
  }
  return result;
}

// The numbers of examples for which a layer is traced. A size that follows them is not known; two
// of them tell which sizes those are.
constexpr int64_t kTracedExamples = 2 * 61;
constexpr int64_t kOtherTracedExamples = 2 * 67;

// Says an error of the first trace as one of an unknown number of examples.
[[noreturn]] void RefuseTraced(Layer& layer, const std::vector<Tensor>& inputs,
                               const Error& first) {
  const std::string text = WithoutExamples(first.status().message(), kTracedExamples);
  try {
    OutputFor(layer, inputs, kOtherTracedExamples);
  } catch (const Error& other) {
    if (WithoutExamples(other.status().message(), kOtherTracedExamples) == text)
      throw Error(first.code(), text);
  }
  throw first;
}

}  // namespace

const FunctionalValue* FunctionalValue::Of(const Tensor& tensor) {
  if (!tensor.defined()) return nullptr;
  return dynamic_cast<const FunctionalValue*>(tensor.object().get());
}

bool IsFunctional(const std::vector<Tensor>& inputs) {
  return std::any_of(inputs.begin(), inputs.end(),
                     [](const Tensor& input) { return FunctionalValue::Of(input) != nullptr; });
}

Tensor CallFunctional(const std::shared_ptr<Layer>& layer, const std::vector<Tensor>& inputs) {
  if (layer->name().empty()) GiveName(*layer, inputs);
  for (const Tensor& input : inputs) {
    if (FunctionalValue::Of(input) != nullptr) continue;
    throw Error(Code::kInvalidArgument, "[" + layer->name() +
                                            "] all inputs must be symbolic where one is; got a "
                                            "value of shape " +
                                            input.shape().ToString());
  }
  const ops::TensorType one = [&] {
    try {
      return OutputFor(*layer, inputs, kTracedExamples);
    } catch (const Error& error) {
      RefuseTraced(*layer, inputs, error);
    }
  }();
  const ops::TensorType other = OutputFor(*layer, inputs, kOtherTracedExamples);
  Shape shape = one.shape;
  for (int i = 0; i < shape.rank(); ++i) {
    if (one.shape[i] != other.shape[i]) shape.set_dim(i, Shape::kUnknown);
  }
  return Tensor::FromObject(std::make_shared<FunctionalValue>(layer, inputs), one.dtype, shape);
}

}  // namespace nn

Tensor Input(const std::vector<int64_t>& shape, DType dtype) {
  std::vector<int64_t> sizes{Shape::kUnknown};
  sizes.insert(sizes.end(), shape.begin(), shape.end());
  return Tensor::FromObject(std::make_shared<nn::FunctionalValue>(nullptr, std::vector<Tensor>()),
                            dtype, Shape(sizes));
}

FunctionalModel::FunctionalModel(const std::vector<Tensor>& inputs,
                                 const std::vector<Tensor>& outputs, std::string name)
    : Model(std::move(name)), symbols_(inputs), num_inputs_(inputs.size()) {
  nn::names_given.clear();
  for (const Tensor& input : inputs) {
    const nn::FunctionalValue* value = nn::FunctionalValue::Of(input);
    if (value != nullptr && value->layer() == nullptr) continue;
    throw Error(Code::kInvalidArgument,
                "[functional] an input must be made by Input; got another tensor of shape " +
                    input.shape().ToString());
  }
  for (const Tensor& output : outputs) outputs_.push_back(Visit(output));
  if (inputs.empty() || outputs.empty()) {
    throw Error(Code::kInvalidArgument, "[functional] a model needs inputs and outputs; got " +
                                            std::to_string(inputs.size()) + " and " +
                                            std::to_string(outputs.size()));
  }
}

// The number of the value that `tensor` stands for, after those that it needs.
int FunctionalModel::Visit(const Tensor& tensor) {
  for (size_t i = 0; i < symbols_.size(); ++i) {
    if (symbols_[i].object() == tensor.object()) return static_cast<int>(i);
  }
  const nn::FunctionalValue* value = nn::FunctionalValue::Of(tensor);
  if (value == nullptr || value->layer() == nullptr) {
    throw Error(Code::kInvalidArgument,
                "[functional] an output must follow from the inputs that are given; got one that "
                "needs " +
                    std::string(value == nullptr ? "a value" : "an input") + " of shape " +
                    tensor.shape().ToString() + " besides them");
  }
  Operation operation{LayerPtr(value->layer()), {}};
  for (const Tensor& input : value->inputs()) operation.inputs.push_back(Visit(input));
  const auto& known = layers();
  if (std::find(known.begin(), known.end(), operation.layer) == known.end()) Track(operation.layer);
  operations_.push_back(std::move(operation));
  symbols_.push_back(tensor);
  return static_cast<int>(symbols_.size()) - 1;
}

std::vector<Tensor> FunctionalModel::CallAll(const std::vector<Tensor>& inputs, bool training) {
  if (inputs.size() != num_inputs_) {
    throw Error(Code::kInvalidArgument, "[" + name() + "] the model has " +
                                            std::to_string(num_inputs_) + " inputs; got " +
                                            std::to_string(inputs.size()));
  }
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (inputs[i].shape().CompatibleWith(symbols_[i].shape())) continue;
    throw Error(Code::kInvalidArgument,
                "[" + name() + "] input " + std::to_string(i) + " must have the shape " +
                    symbols_[i].shape().ToString() + "; got " + inputs[i].shape().ToString());
  }
  std::vector<Tensor> values = inputs;
  for (const Operation& operation : operations_) {
    std::vector<Tensor> arguments;
    for (int input : operation.inputs) arguments.push_back(values[input]);
    values.push_back(operation.layer(arguments, training));
  }
  std::vector<Tensor> results;
  for (int output : outputs_) results.push_back(values[output]);
  return results;
}

Tensor FunctionalModel::Call(const Tensor& inputs, bool training) {
  if (outputs_.size() != 1) {
    throw Error(Code::kInvalidArgument, "[" + name() + "] one output is needed here; got " +
                                            std::to_string(outputs_.size()) + "; use CallAll");
  }
  return CallAll({inputs}, training)[0];
}

}  // namespace lockstep
