#include <nanobind/stl/string.h>
#include <nanobind/stl/vector.h>

#include "ops/builder.h"
#include "ops/object_attribute.h"
#include "ops/op.h"
#include "python/attributes.h"
#include "python/bind.h"
#include "python/callback.h"
#include "runtime/host_ops.h"
#include "runtime/summarize.h"

// Python functions as ops: printing, and functions that run when the graph does.

namespace lockstep::python {

namespace {

// What such an op calls, and what it gives.
struct HostCall : TensorObject {
  std::function<std::vector<Tensor>(const std::vector<Tensor>&)> function;
  std::vector<ops::TensorType> outputs;
};

const HostCall& CallOf(const ops::Attributes& attributes) {
  return ops::ObjectAttribute<const HostCall>(attributes, "call");
}

std::vector<ops::TensorType> Infer(const ops::InferenceContext& context) {
  return CallOf(context.attributes).outputs;
}

std::vector<Tensor> Run(const ops::OpSpec& spec, const ops::Attributes& attributes,
                        const std::vector<Tensor>& inputs) {
  const HostCall& call = CallOf(attributes);
  std::vector<Tensor> results = call.function(inputs);
  if (results.size() != call.outputs.size()) {
    throw Error(Code::kInvalidArgument, "[py_function] a function must give what Tout says; got " +
                                            std::to_string(results.size()) +
                                            " tensors instead of " +
                                            std::to_string(call.outputs.size()));
  }
  for (size_t i = 0; i < results.size(); ++i) {
    const Shape& shape = call.outputs[i].shape;
    if (!shape.CompatibleWith(results[i].shape())) {
      throw Error(Code::kInvalidArgument,
                  "[py_function] output " + std::to_string(i) + " must have the shape " +
                      shape.ToString() + ", which Tout says; got " + results[i].shape().ToString() +
                      "; write None there for a size that only a run tells");
    }
    if (results[i].dtype() == call.outputs[i].dtype) continue;
    throw Error(Code::kInvalidArgument, "[py_function] a function must give what Tout says; got " +
                                            std::string(DTypeName(results[i].dtype())) +
                                            " for output " + std::to_string(i) + ", which is " +
                                            std::string(DTypeName(call.outputs[i].dtype)));
  }
  return results;
}

const ops::RegisterOp kHostCall({.name = "PyFunction",
                                 .infer = Infer,
                                 .effects = {.external = true}});
const runtime::RegisterHostOp kRunHostCall("PyFunction", {.function = Run, .outside = true});

std::vector<Tensor> Emit(nb::object function, const std::vector<Tensor>& inputs,
                         const std::vector<DType>& dtypes, const std::vector<Shape>& shapes,
                         nb::object elsewhere) {
  auto call = std::make_shared<HostCall>();
  call->function = TensorFunction(std::move(function));
  for (size_t i = 0; i < dtypes.size(); ++i) call->outputs.push_back({dtypes[i], shapes[i]});
  ops::Attributes attributes;
  if (!elsewhere.is_none()) {
    attributes = AttributesFrom(nb::cast<nb::dict>(elsewhere[1]));
    attributes.Set("elsewhere", nb::cast<std::string>(elsewhere[0]));
    attributes.Set("outputs", static_cast<int64_t>(dtypes.size()));
  }
  attributes.Set("call", std::shared_ptr<TensorObject>(call));
  return Unlocked([&] { return ops::Emit("PyFunction", inputs, attributes); });
}

}  // namespace

void BindHostCalls(nb::module_& m) {
  using namespace nb::literals;
  // `elsewhere`: an op and its attributes, which does the same on tasks without Python.
  m.def("host_call", &Emit, "function"_a, "inputs"_a, "dtypes"_a, "shapes"_a,
        "elsewhere"_a = nb::none());
  m.def("summarized_flat", [](const Tensor& tensor, int64_t most) {
    const std::string text = runtime::SummarizedFlat(tensor, most);
    return nb::bytes(text.data(), text.size());
  });
  m.def("summarized_nested", [](const Tensor& tensor, int64_t edge) {
    const std::string text = runtime::SummarizedNested(tensor, edge);
    return nb::bytes(text.data(), text.size());
  });
}

}  // namespace lockstep::python
