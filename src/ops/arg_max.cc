#include "lockstep/ops/reduce.h"
#include "ops/array_rules.h"

namespace lockstep {
namespace ops {
namespace {

std::vector<TensorType> InferArgMax(const InferenceContext& context) {
  const TensorType& input = context.inputs[0];
  const int axis = AxisOf(context, input.shape.rank());
  if (input.shape[axis] == 0) {
    Reject(context.spec, "there must be elements along the axis",
           input.shape.ToString() + " and axis " + std::to_string(axis));
  }
  const DType dtype = context.attributes.Get<DType>("output_type");
  if (dtype != DType::kInt32 && dtype != DType::kInt64) {
    Reject(context.spec, "output_type must be int32 or int64", std::string(DTypeName(dtype)));
  }
  Shape shape;
  for (int i = 0; i < input.shape.rank(); ++i) {
    if (i != axis) shape.Append(input.shape[i]);
  }
  return {{dtype, shape}};
}

const RegisterOp kArgMax({.name = "ArgMax", .infer = InferArgMax, .rows = RowsUnlessAxis0});
const RegisterOp kArgMin({.name = "ArgMin", .infer = InferArgMax, .rows = RowsUnlessAxis0});

Tensor EmitArg(const char* op, const Tensor& input, int axis, DType output_type) {
  const int64_t place = NormalizeAxis(axis, input.rank(), op);
  return Emit1(op, {input}, {{"axis", place}, {"output_type", output_type}});
}

}  // namespace
}  // namespace ops

Tensor ArgMax(const Tensor& input, int axis, DType output_type) {
  return ops::EmitArg("ArgMax", input, axis, output_type);
}
Tensor ArgMin(const Tensor& input, int axis, DType output_type) {
  return ops::EmitArg("ArgMin", input, axis, output_type);
}

}  // namespace lockstep
