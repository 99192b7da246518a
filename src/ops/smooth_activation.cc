// Activations made of exponentials: shape rules and gradients to any order.

#include "lockstep/ops/activation.h"
#include "lockstep/ops/comparison.h"
#include "lockstep/ops/math.h"
#include "ops/elementwise.h"

namespace lockstep {

namespace ops {
namespace {

using Gradients = std::vector<Tensor>;
using Context = GradientContext;

OpSpec Activation(const char* name, InferFunction infer, GradientFunction gradient) {
  return {.name = name, .infer = infer, .gradient = gradient, .rows = RowsStay};
}

// Elu and Selu: attributes `below`, `above`. In terms of the result y the derivative under 0 is
// y + below.
Gradients ExponentialUnitGradient(const Context& context) {
  return {Emit1(context.spec.name + "Grad", {context.output_gradients[0], context.outputs[0]},
                context.attributes)};
}
Gradients ExponentialUnitGradGradient(const Context& context) {
  const Tensor& g = context.output_gradients[0];
  const Tensor& y = context.inputs[1];
  return {Emit1(context.spec.name, {g, y}, context.attributes),
          Where(Less(y, 0), g * context.inputs[0], 0)};
}
const RegisterOp kElu(Activation("Elu", InferRealUnary, ExponentialUnitGradient));
const RegisterOp kSelu(Activation("Selu", InferRealUnary, ExponentialUnitGradient));
const RegisterOp kEluGrad(Activation("EluGrad", InferRealPair, ExponentialUnitGradGradient));
const RegisterOp kSeluGrad(Activation("SeluGrad", InferRealPair, ExponentialUnitGradGradient));

Gradients SoftplusGradient(const Context& context) {
  return {Emit1("SoftplusGrad", {context.output_gradients[0], context.inputs[0]})};
}
Gradients SoftplusGradGradient(const Context& context) {
  const Tensor& g = context.output_gradients[0];
  const Tensor& x = context.inputs[1];
  return {Emit1("SoftplusGrad", {g, x}), Emit1("SigmoidGrad", {Sigmoid(x), g * context.inputs[0]})};
}
const RegisterOp kSoftplus(Activation("Softplus", InferRealUnary, SoftplusGradient));
const RegisterOp kSoftplusGrad(Activation("SoftplusGrad", InferRealPair, SoftplusGradGradient));

Gradients LogSigmoidGradient(const Context& context) {
  return {Emit1("SoftplusGrad", {context.output_gradients[0], -context.inputs[0]})};
}
const RegisterOp kLogSigmoid(Activation("LogSigmoid", InferRealUnary, LogSigmoidGradient));

Gradients SoftsignGradient(const Context& context) {
  return {Emit1("SoftsignGrad", {context.output_gradients[0], context.inputs[0]})};
}
Gradients SoftsignGradGradient(const Context& context) {
  const Tensor& g = context.output_gradients[0];
  const Tensor& x = context.inputs[1];
  const Tensor sum = 1 + Abs(x);
  return {Emit1("SoftsignGrad", {g, x}),
          g * context.inputs[0] * (-2 * Sign(x)) / (sum * sum * sum)};
}
const RegisterOp kSoftsign(Activation("Softsign", InferRealUnary, SoftsignGradient));
const RegisterOp kSoftsignGrad(Activation("SoftsignGrad", InferRealPair, SoftsignGradGradient));

Gradients SiluGradient(const Context& context) {
  const Tensor& x = context.inputs[0];
  const Tensor sigmoid = Sigmoid(x);
  return {context.output_gradients[0] * (sigmoid + x * sigmoid * (1 - sigmoid))};
}
const RegisterOp kSilu(Activation("Silu", InferRealUnary, SiluGradient));

// The second derivative: (2 - x^2) times the normal density.
Tensor ExactCurvature(const Tensor& x) {
  constexpr double kOneOverRootTwoPi = 0.3989422804014327;
  const Tensor square = Square(x);
  return (kOneOverRootTwoPi * Exp(-0.5 * square)) * (2 - square);
}

// The second derivative of x (1 + t) / 2, where t = tanh u and u = c (x + a x^3).
Tensor ApproximateCurvature(const Tensor& x) {
  constexpr double kC = 0.7978845608028654, kA = 0.044715;
  const Tensor square = Square(x);
  const Tensor t = Tanh(kC * (x + kA * square * x));
  const Tensor slope = kC + (3 * kC * kA) * square;  // u'
  const Tensor bend = (6 * kC * kA) * x;             // u''
  return (1 - t * t) * (slope + 0.5 * x * (bend - 2 * t * slope * slope));
}

Gradients GeluGradient(const Context& context) {
  return {Emit1("GeluGrad", {context.output_gradients[0], context.inputs[0]}, context.attributes)};
}
Gradients GeluGradGradient(const Context& context) {
  const Tensor& g = context.output_gradients[0];
  const Tensor& x = context.inputs[1];
  const bool approximate = context.attributes.Get<bool>("approximate");
  return {Emit1("GeluGrad", {g, x}, context.attributes),
          g * context.inputs[0] * (approximate ? ApproximateCurvature(x) : ExactCurvature(x))};
}
const RegisterOp kGelu(Activation("Gelu", InferRealUnary, GeluGradient));
const RegisterOp kGeluGrad(Activation("GeluGrad", InferRealPair, GeluGradGradient));

}  // namespace
}  // namespace ops

Tensor Elu(const Tensor& x, double alpha) {
  return ops::EmitUnary("Elu", x, {{"above", 1.0}, {"below", alpha}});
}
Tensor Selu(const Tensor& x) {
  constexpr double kScale = 1.0507009873554805, kAlpha = 1.6732632423543772;
  return ops::EmitUnary("Selu", x, {{"above", kScale}, {"below", kScale * kAlpha}});
}
Tensor Softplus(const Tensor& x) { return ops::EmitUnary("Softplus", x); }
Tensor Softsign(const Tensor& x) { return ops::EmitUnary("Softsign", x); }
Tensor Gelu(const Tensor& x, bool approximate) {
  return ops::EmitUnary("Gelu", x, {{"approximate", approximate}});
}
Tensor Silu(const Tensor& x) { return ops::EmitUnary("Silu", x); }
Tensor Mish(const Tensor& x) { return x * Tanh(Softplus(x)); }
Tensor HardSigmoid(const Tensor& x) { return Relu6(x + 3) / 6; }
Tensor LogSigmoid(const Tensor& x) { return ops::EmitUnary("LogSigmoid", x); }

}  // namespace lockstep
