// Updates of some rows of a variable.

#include "lockstep/ops/array.h"
#include "ops/array_rules.h"

namespace lockstep {
namespace ops {
namespace {

std::vector<TensorType> InferResourceScatter(const InferenceContext& context) {
  const TensorType& variable = context.inputs[0];
  const TensorType& updates = context.inputs[2];
  if (variable.dtype != DType::kResource) {
    Reject(context.spec, "a variable is needed", variable.ToString());
  }
  RequireIndices(context.spec, context.inputs[1]);
  Shape wanted = context.inputs[1].shape;
  for (int i = 1; i < variable.shape.rank(); ++i) wanted.Append(variable.shape[i]);
  const bool fits = variable.shape.rank() > 0 && updates.dtype == variable.element &&
                    wanted.CompatibleWith(updates.shape);
  if (!fits) {
    Reject(context.spec, "there must be an update of the variable's dtype for each index",
           updates.ToString() + " instead of " +
               TensorType{variable.element, wanted, variable.element}.ToString());
  }
  return {};
}

OpSpec ResourceScatterSpec(const char* name) {
  return {.name = name, .infer = InferResourceScatter, .effects = {.reads = 1, .writes = 1}};
}

const RegisterOp kUpdate(ResourceScatterSpec("ResourceScatterUpdate"));
const RegisterOp kAdd(ResourceScatterSpec("ResourceScatterAdd"));
const RegisterOp kSub(ResourceScatterSpec("ResourceScatterSub"));
const RegisterOp kMul(ResourceScatterSpec("ResourceScatterMul"));
const RegisterOp kDiv(ResourceScatterSpec("ResourceScatterDiv"));
const RegisterOp kMin(ResourceScatterSpec("ResourceScatterMin"));
const RegisterOp kMax(ResourceScatterSpec("ResourceScatterMax"));

}  // namespace
}  // namespace ops

const char* ScatterOpName(ScatterKind kind) {
  switch (kind) {
    case ScatterKind::kUpdate:
      return "ResourceScatterUpdate";
    case ScatterKind::kAdd:
      return "ResourceScatterAdd";
    case ScatterKind::kSubtract:
      return "ResourceScatterSub";
    case ScatterKind::kMultiply:
      return "ResourceScatterMul";
    case ScatterKind::kDivide:
      return "ResourceScatterDiv";
    case ScatterKind::kMinimum:
      return "ResourceScatterMin";
    case ScatterKind::kMaximum:
      return "ResourceScatterMax";
  }
  return "";
}

void ScatterInto(const Tensor& variable, ScatterKind kind, const Tensor& indices,
                 const Tensor& updates) {
  ops::Emit(ScatterOpName(kind), {variable, indices, updates});
}

}  // namespace lockstep
