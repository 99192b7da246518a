// The ops that write a variable in place.

#include "ops/op.h"

namespace lockstep::ops {
namespace {

std::vector<TensorType> InferAssign(const InferenceContext& context) {
  const TensorType& variable = context.inputs[0];
  const TensorType& value = context.inputs[1];
  if (variable.dtype != DType::kResource) {
    throw Error(Code::kInvalidArgument,
                "[" + context.spec.name + "] a variable is needed; got " + variable.ToString());
  }
  if (value.dtype != variable.element || !value.shape.CompatibleWith(variable.shape)) {
    const TensorType held{variable.element, variable.shape, variable.element};
    throw Error(Code::kInvalidArgument,
                "[" + context.spec.name + "] the value must have the variable's type; got " +
                    value.ToString() + " for a variable of " + held.ToString() +
                    (value.dtype != variable.element ? "; cast the value" : "; reshape the value"));
  }
  return {};
}

std::vector<TensorType> InferAccumulate(const InferenceContext& context) {
  const DType dtype = context.inputs[0].element;
  if (context.inputs[0].dtype == DType::kResource && !IsFloating(dtype) && !IsInteger(dtype)) {
    throw Error(Code::kInvalidArgument, "[" + context.spec.name +
                                            "] a variable of numbers is needed; got " +
                                            std::string(DTypeName(dtype)));
  }
  return InferAssign(context);
}

std::vector<TensorType> InferCompareAndAssign(const InferenceContext& context) {
  InferAssign(context);
  const TensorType inputs[] = {context.inputs[0], context.inputs[2]};
  InferAssign({context.spec, context.attributes, inputs});
  return {{DType::kBool, Shape{}, DType::kBool}};
}

const RegisterOp kCompareAndAssign({.name = "CompareAndAssignVariableOp",
                                    .infer = InferCompareAndAssign,
                                    .effects = {.reads = 1, .writes = 1}});
const RegisterOp kAssign({.name = "AssignVariableOp",
                          .infer = InferAssign,
                          .effects = {.writes = 1}});
const RegisterOp kAssignAdd({.name = "AssignAddVariableOp",
                             .infer = InferAccumulate,
                             .effects = {.reads = 1, .writes = 1}});
const RegisterOp kAssignSub({.name = "AssignSubVariableOp",
                             .infer = InferAccumulate,
                             .effects = {.reads = 1, .writes = 1}});

}  // namespace
}  // namespace lockstep::ops
