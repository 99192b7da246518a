#include "lockstep/ops/strings.h"

#include "ops/array_rules.h"
#include "ops/builder.h"

namespace lockstep {
namespace ops {
namespace {

const Shape& TextsOf(const InferenceContext& context) {
  const TensorType& input = context.inputs[0];
  if (input.dtype != DType::kString)
    Reject(context.spec, "the input must be strings", input.ToString());
  return input.shape;
}

std::vector<TensorType> InferDecodeRaw(const InferenceContext& context) {
  Shape shape = TextsOf(context);
  const auto dtype = context.attributes.Get<DType>("out_type");
  const auto bytes = context.attributes.Get<int64_t>("fixed_length");
  const auto size = static_cast<int64_t>(DTypeSize(dtype));
  if (dtype == DType::kString || dtype == DType::kResource || size == 0)
    Reject(context.spec, "out_type must be a number's", std::string(DTypeName(dtype)));
  if (bytes != Shape::kUnknown && (bytes <= 0 || bytes % size != 0)) {
    Reject(context.spec,
           "fixed_length must be a multiple of the " + std::to_string(size) + " bytes of " +
               std::string(DTypeName(dtype)),
           std::to_string(bytes));
  }
  shape.Append(bytes == Shape::kUnknown ? bytes : bytes / size);
  return {{dtype, shape}};
}
const RegisterOp kDecodeRaw({.name = "DecodeRaw", .infer = InferDecodeRaw});

}  // namespace
}  // namespace ops

Tensor DecodeRaw(const Tensor& input, DType dtype, const DecodeRawOptions& options) {
  return ops::Emit1("DecodeRaw", {input},
                    {{"out_type", dtype},
                     {"little_endian", options.little_endian},
                     {"fixed_length", options.fixed_length.value_or(Shape::kUnknown)}});
}

}  // namespace lockstep
