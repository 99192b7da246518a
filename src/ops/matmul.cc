// Products of two matrices, alone, many at once, and with a bias and an activation.

#include <algorithm>

#include "lockstep/ops/linalg.h"
#include "lockstep/ops/structure.h"
#include "ops/builder.h"

namespace lockstep {

namespace ops {
namespace {

bool Flag(const Attributes& attributes, const char* name) {
  return attributes.GetOr<bool>(name, false);
}

[[noreturn]] void ThrowShapes(const InferenceContext& context, const char* rule) {
  std::string got;
  for (const TensorType& input : context.inputs) {
    got += (got.empty() ? "" : " and ") + input.ToString();
  }
  auto transposed = [&](const char* one, const char* other) {
    return Flag(context.attributes, one) || Flag(context.attributes, other);
  };
  if (transposed("transpose_a", "adj_x")) got += ", the first transposed";
  if (transposed("transpose_b", "adj_y")) got += ", the second transposed";
  throw Error(Code::kInvalidArgument, "[" + context.spec.name + "] " + rule + "; got " + got);
}

std::vector<TensorType> InferMatMul(const InferenceContext& context) {
  const TensorType& a = context.inputs[0];
  const TensorType& b = context.inputs[1];
  if (a.dtype != b.dtype) ThrowShapes(context, "dtypes must agree");
  if (a.shape.rank() != 2 || b.shape.rank() != 2) ThrowShapes(context, "two matrices are needed");
  const int row_axis = Flag(context.attributes, "transpose_a") ? 1 : 0;
  const int column_axis = Flag(context.attributes, "transpose_b") ? 0 : 1;
  const int64_t depth_a = a.shape[1 - row_axis];
  const int64_t depth_b = b.shape[1 - column_axis];
  if (depth_a >= 0 && depth_b >= 0 && depth_a != depth_b) {
    ThrowShapes(context, "the inner sizes must agree");
  }
  return {{a.dtype, Shape{a.shape[row_axis], b.shape[column_axis]}, a.element}};
}

std::vector<Tensor> MatMulGradient(const GradientContext& context) {
  const Tensor& a = context.inputs[0];
  const Tensor& b = context.inputs[1];
  const Tensor& g = context.output_gradients[0];
  const bool ta = Flag(context.attributes, "transpose_a");
  const bool tb = Flag(context.attributes, "transpose_b");
  if (!ta && !tb) return {MatMul(g, b, false, true), MatMul(a, g, true, false)};
  if (!ta) return {MatMul(g, b, false, false), MatMul(g, a, true, false)};
  if (!tb) return {MatMul(b, g, false, true), MatMul(a, g, false, false)};
  return {MatMul(b, g, true, true), MatMul(g, a, true, true)};
}

// Rows times a matrix stay rows; rows transposed times rows is a sum over them.
RowEffect MatMulRows(const RowContext& context) {
  const bool ta = Flag(context.attributes, "transpose_a");
  const bool tb = Flag(context.attributes, "transpose_b");
  if (!ta && context.has_rows[0] && !context.has_rows[1]) return RowEffect::kRows;
  if (ta && !tb && context.has_rows[0] && context.has_rows[1]) return RowEffect::kSum;
  return RowEffect::kMixes;
}

const RegisterOp kMatMul(
    {.name = "MatMul", .infer = InferMatMul, .gradient = MatMulGradient, .rows = MatMulRows});

// A product, a bias and perhaps relu in one pass; made from the three after differentiation.
std::vector<TensorType> InferFusedMatMul(const InferenceContext& context) {
  const std::vector<TensorType> result = InferMatMul(context);
  const TensorType& bias = context.inputs[2];
  const std::string& fused = context.attributes.Get<std::string>("fused_ops");
  if (fused != "bias" && fused != "bias,relu") {
    throw Error(Code::kInvalidArgument,
                "[_FusedMatMul] fused_ops must be bias or bias,relu; got " + fused);
  }
  if (bias.dtype != result[0].dtype || bias.shape.rank() != 1 ||
      !Shape{result[0].shape[1]}.CompatibleWith(bias.shape)) {
    ThrowShapes(context, "the bias must have the product's columns");
  }
  return result;
}

RowEffect FusedMatMulRows(const RowContext& context) {
  if (context.has_rows[2]) return RowEffect::kMixes;
  const RowEffect effect = MatMulRows(context);
  return effect == RowEffect::kSum ? RowEffect::kMixes : effect;
}

const RegisterOp kFusedMatMul({.name = "_FusedMatMul",
                               .infer = InferFusedMatMul,
                               .rows = FusedMatMulRows});

// MatMul or _FusedMatMul, as "fused_ops" says ("" is MatMul), of a matrix of bytes that stand for
// float32, each for its product with the scalar behind the other inputs; made from them, Cast and
// Mul.
std::vector<TensorType> InferScaledMatMul(const InferenceContext& context) {
  const TensorType& scale = context.inputs.back();
  if (context.inputs[0].dtype != DType::kUInt8 || !scale.shape.CompatibleWith(Shape{}))
    ThrowShapes(context, "a matrix of uint8, and its scale at the end, are needed");
  std::vector<TensorType> inputs = {context.inputs.begin(), context.inputs.end() - 1};
  inputs[0].dtype = inputs[0].element = context.inputs.back().dtype;
  const InferenceContext plain{context.spec, context.attributes, inputs};
  return inputs.size() > 2 ? InferFusedMatMul(plain) : InferMatMul(plain);
}

RowEffect ScaledMatMulRows(const RowContext& context) {
  for (size_t i = 1; i < context.has_rows.size(); ++i) {
    if (context.has_rows[i]) return RowEffect::kMixes;
  }
  return RowEffect::kRows;
}

const RegisterOp kScaledMatMul({.name = "_ScaledMatMul",
                                .infer = InferScaledMatMul,
                                .rows = ScaledMatMulRows});

// Many products at once; the axes before the last two broadcast.
std::vector<TensorType> InferBatchMatMul(const InferenceContext& context) {
  const TensorType& a = context.inputs[0];
  const TensorType& b = context.inputs[1];
  const int ra = a.shape.rank(), rb = b.shape.rank();
  if (a.dtype != b.dtype) ThrowShapes(context, "dtypes must agree");
  if (ra < 2 || rb < 2) ThrowShapes(context, "ranks of 2 or more are needed");
  const int row_axis = Flag(context.attributes, "adj_x") ? 1 : 2;
  const int column_axis = Flag(context.attributes, "adj_y") ? 2 : 1;
  const int64_t depth_a = a.shape[ra - 3 + row_axis], depth_b = b.shape[rb - 3 + column_axis];
  if (depth_a >= 0 && depth_b >= 0 && depth_a != depth_b) {
    ThrowShapes(context, "the inner sizes must agree");
  }
  Shape result = BroadcastShapes(Shape(a.shape.sizes().first(static_cast<size_t>(ra - 2))),
                                 Shape(b.shape.sizes().first(static_cast<size_t>(rb - 2))),
                                 context.spec.name.c_str());
  result.Append(a.shape[ra - row_axis]);
  result.Append(b.shape[rb - column_axis]);
  return {{a.dtype, result, a.element}};
}

Tensor BatchProduct(const Tensor& a, const Tensor& b, bool adj_x, bool adj_y) {
  return Emit1("BatchMatMulV2", {a, b}, {{"adj_x", adj_x}, {"adj_y", adj_y}});
}

// A gradient of the broadcast shape, summed to `like`'s where that may differ.
Tensor Unbroadcast(const Tensor& gradient, const Tensor& like) {
  const bool same = gradient.shape().fully_known() && gradient.shape() == like.shape();
  return same ? gradient : SumLike(gradient, like);
}

std::vector<Tensor> BatchMatMulGradient(const GradientContext& context) {
  const Tensor& a = context.inputs[0];
  const Tensor& b = context.inputs[1];
  const Tensor& g = context.output_gradients[0];
  const bool ta = Flag(context.attributes, "adj_x");
  const bool tb = Flag(context.attributes, "adj_y");
  const Tensor da = ta ? BatchProduct(b, g, tb, true) : BatchProduct(g, b, false, !tb);
  const Tensor db = tb ? BatchProduct(g, a, true, ta) : BatchProduct(a, g, !ta, false);
  return {Unbroadcast(da, a), Unbroadcast(db, b)};
}

// Examples along the first batch axis stay apart; the other operand has them too or is the same for
// all of them.
RowEffect BatchMatMulRows(const RowContext& context) {
  const int rank = context.outputs[0].shape.rank();
  for (size_t i = 0; i < 2; ++i) {
    const Shape& shape = context.inputs[i].shape;
    const bool along_axis_0 = shape.rank() == rank && rank > 2;
    if (context.has_rows[i] ? !along_axis_0 : along_axis_0 && shape[0] != 1) {
      return RowEffect::kMixes;
    }
  }
  return RowEffect::kRows;
}

const RegisterOp kBatchMatMul({.name = "BatchMatMulV2",
                               .infer = InferBatchMatMul,
                               .gradient = BatchMatMulGradient,
                               .rows = BatchMatMulRows});

// The shape of a product of `a`'s vectors with a matrix; its sizes may be unknown.
std::vector<int64_t> SizesOfRows(const Shape& a, int64_t columns) {
  std::vector<int64_t> sizes(a.sizes().begin(), a.sizes().end());
  sizes.back() = columns;
  return sizes;
}

}  // namespace
}  // namespace ops

Tensor MatMul(const Tensor& a, const Tensor& b, bool transpose_a, bool transpose_b) {
  if (a.rank() == 2 && b.rank() == 2) {
    return ops::Emit1("MatMul", {a, b},
                      {{"transpose_a", transpose_a}, {"transpose_b", transpose_b}});
  }
  if (b.rank() == 2 && a.rank() > 2 && !transpose_a) {
    // All vectors of `a` are rows of one matrix, so that the gradient of `b` is one sum over them.
    const int64_t depth = b.shape()[transpose_b ? 1 : 0];
    const auto sizes = ops::SizesOfRows(a.shape(), b.shape()[transpose_b ? 0 : 1]);
    const bool same_depth = depth >= 0 && depth == a.shape().dim(-1);
    if (same_depth && std::count(sizes.begin(), sizes.end(), Shape::kUnknown) <= 1) {
      return Reshape(MatMul(Reshape(a, {-1, depth}), b, false, transpose_b), sizes);
    }
  }
  return ops::BatchProduct(a, b, transpose_a, transpose_b);
}

}  // namespace lockstep
