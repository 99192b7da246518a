// Repeating tensors, tensors of one value, and the adjoint: sums to a smaller shape.

#include "lockstep/ops/broadcast.h"

#include "lockstep/ops/structure.h"
#include "ops/elementwise.h"

namespace lockstep {

namespace ops {
namespace {

void RequireBroadcast(const InferenceContext& context, const Shape& from, const Shape& to) {
  bool fits = from.rank() <= to.rank();
  for (int axis = 0; fits && axis < from.rank(); ++axis) {
    const int64_t own = from[axis];
    const int64_t target = to[axis + to.rank() - from.rank()];
    fits = own == 1 || own == target || own < 0 || target < 0;
  }
  if (!fits) {
    throw Error(Code::kInvalidArgument,
                "[" + context.spec.name + "] the smaller shape must broadcast to the larger; got " +
                    from.ToString() + " and " + to.ToString());
  }
}

std::vector<TensorType> InferBroadcastTo(const InferenceContext& context) {
  const Shape shape(context.attributes.Get<std::vector<int64_t>>("shape"));
  RequireBroadcast(context, context.inputs[0].shape, shape);
  return {{context.inputs[0].dtype, shape, context.inputs[0].element}};
}

std::vector<TensorType> InferBroadcastLike(const InferenceContext& context) {
  RequireBroadcast(context, context.inputs[0].shape, context.inputs[1].shape);
  return {{context.inputs[0].dtype, context.inputs[1].shape, context.inputs[0].element}};
}

std::vector<TensorType> InferSumLike(const InferenceContext& context) {
  if (!IsFloating(context.inputs[0].dtype)) {
    throw Error(Code::kInvalidArgument,
                "[SumLike] a floating dtype is needed; got " + context.inputs[0].ToString());
  }
  RequireBroadcast(context, context.inputs[1].shape, context.inputs[0].shape);
  return {{context.inputs[0].dtype, context.inputs[1].shape, context.inputs[0].element}};
}

std::vector<Tensor> BroadcastGradient(const GradientContext& context) {
  std::vector<Tensor> gradients(context.inputs.size());
  gradients[0] = SumLike(context.output_gradients[0], context.inputs[0]);
  return gradients;
}

std::vector<Tensor> SumLikeGradient(const GradientContext& context) {
  return {BroadcastLike(context.output_gradients[0], context.inputs[0]), Tensor()};
}

// Rows are summed away unless the other tensor has the same rows.
RowEffect SumLikeRows(const RowContext& context) {
  if (!context.has_rows[0]) return RowEffect::kMixes;
  if (!context.has_rows[1]) {
    const Shape& from = context.inputs[0].shape;
    const Shape& to = context.inputs[1].shape;
    const bool summed = to.rank() < from.rank() || to[0] == 1;
    return summed ? RowEffect::kSum : RowEffect::kMixes;
  }
  return context.inputs[0].shape.rank() == context.inputs[1].shape.rank() ? RowEffect::kRows
                                                                          : RowEffect::kMixes;
}

const RegisterOp kBroadcastTo({.name = "BroadcastTo",
                               .infer = InferBroadcastTo,
                               .gradient = BroadcastGradient,
                               .rows = RowsStay});
const RegisterOp kBroadcastLike({.name = "BroadcastLike",
                                 .infer = InferBroadcastLike,
                                 .gradient = BroadcastGradient,
                                 .rows = RowsStay,
                                 .shape_only = 0b10});
const RegisterOp kSumLike({.name = "SumLike",
                           .infer = InferSumLike,
                           .gradient = SumLikeGradient,
                           .rows = SumLikeRows,
                           .shape_only = 0b10});
const RegisterOp kFill(
    {.name = "Fill", .infer = InferBroadcastTo, .gradient = BroadcastGradient, .rows = RowsMix});
const RegisterOp kZerosLike(
    {.name = "ZerosLike", .infer = SameAsFirstInput, .rows = RowsStay, .shape_only = 1});
const RegisterOp kOnesLike(
    {.name = "OnesLike", .infer = SameAsFirstInput, .rows = RowsStay, .shape_only = 1});

}  // namespace
}  // namespace ops

Tensor SumLike(const Tensor& input, const Tensor& like) {
  return ops::Emit1("SumLike", {input, like});
}

Tensor BroadcastTo(const Tensor& x, const Shape& shape) {
  return ops::EmitUnary("BroadcastTo", x, {{"shape", shape.vector()}});
}

Tensor BroadcastLike(const Tensor& x, const Tensor& like) {
  std::vector<Tensor> operands{x};
  ops::ResolveWeak(operands, "BroadcastLike");
  return ops::Emit1("BroadcastLike", {operands[0], like});
}

Tensor Fill(const Shape& shape, const Tensor& value) {
  if (value.rank() != 0) {
    throw Error(Code::kInvalidArgument,
                "[Fill] the value must be a scalar; got shape " + value.shape().ToString());
  }
  return ops::EmitUnary("Fill", value, {{"shape", shape.vector()}});
}

Tensor Zeros(const Shape& shape, DType dtype) { return Fill(shape, ops::CastScalar(0, dtype)); }
Tensor Ones(const Shape& shape, DType dtype) { return Fill(shape, ops::CastScalar(1, dtype)); }
Tensor ZerosLike(const Tensor& x) { return ops::EmitUnary("ZerosLike", x); }
Tensor OnesLike(const Tensor& x) { return ops::EmitUnary("OnesLike", x); }

}  // namespace lockstep
