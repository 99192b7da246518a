// Cumsum and Cumprod.

#include "lockstep/ops/math.h"
#include "lockstep/ops/reduce.h"
#include "ops/array_rules.h"

namespace lockstep {
namespace ops {
namespace {

std::vector<TensorType> InferScan(const InferenceContext& context) {
  AxisOf(context, context.inputs[0].shape.rank());
  return {context.inputs[0]};
}

RowEffect ScanRows(const RowContext& context) {
  return IntOf(context.attributes, "axis") == 0 ? RowEffect::kMixes : RowEffect::kRows;
}

ScanOptions Turned(const Attributes& attributes) {
  return {attributes.Get<bool>("exclusive"), !attributes.Get<bool>("reverse")};
}

std::vector<Tensor> CumsumGradient(const GradientContext& context) {
  return {Cumsum(context.output_gradients[0], IntOf(context.attributes, "axis"),
                 Turned(context.attributes))};
}

// As TensorFlow: 0 where the input is zero.
std::vector<Tensor> CumprodGradient(const GradientContext& context) {
  const Tensor weighted = Multiply(context.outputs[0], context.output_gradients[0]);
  return {
      DivideNoNan(Cumsum(weighted, IntOf(context.attributes, "axis"), Turned(context.attributes)),
                  context.inputs[0])};
}

const RegisterOp kCumsum(
    {.name = "Cumsum", .infer = InferScan, .gradient = CumsumGradient, .rows = ScanRows});
const RegisterOp kCumprod(
    {.name = "Cumprod", .infer = InferScan, .gradient = CumprodGradient, .rows = ScanRows});

Tensor EmitScan(const char* op, const Tensor& input, int axis, const ScanOptions& options) {
  const int64_t place = NormalizeAxis(axis, input.rank(), op);
  return Emit1(op, {input},
               {{"axis", place}, {"exclusive", options.exclusive}, {"reverse", options.reverse}});
}

}  // namespace
}  // namespace ops

Tensor Cumsum(const Tensor& input, int axis, const ScanOptions& options) {
  return ops::EmitScan("Cumsum", input, axis, options);
}
Tensor Cumprod(const Tensor& input, int axis, const ScanOptions& options) {
  return ops::EmitScan("Cumprod", input, axis, options);
}

}  // namespace lockstep
