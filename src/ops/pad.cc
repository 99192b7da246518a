// Pad: with a constant, or with the array mirrored at its borders.

#include <algorithm>

#include "lockstep/ops/array.h"
#include "ops/array_rules.h"

namespace lockstep {
namespace ops {
namespace {

// "paddings" holds before and after for each axis.
std::vector<TensorType> InferPad(const InferenceContext& context) {
  const auto& paddings = ListOf(context.attributes, "paddings");
  TensorType result = context.inputs[0];
  bool fits = static_cast<int>(paddings.size()) == 2 * result.shape.rank();
  for (size_t i = 0; i < paddings.size() && fits; ++i) fits = paddings[i] >= 0;
  if (!fits) {
    Reject(context.spec, "paddings need two sizes, not negative, for each axis",
           result.ToString() + " and " + ListText(paddings));
  }
  for (int i = 0; i < result.shape.rank(); ++i) {
    result.shape.set_dim(
        i, SumOfSizes({result.shape[i], paddings[2 * i], paddings[2 * i + 1]}, context.spec.name));
  }
  return {result};
}

bool PadsRows(const Attributes& attributes) {
  const auto& paddings = ListOf(attributes, "paddings");
  return paddings.empty() || paddings[0] != 0 || paddings[1] != 0;
}

RowEffect PadRows(const RowContext& context) {
  return context.has_rows[0] && !PadsRows(context.attributes) ? RowEffect::kRows
                                                              : RowEffect::kMixes;
}

std::vector<Tensor> PadGradient(const GradientContext& context) {
  const auto& paddings = ListOf(context.attributes, "paddings");
  std::vector<int64_t> begin;
  std::vector<int64_t> end;
  StridedSliceMasks masks;
  for (size_t i = 0; i < paddings.size(); i += 2) {
    begin.push_back(paddings[i]);
    end.push_back(-paddings[i + 1]);
    if (paddings[i + 1] == 0) masks.end |= int64_t{1} << (i / 2);
  }
  return {StridedSlice(context.output_gradients[0], begin, end, {}, masks)};
}

const RegisterOp kPad(
    {.name = "PadV2", .infer = InferPad, .gradient = PadGradient, .rows = PadRows});

// Reflecting leaves the border out, so it reaches one element less far.
std::vector<TensorType> InferMirrorPad(const InferenceContext& context) {
  auto result = InferPad(context);
  const auto& paddings = ListOf(context.attributes, "paddings");
  const Shape& shape = context.inputs[0].shape;
  const int64_t border = context.attributes.Get<bool>("reflect") ? 1 : 0;
  for (int i = 0; i < shape.rank(); ++i) {
    const int64_t reach = shape[i] - border;
    const int64_t most = std::max(paddings[2 * i], paddings[2 * i + 1]);
    if (shape[i] >= 0 && most > 0 && most > reach) {
      Reject(context.spec, "a mirrored padding must not reach beyond the axis",
             "padding " + std::to_string(most) + " of " + shape.ToString() + " (axis " +
                 std::to_string(i) + ")");
    }
  }
  return result;
}

std::vector<Tensor> MirrorPadGradient(const GradientContext& context) {
  return {Emit1("MirrorPadAdjoint", {context.output_gradients[0], context.inputs[0]},
                context.attributes)};
}

const RegisterOp kMirrorPad(
    {.name = "MirrorPad", .infer = InferMirrorPad, .gradient = MirrorPadGradient, .rows = PadRows});

// Inputs: what was padded to, and what was padded (only its shape).
std::vector<TensorType> InferMirrorPadAdjoint(const InferenceContext& context) {
  RequireForwardShape(context, InferMirrorPad);
  return {{context.inputs[0].dtype, context.inputs[1].shape, context.inputs[0].element}};
}

std::vector<Tensor> MirrorPadAdjointGradient(const GradientContext& context) {
  return {Emit1("MirrorPad", {context.output_gradients[0]}, context.attributes), Tensor()};
}

const RegisterOp kMirrorPadAdjoint({.name = "MirrorPadAdjoint",
                                    .infer = InferMirrorPadAdjoint,
                                    .gradient = MirrorPadAdjointGradient,
                                    .rows = PadRows,
                                    .shape_only = 0b10});

}  // namespace
}  // namespace ops

Tensor Pad(const Tensor& input, const std::vector<AxisPadding>& paddings, PadMode mode,
           double constant) {
  std::vector<int64_t> sizes;
  for (const AxisPadding& padding : paddings) {
    sizes.push_back(padding.before);
    sizes.push_back(padding.after);
  }
  if (mode == PadMode::kConstant) {
    return ops::Emit1("PadV2", {input}, {{"paddings", sizes}, {"constant", constant}});
  }
  return ops::Emit1("MirrorPad", {input},
                    {{"paddings", sizes}, {"reflect", mode == PadMode::kReflect}});
}

}  // namespace lockstep
