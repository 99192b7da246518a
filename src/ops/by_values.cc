// Ops whose sizes and places are values: what is a list in the attributes of Reshape, BroadcastTo,
// Slice, StridedSlice, Tile, PadV2 and of random ops is an input of ByValues. Range likewise.

#include "lockstep/ops/by_values.h"

#include <algorithm>

#include "lockstep/ops/array.h"
#include "lockstep/ops/broadcast.h"
#include "lockstep/ops/structure.h"
#include "ops/array_rules.h"
#include "ops/slice_window.h"

namespace lockstep {
namespace ops {
namespace {

constexpr int64_t kUnknown = Shape::kUnknown;

TensorType InferStridedSlice(const InferenceContext& context) {
  TensorType result = context.inputs[0];
  result.shape = FindSliceWindow("StridedSlice", context.attributes, result.shape).result;
  return result;
}

TensorType InferSliceByValues(const InferenceContext& context) {
  TensorType result = context.inputs[0];
  const auto& sizes = ListOf(context.attributes, "size");
  if (static_cast<int>(sizes.size()) != result.shape.rank()) {
    Reject(context.spec, "begin and size need a number for each axis",
           result.ToString() + " and " + std::to_string(sizes.size()) + " numbers");
  }
  result.shape = Shape(sizes);
  return result;
}

// Lists with -1 for what is a value.
TensorType InferScaled(const InferenceContext& context, const char* name, int per_axis) {
  TensorType result = context.inputs[0];
  const auto& list = ListOf(context.attributes, name);
  const int rank = result.shape.rank();
  if (static_cast<int>(list.size()) != rank * per_axis) {
    Reject(context.spec, std::string(name) + " need " + std::to_string(per_axis) + " for each axis",
           result.ToString() + " and " + std::to_string(list.size()) + " numbers");
  }
  for (int i = 0; i < rank; ++i) {
    const int64_t size = result.shape[i], first = list[i * per_axis];
    const int64_t last = list[i * per_axis + per_axis - 1];
    result.shape.set_dim(i, per_axis == 1 ? ProductOfSizes({size, first}, context.spec.name)
                                          : SumOfSizes({size, first, last}, context.spec.name));
  }
  return result;
}

bool IsRandomOp(std::string_view op) {
  constexpr std::string_view kOps[] = {"StatelessRandomUniform", "StatelessRandomUniformInt",
                                       "StatelessRandomUniformFullInt", "StatelessRandomNormal",
                                       "StatelessTruncatedNormal"};
  return std::find(std::begin(kOps), std::end(kOps), op) != std::end(kOps);
}

std::vector<TensorType> InferByValues(const InferenceContext& context) {
  const auto& op = context.attributes.Get<std::string>("op");
  const TensorType& input = context.inputs[0];
  const TensorType& values = context.inputs.back();
  if (values.dtype != DType::kInt64 || values.shape.rank() != 1) {
    Reject(context.spec, "a vector of int64 is needed", values.ToString());
  }
  if (IsRandomOp(op)) {
    const auto dtype = context.attributes.Get<DType>("dtype");
    return {{dtype, Shape(ListOf(context.attributes, "shape")), dtype}};
  }
  if (op == "Reshape" || op == "BroadcastTo") {
    return {{input.dtype, Shape(ListOf(context.attributes, "shape")), input.element}};
  }
  if (op == "StridedSlice") return {InferStridedSlice(context)};
  if (op == "Slice") return {InferSliceByValues(context)};
  if (op == "Tile") return {InferScaled(context, "multiples", 1)};
  if (op == "PadV2") return {InferScaled(context, "paddings", 2)};
  if (op != "SliceAdjoint" && op != "TileAdjoint")
    Reject(context.spec, "the op must have a form with lists of values", op);
  if (context.inputs.size() != 3)
    Reject(context.spec, "an adjoint takes three inputs", std::to_string(context.inputs.size()));
  return {{input.dtype, context.inputs[1].shape, input.element}};
}

Attributes WithOp(const Attributes& attributes, std::string op) {
  Attributes changed = attributes;
  changed.Set("op", std::move(op));
  return changed;
}

// The part that was padded: begin is every second number. The input itself is not needed, so that a
// loop does not keep it.
Tensor PadGradient(const GradientContext& context) {
  const Shape& shape = context.inputs[0].shape();
  const Tensor& gradient = context.output_gradients[0];
  const auto count = static_cast<int64_t>(2 * shape.rank());
  const Tensor before = Cast(StridedSlice(context.inputs[1], {0}, {count}, {2}), DType::kInt64);
  const Tensor behind = Cast(StridedSlice(context.inputs[1], {1}, {count}, {2}), DType::kInt64);
  return SliceBy(gradient, before, ShapeOf(gradient, DType::kInt64) - before - behind,
                 shape.vector());
}

std::vector<Tensor> ByValuesGradient(const GradientContext& context) {
  const auto& op = context.attributes.Get<std::string>("op");
  const Tensor& gradient = context.output_gradients[0];
  const Tensor& input = context.inputs[0];
  const auto with = [&](const char* name, std::vector<Tensor> inputs) {
    return Emit1("ByValues", std::move(inputs), WithOp(context.attributes, name));
  };
  if (op == "Reshape") return {ReshapeLike(gradient, input), Tensor()};
  if (op == "BroadcastTo") return {SumLike(gradient, input), Tensor()};
  if (op == "PadV2") return {PadGradient(context), Tensor()};
  if (op == "Tile") return {with("TileAdjoint", {gradient, input, context.inputs[1]}), Tensor()};
  if (op == "TileAdjoint") return {with("Tile", {gradient, context.inputs[2]}), Tensor(), Tensor()};
  if (op == "SliceAdjoint") {
    const char* slice = context.attributes.Find("size") != nullptr ? "Slice" : "StridedSlice";
    return {with(slice, {gradient, context.inputs[2]}), Tensor(), Tensor()};
  }
  return {with("SliceAdjoint", {gradient, input, context.inputs[1]}), Tensor()};
}

const RegisterOp kByValues({.name = "ByValues",
                            .infer = InferByValues,
                            .gradient = ByValuesGradient});

std::vector<TensorType> InferRange(const InferenceContext& context) {
  for (const TensorType& number : context.inputs) {
    if (number.shape.rank() != 0 || number.dtype != context.inputs[0].dtype) {
      Reject(context.spec, "numbers of one dtype are needed",
             context.inputs[0].ToString() + " and " + number.ToString());
    }
  }
  return {{context.inputs[0].dtype, Shape{kUnknown}}};
}
const RegisterOp kRange({.name = "Range", .infer = InferRange});

Tensor Emitted(const char* op, const Tensor& input, const Tensor& values, Attributes attributes) {
  attributes.Set("op", std::string(op));
  return Emit1("ByValues", {input, values}, std::move(attributes));
}

}  // namespace
}  // namespace ops

Tensor ReshapeBy(const Tensor& input, const Tensor& shape, const std::vector<int64_t>& known) {
  return ops::Emitted("Reshape", input, shape, {{"shape", known}});
}

Tensor BroadcastBy(const Tensor& input, const Tensor& shape, const std::vector<int64_t>& known) {
  return ops::Emitted("BroadcastTo", input, shape, {{"shape", known}});
}

Tensor TileBy(const Tensor& input, const Tensor& multiples, const std::vector<int64_t>& known) {
  return ops::Emitted("Tile", input, multiples, {{"multiples", known}});
}

Tensor PadBy(const Tensor& input, const Tensor& paddings, double constant,
             const std::vector<int64_t>& known) {
  return ops::Emitted("PadV2", input, paddings, {{"paddings", known}, {"constant", constant}});
}

Tensor SliceBy(const Tensor& input, const Tensor& begin, const Tensor& size,
               const std::vector<int64_t>& known) {
  return ops::Emitted("Slice", input, Concat({begin, size}, 0),
                      {{"begin", std::vector<int64_t>(known.size())}, {"size", known}});
}

Tensor StridedSliceBy(const Tensor& input, const Tensor& begin, const Tensor& end,
                      const StridedSliceByOptions& options) {
  const StridedSliceMasks& masks = options.masks;
  return ops::Emitted("StridedSlice", input, Concat({begin, end}, 0),
                      {{"begin", options.known_begin},
                       {"end", options.known_end},
                       {"strides", options.strides},
                       {"open", options.open},
                       {"begin_mask", masks.begin},
                       {"end_mask", masks.end},
                       {"ellipsis_mask", masks.ellipsis},
                       {"new_axis_mask", masks.new_axis},
                       {"shrink_axis_mask", masks.shrink_axis}});
}

Tensor RangeBy(const Tensor& start, const Tensor& limit, const Tensor& delta) {
  return ops::Emit1("Range", {start, limit, delta});
}

}  // namespace lockstep
