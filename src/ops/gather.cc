// Gather, and its adjoint, which adds up what was taken.

#include "lockstep/ops/array.h"
#include "lockstep/ops/indexed_slices.h"
#include "lockstep/ops/structure.h"
#include "ops/array_rules.h"

namespace lockstep {
namespace ops {
namespace {

std::vector<TensorType> InferGather(const InferenceContext& context) {
  const int batch_dims = IntOf(context.attributes, "batch_dims");
  const TensorType& params = context.inputs[0];
  const Shape& indices = context.inputs[1].shape;
  RequireIndices(context.spec, context.inputs[1]);
  if (!params.shape.ranked() && batch_dims == 0)
    return {{params.dtype, Shape::Unranked(), params.element}};
  const int axis = AxisOf(context, params.shape.rank());
  bool fits = batch_dims >= 0 && batch_dims <= axis && batch_dims <= indices.rank();
  for (int i = 0; i < batch_dims && fits; ++i) {
    fits = params.shape[i] < 0 || indices[i] < 0 || params.shape[i] == indices[i];
  }
  if (!fits) {
    Reject(context.spec, "batch_dims axes must agree, before the axis",
           params.shape.ToString() + " and " + indices.ToString() + ", batch_dims " +
               std::to_string(batch_dims) + ", axis " + std::to_string(axis));
  }
  Shape shape;
  for (int i = 0; i < axis; ++i) shape.Append(params.shape[i]);
  for (int i = batch_dims; i < indices.rank(); ++i) shape.Append(indices[i]);
  for (int i = axis + 1; i < params.shape.rank(); ++i) shape.Append(params.shape[i]);
  return {{params.dtype, shape, params.element}};
}

// Where the batch lies: with the indices, with the params, or with both.
RowEffect TakenRows(const RowContext& context, bool params_have_rows, bool indices_have_rows,
                    RowEffect at_indices) {
  const int axis = IntOf(context.attributes, "axis");
  const int batch_dims = IntOf(context.attributes, "batch_dims");
  if (batch_dims > 0) {
    return params_have_rows && indices_have_rows ? RowEffect::kRows : RowEffect::kMixes;
  }
  if (params_have_rows) {
    return axis > 0 && !indices_have_rows ? RowEffect::kRows : RowEffect::kMixes;
  }
  return axis == 0 && indices_have_rows ? at_indices : RowEffect::kMixes;
}

RowEffect GatherRows(const RowContext& context) {
  return TakenRows(context, context.has_rows[0], context.has_rows[1], RowEffect::kRows);
}

// Inputs: the gradient of a gather's result, its indices, its params (only their shape).
Tensor GatherAdjoint(const Tensor& gradient, const Tensor& indices, const Tensor& params,
                     const Attributes& attributes) {
  return Emit1("GatherAdjoint", {gradient, indices, params}, attributes);
}

// Along axis 0 the gradient stays a set of rows: those that were taken.
Tensor TakenSlices(const Tensor& gradient, const Tensor& indices, const Shape& params) {
  std::vector<int64_t> row{-1};
  for (int i = 1; i < params.rank(); ++i) row.push_back(params[i]);
  const bool flat = indices.rank() == 1;
  return IndexedSlices{flat ? gradient : Reshape(gradient, row),
                       flat ? indices : Reshape(indices, {-1}), params}
      .ToTensor();
}

std::vector<Tensor> GatherGradient(const GradientContext& context) {
  const Shape& params = context.inputs[0].shape();
  const bool rows = IntOf(context.attributes, "axis") == 0 &&
                    IntOf(context.attributes, "batch_dims") == 0 && params.fully_known() &&
                    !context.attributes.GetOr("drop_negative", false) &&
                    params.product(1, params.rank()) > 0;
  if (rows) {
    return {TakenSlices(context.output_gradients[0], context.inputs[1], params), Tensor()};
  }
  return {GatherAdjoint(context.output_gradients[0], context.inputs[1], context.inputs[0],
                        context.attributes),
          Tensor()};
}

const RegisterOp kGather(
    {.name = "GatherV2", .infer = InferGather, .gradient = GatherGradient, .rows = GatherRows});

// Rows of a table of bytes as numbers, times a scalar; made from GatherV2 along axis 0, Cast and
// Mul.
std::vector<TensorType> InferGatherScaled(const InferenceContext& context) {
  const TensorType& scale = context.inputs[2];
  if (!IsFloating(scale.dtype) || !scale.shape.CompatibleWith(Shape{}))
    Reject(context.spec, "the scale must be a floating scalar", scale.ToString());
  std::vector<TensorType> result = InferGather(context);
  result[0].dtype = scale.dtype;
  return result;
}

const RegisterOp kGatherScaled({.name = "_GatherScaled",
                                .infer = InferGatherScaled,
                                .rows = GatherRows});

std::vector<TensorType> InferGatherAdjoint(const InferenceContext& context) {
  const TensorType params{context.inputs[0].dtype, context.inputs[2].shape,
                          context.inputs[0].element};
  const TensorType inputs[] = {params, context.inputs[1]};
  const TensorType taken = InferGather({context.spec, context.attributes, inputs})[0];
  if (!context.inputs[0].shape.CompatibleWith(taken.shape)) {
    Reject(context.spec, "the gradient must have the shape of what was gathered",
           context.inputs[0].ToString() + " instead of " + taken.ToString());
  }
  return {{context.inputs[0].dtype, context.inputs[2].shape, context.inputs[0].element}};
}

std::vector<Tensor> GatherAdjointGradient(const GradientContext& context) {
  return {Emit1("GatherV2", {context.output_gradients[0], context.inputs[1]}, context.attributes),
          Tensor(), Tensor()};
}

RowEffect GatherAdjointRows(const RowContext& context) {
  if (!context.has_rows[0]) return RowEffect::kMixes;
  return TakenRows(context, context.has_rows[2], context.has_rows[1], RowEffect::kSum);
}

const RegisterOp kGatherAdjoint({.name = "GatherAdjoint",
                                 .infer = InferGatherAdjoint,
                                 .gradient = GatherAdjointGradient,
                                 .rows = GatherAdjointRows,
                                 .shape_only = 0b100});

}  // namespace
}  // namespace ops

Tensor Gather(const Tensor& params, const Tensor& indices, const GatherOptions& options) {
  const int64_t axis = NormalizeAxis(options.axis, params.rank(), "GatherV2");
  int64_t batch_dims = options.batch_dims;
  if (batch_dims < 0) batch_dims += indices.rank();
  if (batch_dims < 0) {
    throw Error(Code::kInvalidArgument,
                "[GatherV2] batch_dims must be at least minus the rank of "
                "indices; got " +
                    std::to_string(options.batch_dims));
  }
  std::vector<Tensor> operands{indices};
  ops::ResolveWeak(operands, "GatherV2");
  return ops::Emit1("GatherV2", {params, operands[0]},
                    {{"axis", axis}, {"batch_dims", batch_dims}});
}

}  // namespace lockstep
