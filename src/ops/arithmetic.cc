// Element-wise arithmetic: shape rules and gradients.

#include "lockstep/ops/broadcast.h"
#include "lockstep/ops/comparison.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/structure.h"
#include "ops/elementwise.h"

namespace lockstep {

namespace ops {
namespace {

using Gradients = std::vector<Tensor>;

Gradients BinaryGradients(const GradientContext& context, const Tensor& left, const Tensor& right) {
  const Tensor& a = context.inputs[0];
  const Tensor& b = context.inputs[1];
  return {Unbroadcast(left, a, {b}), Unbroadcast(right, b, {a})};
}

Gradients AddGradient(const GradientContext& context) {
  const Tensor& g = context.output_gradients[0];
  return BinaryGradients(context, g, g);
}

// The minus comes after the sum: there is less to negate.
Gradients SubGradient(const GradientContext& context) {
  const Tensor& g = context.output_gradients[0];
  const Gradients sums = BinaryGradients(context, g, g);
  return {sums[0], -sums[1]};
}

Gradients MulGradient(const GradientContext& context) {
  const Tensor& g = context.output_gradients[0];
  return BinaryGradients(context, g * context.inputs[1], g * context.inputs[0]);
}

Gradients RealDivGradient(const GradientContext& context) {
  const Tensor& g = context.output_gradients[0];
  const Tensor& a = context.inputs[0];
  const Tensor& b = context.inputs[1];
  return BinaryGradients(context, g / b, g * ((-a / b) / b));
}

Gradients DivNoNanGradient(const GradientContext& context) {
  const Tensor& g = context.output_gradients[0];
  const Tensor& a = context.inputs[0];
  const Tensor& b = context.inputs[1];
  return BinaryGradients(context, DivideNoNan(g, b), g * DivideNoNan(DivideNoNan(-a, b), b));
}

Gradients SquaredDifferenceGradient(const GradientContext& context) {
  const Tensor& g = context.output_gradients[0];
  const Tensor left = (2 * g) * (context.inputs[0] - context.inputs[1]);
  const Gradients sums = BinaryGradients(context, left, left);
  return {sums[0], -sums[1]};
}

Gradients MaximumGradient(const GradientContext& context) {
  const Tensor& g = context.output_gradients[0];
  const Tensor first = GreaterEqual(context.inputs[0], context.inputs[1]);
  return BinaryGradients(context, Where(first, g, 0), Where(first, 0, g));
}

Gradients MinimumGradient(const GradientContext& context) {
  const Tensor& g = context.output_gradients[0];
  const Tensor first = LessEqual(context.inputs[0], context.inputs[1]);
  return BinaryGradients(context, Where(first, g, 0), Where(first, 0, g));
}

Gradients NegGradient(const GradientContext& context) { return {-context.output_gradients[0]}; }

Gradients SquareGradient(const GradientContext& context) {
  return {context.output_gradients[0] * (2 * context.inputs[0])};
}

Gradients AbsGradient(const GradientContext& context) {
  return {context.output_gradients[0] * Sign(context.inputs[0])};
}

Gradients SignGradient(const GradientContext& context) { return {ZerosLike(context.inputs[0])}; }

// Nothing comes of nothing, also where the slope is infinite or no number, as in TensorFlow's
// kernels.
Tensor UnlessNothingFlows(const Tensor& upstream, const Tensor& gradient) {
  return Where(Equal(upstream, 0), 0, gradient);
}

Gradients ReciprocalGradient(const GradientContext& context) {
  const Tensor& y = context.outputs[0];
  const Tensor& upstream = context.output_gradients[0];
  return {UnlessNothingFlows(upstream, -upstream * (y * y))};
}

Gradients SqrtGradient(const GradientContext& context) {
  const Tensor& upstream = context.output_gradients[0];
  return {UnlessNothingFlows(upstream, (0.5 * upstream) / context.outputs[0])};
}

Gradients RsqrtGradient(const GradientContext& context) {
  const Tensor& y = context.outputs[0];
  const Tensor& upstream = context.output_gradients[0];
  return {UnlessNothingFlows(upstream, upstream * (-0.5 * y) * (y * y))};
}

OpSpec Binary(const char* name, InferFunction infer, GradientFunction gradient) {
  return {.name = name, .infer = infer, .gradient = gradient, .rows = RowsStay};
}

const RegisterOp kAdd(Binary("AddV2", InferNumberBinary, AddGradient));
const RegisterOp kSub(Binary("Sub", InferNumberBinary, SubGradient));
const RegisterOp kMul(Binary("Mul", InferNumberBinary, MulGradient));
const RegisterOp kRealDiv(Binary("RealDiv", InferRealBinary, RealDivGradient));
const RegisterOp kDivNoNan(Binary("DivNoNan", InferRealBinary, DivNoNanGradient));
const RegisterOp kSquaredDifference(Binary("SquaredDifference", InferNumberBinary,
                                           SquaredDifferenceGradient));
const RegisterOp kMaximum(Binary("Maximum", InferNumberBinary, MaximumGradient));
const RegisterOp kMinimum(Binary("Minimum", InferNumberBinary, MinimumGradient));
const RegisterOp kNeg(Binary("Neg", InferNumberUnary, NegGradient));
const RegisterOp kSquare(Binary("Square", InferNumberUnary, SquareGradient));
const RegisterOp kAbs(Binary("Abs", InferNumberUnary, AbsGradient));
const RegisterOp kSign(Binary("Sign", InferNumberUnary, SignGradient));
const RegisterOp kReciprocal(Binary("Reciprocal", InferRealUnary, ReciprocalGradient));
const RegisterOp kSqrt(Binary("Sqrt", InferRealUnary, SqrtGradient));
const RegisterOp kRsqrt(Binary("Rsqrt", InferRealUnary, RsqrtGradient));

std::vector<TensorType> InferAddN(const InferenceContext& context) {
  if (context.inputs.empty()) {
    throw Error(Code::kInvalidArgument, "[AddN] at least one tensor is needed; got none");
  }
  TensorType result = context.inputs[0];
  for (const TensorType& input : context.inputs) {
    if (input.dtype != result.dtype || !input.shape.CompatibleWith(result.shape)) {
      throw Error(Code::kInvalidArgument, "[AddN] all types must agree; got " + result.ToString() +
                                              " and " + input.ToString());
    }
    for (int axis = 0; axis < result.shape.rank(); ++axis) {
      if (result.shape[axis] < 0) result.shape.set_dim(axis, input.shape[axis]);
    }
  }
  if (!IsFloating(result.dtype) && !IsInteger(result.dtype)) ThrowDType(context, "numeric");
  return {result};
}

Gradients AddNGradient(const GradientContext& context) {
  return Gradients(context.inputs.size(), context.output_gradients[0]);
}

const RegisterOp kAddN(
    {.name = "AddN", .infer = InferAddN, .gradient = AddNGradient, .rows = RowsStay});

std::vector<TensorType> InferCast(const InferenceContext& context) {
  const DType from = context.inputs[0].dtype;
  const DType to = context.attributes.Get<DType>("DstT");
  const auto castable = [](DType dtype) {
    return IsFloating(dtype) || IsInteger(dtype) || dtype == DType::kBool;
  };
  if (from != to && (!castable(from) || !castable(to))) {
    throw Error(Code::kInvalidArgument, "[Cast] numbers and bool can be cast; got " +
                                            context.inputs[0].ToString() + " to " +
                                            std::string(DTypeName(to)));
  }
  return {{to, context.inputs[0].shape, to}};
}

Gradients CastGradient(const GradientContext& context) {
  const DType from = context.inputs[0].dtype();
  const Tensor& g = context.output_gradients[0];
  if (!IsFloating(from) || !IsFloating(g.dtype())) return {Tensor()};
  return {lockstep::Cast(g, from)};
}

const RegisterOp kCast(
    {.name = "Cast", .infer = InferCast, .gradient = CastGradient, .rows = RowsStay});

// What Python's true division makes of integers.
DType QuotientDType(DType dtype) {
  return dtype == DType::kInt32 || dtype == DType::kInt64 ? DType::kFloat64 : DType::kFloat32;
}

}  // namespace
}  // namespace ops

Tensor Add(const Tensor& a, const Tensor& b) { return ops::EmitBinary("AddV2", a, b); }
Tensor Subtract(const Tensor& a, const Tensor& b) { return ops::EmitBinary("Sub", a, b); }
Tensor Multiply(const Tensor& a, const Tensor& b) { return ops::EmitBinary("Mul", a, b); }

namespace {

// A quotient by `op`, with integers of one dtype as real numbers.
Tensor Quotient(const char* op, const Tensor& a, const Tensor& b) {
  std::vector<Tensor> operands{a, b};
  ops::ResolveWeak(operands, op);
  const DType dtype = operands[0].dtype();
  if (IsInteger(dtype) && operands[1].dtype() == dtype) {
    for (Tensor& operand : operands) operand = Cast(operand, ops::QuotientDType(dtype));
  }
  return ops::Emit1(op, std::move(operands));
}

}  // namespace

Tensor Divide(const Tensor& a, const Tensor& b) { return Quotient("RealDiv", a, b); }
Tensor DivideNoNan(const Tensor& a, const Tensor& b) { return Quotient("DivNoNan", a, b); }
Tensor Maximum(const Tensor& a, const Tensor& b) { return ops::EmitBinary("Maximum", a, b); }
Tensor Minimum(const Tensor& a, const Tensor& b) { return ops::EmitBinary("Minimum", a, b); }
Tensor SquaredDifference(const Tensor& a, const Tensor& b) {
  return ops::EmitBinary("SquaredDifference", a, b);
}

Tensor Negative(const Tensor& x) { return ops::EmitUnary("Neg", x); }
Tensor Square(const Tensor& x) { return ops::EmitUnary("Square", x); }
Tensor Abs(const Tensor& x) { return ops::EmitUnary("Abs", x); }
Tensor Sign(const Tensor& x) { return ops::EmitUnary("Sign", x); }
Tensor Reciprocal(const Tensor& x) { return ops::EmitUnary("Reciprocal", x); }
Tensor Sqrt(const Tensor& x) { return ops::EmitUnary("Sqrt", x); }
Tensor Rsqrt(const Tensor& x) { return ops::EmitUnary("Rsqrt", x); }

Tensor AddN(const std::vector<Tensor>& inputs) {
  std::vector<Tensor> operands = inputs;
  if (!operands.empty()) ops::ResolveWeak(operands, "AddN");
  return ops::Emit1("AddN", std::move(operands));
}
Tensor AccumulateN(const std::vector<Tensor>& inputs) { return AddN(inputs); }

Tensor Cast(const Tensor& x, DType dtype) {
  std::vector<Tensor> operands{x};
  ops::ResolveWeak(operands, "Cast");
  if (operands[0].dtype() == dtype) return operands[0];
  return ops::Emit1("Cast", std::move(operands), {{"DstT", dtype}});
}

}  // namespace lockstep
