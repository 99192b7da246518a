// Activations that bend at a point.

#include "lockstep/ops/activation.h"
#include "lockstep/ops/math.h"
#include "ops/elementwise.h"

namespace lockstep {

namespace ops {
namespace {

std::vector<Tensor> ReluGradient(const GradientContext& context) {
  // The output is positive where the input is, and a fused product keeps the output only.
  return {ReluGrad(context.output_gradients[0], context.outputs[0])};
}

std::vector<Tensor> ReluGradGradient(const GradientContext& context) {
  return {ReluGrad(context.output_gradients[0], context.inputs[1]), Tensor()};
}

std::vector<Tensor> Relu6Gradient(const GradientContext& context) {
  return {Emit1("Relu6Grad", {context.output_gradients[0], context.inputs[0]})};
}

std::vector<Tensor> Relu6GradGradient(const GradientContext& context) {
  return {Emit1("Relu6Grad", {context.output_gradients[0], context.inputs[1]}), Tensor()};
}

std::vector<Tensor> LeakyReluGradient(const GradientContext& context) {
  return {
      Emit1("LeakyReluGrad", {context.output_gradients[0], context.inputs[0]}, context.attributes)};
}

std::vector<Tensor> LeakyReluGradGradient(const GradientContext& context) {
  return {
      Emit1("LeakyReluGrad", {context.output_gradients[0], context.inputs[1]}, context.attributes),
      Tensor()};
}

OpSpec Activation(const char* name, InferFunction infer, GradientFunction gradient) {
  return {.name = name, .infer = infer, .gradient = gradient, .rows = RowsStay};
}

const RegisterOp kRelu(Activation("Relu", InferNumberUnary, ReluGradient));
const RegisterOp kReluGrad(Activation("ReluGrad", InferRealPair, ReluGradGradient));
const RegisterOp kRelu6(Activation("Relu6", InferNumberUnary, Relu6Gradient));
const RegisterOp kRelu6Grad(Activation("Relu6Grad", InferRealPair, Relu6GradGradient));
const RegisterOp kLeakyRelu(Activation("LeakyRelu", InferRealUnary, LeakyReluGradient));
const RegisterOp kLeakyReluGrad(Activation("LeakyReluGrad", InferRealPair, LeakyReluGradGradient));

}  // namespace
}  // namespace ops

Tensor Relu(const Tensor& x) { return ops::EmitUnary("Relu", x); }
Tensor ReluGrad(const Tensor& gradient, const Tensor& x) {
  return ops::Emit1("ReluGrad", {gradient, x});
}
Tensor Relu6(const Tensor& x) { return ops::EmitUnary("Relu6", x); }
Tensor LeakyRelu(const Tensor& x, double alpha) {
  const Tensor real = IsInteger(x.dtype()) ? Cast(x, DType::kFloat32) : x;
  return ops::EmitUnary("LeakyRelu", real, {{"alpha", alpha}});
}

}  // namespace lockstep
