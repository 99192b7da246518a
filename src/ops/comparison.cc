// Comparisons, logic, and the choice between two tensors.

#include "lockstep/ops/comparison.h"

#include "ops/elementwise.h"

namespace lockstep {

namespace ops {
namespace {

OpSpec Predicate(const char* name, InferFunction infer) {
  return {.name = name, .infer = infer, .rows = RowsStay};
}

std::vector<TensorType> InferOrder(const InferenceContext& context) {
  if (!IsFloating(context.inputs[0].dtype) && !IsInteger(context.inputs[0].dtype)) {
    ThrowDType(context, "numeric");
  }
  return InferComparison(context);
}

std::vector<TensorType> InferLogic(const InferenceContext& context) {
  for (const TensorType& input : context.inputs) {
    if (input.dtype != DType::kBool) ThrowDType(context, "bool");
  }
  return BroadcastInputs(context);
}

std::vector<TensorType> InferTest(const InferenceContext& context) {
  if (!IsFloating(context.inputs[0].dtype)) ThrowDType(context, "floating");
  return {{DType::kBool, context.inputs[0].shape, DType::kBool}};
}

const RegisterOp kEqual(Predicate("Equal", InferComparison));
const RegisterOp kNotEqual(Predicate("NotEqual", InferComparison));
const RegisterOp kLess(Predicate("Less", InferOrder));
const RegisterOp kLessEqual(Predicate("LessEqual", InferOrder));
const RegisterOp kGreater(Predicate("Greater", InferOrder));
const RegisterOp kGreaterEqual(Predicate("GreaterEqual", InferOrder));
const RegisterOp kAnd(Predicate("LogicalAnd", InferLogic));
const RegisterOp kOr(Predicate("LogicalOr", InferLogic));
const RegisterOp kNot(Predicate("LogicalNot", InferLogic));
const RegisterOp kIsNan(Predicate("IsNan", InferTest));
const RegisterOp kIsInf(Predicate("IsInf", InferTest));
const RegisterOp kIsFinite(Predicate("IsFinite", InferTest));

std::vector<TensorType> InferSelect(const InferenceContext& context) {
  const TensorType& condition = context.inputs[0];
  if (condition.dtype != DType::kBool) {
    throw Error(Code::kInvalidArgument, "[SelectV2] the condition must be bool; got " +
                                            condition.ToString() +
                                            "; compare it with 0, or cast it");
  }
  TensorType result =
      BroadcastInputs({context.spec, context.attributes, context.inputs.subspan(1)})[0];
  result.shape = BroadcastShapes(result.shape, condition.shape, "SelectV2");
  return {result};
}

std::vector<Tensor> SelectGradient(const GradientContext& context) {
  const Tensor& g = context.output_gradients[0];
  const Tensor& condition = context.inputs[0];
  const Tensor& yes = context.inputs[1];
  const Tensor& no = context.inputs[2];
  return {Tensor(), Unbroadcast(Where(condition, g, 0), yes, {condition, no}),
          Unbroadcast(Where(condition, 0, g), no, {condition, yes})};
}

const RegisterOp kSelect(
    {.name = "SelectV2", .infer = InferSelect, .gradient = SelectGradient, .rows = RowsStay});

}  // namespace
}  // namespace ops

Tensor Equal(const Tensor& a, const Tensor& b) { return ops::EmitBinary("Equal", a, b); }
Tensor NotEqual(const Tensor& a, const Tensor& b) { return ops::EmitBinary("NotEqual", a, b); }
Tensor Less(const Tensor& a, const Tensor& b) { return ops::EmitBinary("Less", a, b); }
Tensor LessEqual(const Tensor& a, const Tensor& b) { return ops::EmitBinary("LessEqual", a, b); }
Tensor Greater(const Tensor& a, const Tensor& b) { return ops::EmitBinary("Greater", a, b); }
Tensor GreaterEqual(const Tensor& a, const Tensor& b) {
  return ops::EmitBinary("GreaterEqual", a, b);
}
Tensor LogicalAnd(const Tensor& a, const Tensor& b) { return ops::EmitBinary("LogicalAnd", a, b); }
Tensor LogicalOr(const Tensor& a, const Tensor& b) { return ops::EmitBinary("LogicalOr", a, b); }
Tensor LogicalNot(const Tensor& x) { return ops::EmitUnary("LogicalNot", x); }
Tensor IsNan(const Tensor& x) { return ops::EmitUnary("IsNan", x); }
Tensor IsInf(const Tensor& x) { return ops::EmitUnary("IsInf", x); }
Tensor IsFinite(const Tensor& x) { return ops::EmitUnary("IsFinite", x); }

Tensor Where(const Tensor& condition, const Tensor& yes, const Tensor& no) {
  std::vector<Tensor> operands{yes, no};
  ops::ResolveWeak(operands, "SelectV2");
  const Tensor chosen = condition.is_weak() ? ops::CastScalar(condition, DType::kBool) : condition;
  return ops::Emit1("SelectV2", {chosen, operands[0], operands[1]});
}

}  // namespace lockstep
