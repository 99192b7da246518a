// Elementary functions: shape rules and gradients.

#include "lockstep/ops/comparison.h"
#include "lockstep/ops/math.h"
#include "ops/elementwise.h"

namespace lockstep {

namespace ops {
namespace {

using Gradients = std::vector<Tensor>;
using Context = GradientContext;

// A gradient that is the output's times a function of input and output.
#define LOCKSTEP_DERIVATIVE(Name, expression)              \
  Gradients Name##Gradient(const Context& context) {       \
    const Tensor& g = context.output_gradients[0];         \
    [[maybe_unused]] const Tensor& x = context.inputs[0];  \
    [[maybe_unused]] const Tensor& y = context.outputs[0]; \
    return {expression};                                   \
  }                                                        \
  const RegisterOp k##Name(                                \
      {.name = #Name, .infer = InferRealUnary, .gradient = Name##Gradient, .rows = RowsStay});

constexpr double kTwoOverRootPi = 1.1283791670955126;

LOCKSTEP_DERIVATIVE(Exp, g* y)
LOCKSTEP_DERIVATIVE(Expm1, g* lockstep::Exp(x))
LOCKSTEP_DERIVATIVE(Log, g / x)
LOCKSTEP_DERIVATIVE(Log1p, g / (1 + x))
LOCKSTEP_DERIVATIVE(Sin, g* lockstep::Cos(x))
LOCKSTEP_DERIVATIVE(Cos, -g* lockstep::Sin(x))
LOCKSTEP_DERIVATIVE(Tan, g*(1 + y * y))
LOCKSTEP_DERIVATIVE(Asin, g / Sqrt(1 - Square(x)))
LOCKSTEP_DERIVATIVE(Acos, -g / Sqrt(1 - Square(x)))
LOCKSTEP_DERIVATIVE(Atan, g / (1 + Square(x)))
LOCKSTEP_DERIVATIVE(Sinh, g* lockstep::Cosh(x))
LOCKSTEP_DERIVATIVE(Cosh, g* lockstep::Sinh(x))
LOCKSTEP_DERIVATIVE(Tanh, Emit1("TanhGrad", {y, g}))
LOCKSTEP_DERIVATIVE(Asinh, g / lockstep::Cosh(y))
LOCKSTEP_DERIVATIVE(Acosh, g / lockstep::Sinh(y))
LOCKSTEP_DERIVATIVE(Atanh, g / (1 - Square(x)))
LOCKSTEP_DERIVATIVE(Erf, g*(kTwoOverRootPi* lockstep::Exp(-Square(x))))
LOCKSTEP_DERIVATIVE(Erfc, g*(-kTwoOverRootPi* lockstep::Exp(-Square(x))))
LOCKSTEP_DERIVATIVE(Sigmoid, Emit1("SigmoidGrad", {y, g}))
LOCKSTEP_DERIVATIVE(Lgamma, g* lockstep::Digamma(x))
LOCKSTEP_DERIVATIVE(Digamma, g* lockstep::Polygamma(1, x))

#undef LOCKSTEP_DERIVATIVE

// d (g (1 - y^2)).
Gradients TanhGradGradient(const Context& context) {
  const Tensor& y = context.inputs[0];
  const Tensor& g = context.output_gradients[0];
  return {g * context.inputs[1] * (-2 * y), Emit1("TanhGrad", {y, g})};
}
// d (g y (1 - y)).
Gradients SigmoidGradGradient(const Context& context) {
  const Tensor& y = context.inputs[0];
  const Tensor& g = context.output_gradients[0];
  return {g * context.inputs[1] * (1 - 2 * y), Emit1("SigmoidGrad", {y, g})};
}

const RegisterOp kTanhGrad(
    {.name = "TanhGrad", .infer = InferRealPair, .gradient = TanhGradGradient, .rows = RowsStay});
const RegisterOp kSigmoidGrad({.name = "SigmoidGrad",
                               .infer = InferRealPair,
                               .gradient = SigmoidGradGradient,
                               .rows = RowsStay});

Gradients PolygammaGradient(const Context& context) {
  const int order = static_cast<int>(context.attributes.Get<int64_t>("order"));
  return {context.output_gradients[0] * lockstep::Polygamma(order + 1, context.inputs[0])};
}
void RequireOrder(int64_t order) {
  if (order >= 1 && order <= 100) return;
  throw Error(Code::kInvalidArgument,
              "[Polygamma] the order must lie in [1, 100]; got " + std::to_string(order));
}

std::vector<TensorType> InferPolygamma(const InferenceContext& context) {
  RequireOrder(context.attributes.Get<int64_t>("order"));
  return InferRealUnary(context);
}

const RegisterOp kPolygamma({.name = "Polygamma",
                             .infer = InferPolygamma,
                             .gradient = PolygammaGradient,
                             .rows = RowsStay});

// The logarithm of what is above zero; elsewhere neither it nor its derivative counts.
Tensor LogOfPositive(const Tensor& x) {
  const Tensor positive = Greater(x, 0);
  return Where(positive, lockstep::Log(Where(positive, x, 1)), 0);
}

Gradients PowGradient(const Context& context) {
  const Tensor& g = context.output_gradients[0];
  const Tensor& a = context.inputs[0];
  const Tensor& b = context.inputs[1];
  return {Unbroadcast(g * b * lockstep::Pow(a, b - 1), a, {b}),
          Unbroadcast(g * context.outputs[0] * LogOfPositive(a), b, {a})};
}

Gradients Atan2Gradient(const Context& context) {
  const Tensor& y = context.inputs[0];
  const Tensor& x = context.inputs[1];
  const Tensor share = context.output_gradients[0] / (Square(x) + Square(y));
  return {Unbroadcast(x * share, y, {x}), Unbroadcast(-y * share, x, {y})};
}

const RegisterOp kPow(
    {.name = "Pow", .infer = InferNumberBinary, .gradient = PowGradient, .rows = RowsStay});
const RegisterOp kAtan2(
    {.name = "Atan2", .infer = InferRealBinary, .gradient = Atan2Gradient, .rows = RowsStay});

Gradients FloorModGradient(const Context& context) {
  const Tensor& g = context.output_gradients[0];
  const Tensor& a = context.inputs[0];
  const Tensor& b = context.inputs[1];
  return {Unbroadcast(g, a, {b}), Unbroadcast(-g * lockstep::FloorDiv(a, b), b, {a})};
}
Gradients TruncateModGradient(const Context& context) {
  const Tensor& g = context.output_gradients[0];
  const Tensor& a = context.inputs[0];
  const Tensor& b = context.inputs[1];
  return {Unbroadcast(g, a, {b}), Unbroadcast(-g * lockstep::TruncateDiv(a, b), b, {a})};
}

const RegisterOp kFloorDiv({.name = "FloorDiv", .infer = InferNumberBinary, .rows = RowsStay});
const RegisterOp kTruncateDiv({.name = "TruncateDiv",
                               .infer = InferNumberBinary,
                               .rows = RowsStay});
const RegisterOp kFloorMod({.name = "FloorMod",
                            .infer = InferNumberBinary,
                            .gradient = FloorModGradient,
                            .rows = RowsStay});
const RegisterOp kTruncateMod({.name = "TruncateMod",
                               .infer = InferNumberBinary,
                               .gradient = TruncateModGradient,
                               .rows = RowsStay});
const RegisterOp kFloor({.name = "Floor", .infer = InferRealUnary, .rows = RowsStay});
const RegisterOp kCeil({.name = "Ceil", .infer = InferRealUnary, .rows = RowsStay});
const RegisterOp kRint({.name = "Rint", .infer = InferRealUnary, .rows = RowsStay});
const RegisterOp kRound({.name = "Round", .infer = InferNumberUnary, .rows = RowsStay});

}  // namespace
}  // namespace ops

Tensor Exp(const Tensor& x) { return ops::EmitUnary("Exp", x); }
Tensor Expm1(const Tensor& x) { return ops::EmitUnary("Expm1", x); }
Tensor Log(const Tensor& x) { return ops::EmitUnary("Log", x); }
Tensor Log1p(const Tensor& x) { return ops::EmitUnary("Log1p", x); }
Tensor Sin(const Tensor& x) { return ops::EmitUnary("Sin", x); }
Tensor Cos(const Tensor& x) { return ops::EmitUnary("Cos", x); }
Tensor Tan(const Tensor& x) { return ops::EmitUnary("Tan", x); }
Tensor Asin(const Tensor& x) { return ops::EmitUnary("Asin", x); }
Tensor Acos(const Tensor& x) { return ops::EmitUnary("Acos", x); }
Tensor Atan(const Tensor& x) { return ops::EmitUnary("Atan", x); }
Tensor Sinh(const Tensor& x) { return ops::EmitUnary("Sinh", x); }
Tensor Cosh(const Tensor& x) { return ops::EmitUnary("Cosh", x); }
Tensor Tanh(const Tensor& x) { return ops::EmitUnary("Tanh", x); }
Tensor Asinh(const Tensor& x) { return ops::EmitUnary("Asinh", x); }
Tensor Acosh(const Tensor& x) { return ops::EmitUnary("Acosh", x); }
Tensor Atanh(const Tensor& x) { return ops::EmitUnary("Atanh", x); }
Tensor Erf(const Tensor& x) { return ops::EmitUnary("Erf", x); }
Tensor Erfc(const Tensor& x) { return ops::EmitUnary("Erfc", x); }
Tensor Sigmoid(const Tensor& x) { return ops::EmitUnary("Sigmoid", x); }
Tensor Lgamma(const Tensor& x) { return ops::EmitUnary("Lgamma", x); }
Tensor Digamma(const Tensor& x) { return ops::EmitUnary("Digamma", x); }

Tensor Polygamma(int order, const Tensor& x) {
  ops::RequireOrder(order);
  return ops::EmitUnary("Polygamma", x, {{"order", int64_t{order}}});
}

Tensor Pow(const Tensor& a, const Tensor& b) { return ops::EmitBinary("Pow", a, b); }
Tensor Atan2(const Tensor& y, const Tensor& x) { return ops::EmitBinary("Atan2", y, x); }
Tensor FloorDiv(const Tensor& a, const Tensor& b) { return ops::EmitBinary("FloorDiv", a, b); }
Tensor FloorMod(const Tensor& a, const Tensor& b) { return ops::EmitBinary("FloorMod", a, b); }
Tensor TruncateDiv(const Tensor& a, const Tensor& b) {
  return ops::EmitBinary("TruncateDiv", a, b);
}
Tensor TruncateMod(const Tensor& a, const Tensor& b) {
  return ops::EmitBinary("TruncateMod", a, b);
}
Tensor Floor(const Tensor& x) { return ops::EmitUnary("Floor", x); }
Tensor Ceil(const Tensor& x) { return ops::EmitUnary("Ceil", x); }
Tensor Round(const Tensor& x) { return ops::EmitUnary("Round", x); }
Tensor Rint(const Tensor& x) { return ops::EmitUnary("Rint", x); }

}  // namespace lockstep
