// Slice and StridedSlice, and their adjoint, which puts a slice back among zeros.

#include "lockstep/ops/array.h"
#include "ops/array_rules.h"
#include "ops/slice_window.h"

namespace lockstep {
namespace ops {
namespace {

std::vector<TensorType> InferSlice(const InferenceContext& context) {
  const TensorType& input = context.inputs[0];
  const SliceWindow window = FindSliceWindow(context.spec.name, context.attributes, input.shape);
  return {{input.dtype, window.result, input.element}};
}

RowEffect SliceRows(const RowContext& context) {
  return FindSliceWindow("Slice", context.attributes, context.inputs[0].shape).keeps_rows
             ? RowEffect::kRows
             : RowEffect::kMixes;
}

std::vector<Tensor> SliceGradient(const GradientContext& context) {
  return {
      Emit1("SliceAdjoint", {context.output_gradients[0], context.inputs[0]}, context.attributes)};
}

const RegisterOp kSlice(
    {.name = "Slice", .infer = InferSlice, .gradient = SliceGradient, .rows = SliceRows});
const RegisterOp kStridedSlice(
    {.name = "StridedSlice", .infer = InferSlice, .gradient = SliceGradient, .rows = SliceRows});

// Inputs: a slice, and the array that it was taken from (only its shape).
std::vector<TensorType> InferSliceAdjoint(const InferenceContext& context) {
  RequireForwardShape(context, InferSlice);
  return {{context.inputs[0].dtype, context.inputs[1].shape, context.inputs[0].element}};
}

RowEffect SliceAdjointRows(const RowContext& context) {
  const bool keeps =
      FindSliceWindow("Slice", context.attributes, context.inputs[1].shape).keeps_rows;
  return keeps && context.has_rows[0] ? RowEffect::kRows : RowEffect::kMixes;
}

std::vector<Tensor> SliceAdjointGradient(const GradientContext& context) {
  const char* op = context.attributes.Find("size") != nullptr ? "Slice" : "StridedSlice";
  return {Emit1(op, {context.output_gradients[0]}, context.attributes), Tensor()};
}

const RegisterOp kSliceAdjoint({.name = "SliceAdjoint",
                                .infer = InferSliceAdjoint,
                                .gradient = SliceAdjointGradient,
                                .rows = SliceAdjointRows,
                                .shape_only = 0b10});

}  // namespace
}  // namespace ops

Tensor Slice(const Tensor& input, const std::vector<int64_t>& begin,
             const std::vector<int64_t>& size) {
  return ops::Emit1("Slice", {input}, {{"begin", begin}, {"size", size}});
}

Tensor StridedSlice(const Tensor& input, const std::vector<int64_t>& begin,
                    const std::vector<int64_t>& end, const std::vector<int64_t>& strides,
                    const StridedSliceMasks& masks) {
  return ops::Emit1("StridedSlice", {input},
                    {{"begin", begin},
                     {"end", end},
                     {"strides", strides.empty() ? std::vector<int64_t>(begin.size(), 1) : strides},
                     {"begin_mask", masks.begin},
                     {"end_mask", masks.end},
                     {"ellipsis_mask", masks.ellipsis},
                     {"new_axis_mask", masks.new_axis},
                     {"shrink_axis_mask", masks.shrink_axis}});
}

}  // namespace lockstep
