// Products of two matrices, alone and with a bias and an activation.

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
  if (Flag(context.attributes, "transpose_a")) got += ", the first transposed";
  if (Flag(context.attributes, "transpose_b")) got += ", the second transposed";
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

}  // namespace
}  // namespace ops

Tensor MatMul(const Tensor& a, const Tensor& b, bool transpose_a, bool transpose_b) {
  return ops::Emit1("MatMul", {a, b}, {{"transpose_a", transpose_a}, {"transpose_b", transpose_b}});
}

}  // namespace lockstep
