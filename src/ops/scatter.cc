// GatherNd, ScatterNd, TensorScatterUpdate and TensorScatterAdd: elements named by whole places.

#include "lockstep/ops/array.h"
#include "lockstep/ops/broadcast.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/reduce.h"
#include "ops/array_rules.h"

namespace lockstep {
namespace ops {
namespace {

// The last axis of the indices names a place along the first axes of the array: what is left.
Shape SliceOfPlaces(const OpSpec& spec, const TensorType& indices, const Shape& array) {
  RequireIndices(spec, indices);
  const int rank = indices.shape.rank();
  const int64_t depth = rank > 0 ? indices.shape[rank - 1] : -1;
  if (rank == 0 || depth < 0 || depth > array.rank()) {
    Reject(spec, "the last axis of indices must name a place in the array",
           "indices " + indices.shape.ToString() + " for " + array.ToString());
  }
  return Shape(array.sizes().subspan(depth));
}

std::vector<TensorType> InferGatherNd(const InferenceContext& context) {
  const TensorType& params = context.inputs[0];
  const Shape slice = SliceOfPlaces(context.spec, context.inputs[1], params.shape);
  const Shape& indices = context.inputs[1].shape;
  Shape shape;
  for (int i = 0; i < indices.rank() - 1; ++i) shape.Append(indices[i]);
  for (int64_t size : slice.sizes()) shape.Append(size);
  return {{params.dtype, shape, params.element}};
}

RowEffect GatherNdRows(const RowContext& context) {
  const bool by_index =
      !context.has_rows[0] && context.has_rows[1] && context.inputs[1].shape.rank() > 1;
  return by_index ? RowEffect::kRows : RowEffect::kMixes;
}

std::vector<Tensor> GatherNdGradient(const GradientContext& context) {
  return {
      Emit1("GatherNdAdjoint", {context.output_gradients[0], context.inputs[1], context.inputs[0]}),
      Tensor()};
}

const RegisterOp kGatherNd({.name = "GatherNd",
                            .infer = InferGatherNd,
                            .gradient = GatherNdGradient,
                            .rows = GatherNdRows});

// Inputs: slices, their places, the array that they were taken from (only its shape).
std::vector<TensorType> InferGatherNdAdjoint(const InferenceContext& context) {
  const TensorType inputs[] = {context.inputs[2], context.inputs[1]};
  const TensorType taken = InferGatherNd({context.spec, context.attributes, inputs})[0];
  if (!context.inputs[0].shape.CompatibleWith(taken.shape)) {
    Reject(context.spec, "the gradient must have the shape of what was gathered",
           context.inputs[0].ToString() + " instead of " + taken.ToString());
  }
  return {{context.inputs[0].dtype, context.inputs[2].shape, context.inputs[0].element}};
}

RowEffect GatherNdAdjointRows(const RowContext& context) {
  const bool sum = context.has_rows[0] && context.has_rows[1] && !context.has_rows[2] &&
                   context.inputs[1].shape.rank() > 1;
  return sum ? RowEffect::kSum : RowEffect::kMixes;
}

std::vector<Tensor> GatherNdAdjointGradient(const GradientContext& context) {
  return {GatherNd(context.output_gradients[0], context.inputs[1]), Tensor(), Tensor()};
}

const RegisterOp kGatherNdAdjoint({.name = "GatherNdAdjoint",
                                   .infer = InferGatherNdAdjoint,
                                   .gradient = GatherNdAdjointGradient,
                                   .rows = GatherNdAdjointRows,
                                   .shape_only = 0b100});

void RequireUpdates(const OpSpec& spec, const TensorType& indices, const Shape& updates,
                    const Shape& array) {
  const Shape slice = SliceOfPlaces(spec, indices, array);
  Shape wanted;
  for (int i = 0; i < indices.shape.rank() - 1; ++i) wanted.Append(indices.shape[i]);
  for (int64_t size : slice.sizes()) wanted.Append(size);
  if (!wanted.CompatibleWith(updates)) {
    Reject(spec, "there must be an update for each place",
           "updates " + updates.ToString() + " instead of " + wanted.ToString());
  }
}

std::vector<TensorType> InferScatterNd(const InferenceContext& context) {
  const TensorType& updates = context.inputs[1];
  const Shape shape(ListOf(context.attributes, "shape"));
  RequireUpdates(context.spec, context.inputs[0], updates.shape, shape);
  return {{updates.dtype, shape, updates.element}};
}

RowEffect ScatterNdRows(const RowContext& context) {
  const bool sum = context.has_rows[0] && context.has_rows[1] && context.inputs[0].shape.rank() > 1;
  return sum ? RowEffect::kSum : RowEffect::kMixes;
}

std::vector<Tensor> ScatterNdGradient(const GradientContext& context) {
  return {Tensor(), GatherNd(context.output_gradients[0], context.inputs[0])};
}

const RegisterOp kScatterNd({.name = "ScatterNd",
                             .infer = InferScatterNd,
                             .gradient = ScatterNdGradient,
                             .rows = ScatterNdRows});

std::vector<TensorType> InferTensorScatter(const InferenceContext& context) {
  if (context.inputs[2].dtype != context.inputs[0].dtype) {
    Reject(context.spec, "dtypes must agree",
           context.inputs[0].ToString() + " and " + context.inputs[2].ToString());
  }
  RequireUpdates(context.spec, context.inputs[1], context.inputs[2].shape, context.inputs[0].shape);
  return {context.inputs[0]};
}

std::vector<Tensor> UpdateGradient(const GradientContext& context) {
  const Tensor& gradient = context.output_gradients[0];
  const Tensor& indices = context.inputs[1];
  const Tensor nothing = ZerosLike(context.inputs[2]);
  return {TensorScatterUpdate(gradient, indices, nothing), Tensor(), GatherNd(gradient, indices)};
}

std::vector<Tensor> AddGradient(const GradientContext& context) {
  const Tensor& gradient = context.output_gradients[0];
  return {gradient, Tensor(), GatherNd(gradient, context.inputs[1])};
}

const RegisterOp kTensorScatterUpdate({.name = "TensorScatterUpdate",
                                       .infer = InferTensorScatter,
                                       .gradient = UpdateGradient});
const RegisterOp kTensorScatterAdd({.name = "TensorScatterAdd",
                                    .infer = InferTensorScatter,
                                    .gradient = AddGradient});

// The values of `dense_shape` are not looked at: the number of axes is all that is known.
std::vector<TensorType> InferSparseToDense(const InferenceContext& context) {
  const TensorType &indices = context.inputs[0], &sizes = context.inputs[1];
  const TensorType &values = context.inputs[2], &other = context.inputs[3];
  const bool whole = indices.dtype == DType::kInt64 && sizes.dtype == DType::kInt64;
  const bool fits = whole && indices.shape.rank() == 2 && sizes.shape.rank() == 1 &&
                    values.shape.rank() == 1 && sizes.shape[0] >= 0 &&
                    Shape{values.shape[0], sizes.shape[0]}.CompatibleWith(indices.shape);
  if (!fits || other.dtype != values.dtype || other.shape.rank() != 0) {
    Reject(context.spec,
           "indices must be int64 [n,rank], dense_shape int64 [rank], values [n], the default a "
           "scalar of their dtype",
           indices.ToString() + ", " + sizes.ToString() + ", " + values.ToString() + " and " +
               other.ToString());
  }
  Shape shape;
  for (int64_t axis = 0; axis < sizes.shape[0]; ++axis) shape.Append(Shape::kUnknown);
  return {{values.dtype, shape, values.element}};
}

std::vector<Tensor> SparseToDenseGradient(const GradientContext& context) {
  const Tensor& gradient = context.output_gradients[0];
  const Tensor kept = GatherNd(gradient, context.inputs[0]);
  return {Tensor(), Tensor(), kept, ReduceSum(gradient) - ReduceSum(kept)};
}

const RegisterOp kSparseToDense({.name = "SparseToDense",
                                 .infer = InferSparseToDense,
                                 .gradient = SparseToDenseGradient});

}  // namespace
}  // namespace ops

Tensor GatherNd(const Tensor& params, const Tensor& indices) {
  return ops::Emit1("GatherNd", {params, indices});
}
Tensor ScatterNd(const Tensor& indices, const Tensor& updates, const std::vector<int64_t>& shape) {
  return ops::Emit1("ScatterNd", {indices, updates}, {{"shape", shape}});
}
Tensor TensorScatterUpdate(const Tensor& tensor, const Tensor& indices, const Tensor& updates) {
  return ops::Emit1("TensorScatterUpdate", {tensor, indices, updates});
}
Tensor TensorScatterAdd(const Tensor& tensor, const Tensor& indices, const Tensor& updates) {
  return ops::Emit1("TensorScatterAdd", {tensor, indices, updates});
}

Tensor SparseToDense(const Tensor& indices, const Tensor& dense_shape, const Tensor& values,
                     const Tensor& default_value, bool validate_indices) {
  return ops::Emit1("SparseToDense", {indices, dense_shape, values, default_value},
                    {{"validate_indices", validate_indices}});
}

}  // namespace lockstep
