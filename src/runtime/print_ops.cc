// What functions that were traced in Python print and assert on other tasks than their own: there
// no Python carries them out.

#include <iostream>
#include <string>
#include <vector>

#include "runtime/host_ops.h"
#include "runtime/summarize.h"

namespace lockstep::runtime {

namespace {

// Something to fetch in graphs, where there is nothing to give.
std::vector<ops::TensorType> InferOutputs(const ops::InferenceContext& context) {
  if (context.attributes.GetOr<int64_t>("outputs", 0) == 0) return {};
  return {{DType::kBool, Shape(), DType::kBool}};
}

std::vector<Tensor> Outputs(const ops::Attributes& attributes) {
  if (attributes.GetOr<int64_t>("outputs", 0) == 0) return {};
  return {Scalar(true)};
}

// Inputs: the condition, then what is shown.
std::vector<Tensor> RunAssert(const ops::OpSpec&, const ops::Attributes& attributes,
                              const std::vector<Tensor>& inputs) {
  if (inputs[0].scalar<bool>()) return Outputs(attributes);
  std::string text = "assertion failed:";
  for (size_t i = 1; i < inputs.size(); ++i) {
    text += " [" + SummarizedFlat(inputs[i], attributes.GetOr<int64_t>("summarize", 3)) + "]";
  }
  throw Error(Code::kInvalidArgument, text);
}
const ops::RegisterOp kAssert({.name = "Assert",
                               .infer = InferOutputs,
                               .effects = {.external = true}});
const RegisterHostOp kRunAssert("Assert", {.function = RunAssert});

// `template`: a text in which "\x01" stands for the next input, and "\x02" for the next one in
// quotes where it is a lone text.
std::vector<Tensor> RunPrint(const ops::OpSpec&, const ops::Attributes& attributes,
                             const std::vector<Tensor>& inputs) {
  std::string text;
  size_t next = 0;
  for (char c : attributes.Get<std::string>("template")) {
    if ((c != '\x01' && c != '\x02') || next >= inputs.size()) {
      text += c;
      continue;
    }
    const Tensor& tensor = inputs[next++];
    const bool quoted =
        c == '\x02' && tensor.shape().rank() == 0 && tensor.dtype() == DType::kString;
    const std::string shown = SummarizedNested(tensor, attributes.GetOr<int64_t>("summarize", 3));
    text += quoted ? "\"" + shown + "\"" : shown;
  }
  (attributes.GetOr("to_stdout", false) ? std::cout : std::cerr) << text << std::flush;
  return Outputs(attributes);
}
const ops::RegisterOp kPrint({.name = "PrintV2",
                              .infer = InferOutputs,
                              .effects = {.external = true}});
const RegisterHostOp kRunPrint("PrintV2", {.function = RunPrint, .outside = true});

}  // namespace

}  // namespace lockstep::runtime
