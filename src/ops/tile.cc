// Tile and Reverse.

#include <algorithm>

#include "lockstep/ops/array.h"
#include "ops/array_rules.h"

namespace lockstep {
namespace ops {
namespace {

std::vector<TensorType> InferTile(const InferenceContext& context) {
  const auto& multiples = ListOf(context.attributes, "multiples");
  TensorType result = context.inputs[0];
  bool fits = static_cast<int>(multiples.size()) == result.shape.rank();
  for (size_t i = 0; i < multiples.size() && fits; ++i) fits = multiples[i] >= 0;
  if (!fits) {
    Reject(context.spec, "multiples need a number, not negative, for each axis",
           result.ToString() + " and " + ListText(multiples));
  }
  for (int i = 0; i < result.shape.rank(); ++i) {
    result.shape.set_dim(i, ProductOfSizes({result.shape[i], multiples[i]}, context.spec.name));
  }
  return {result};
}

RowEffect TileRows(const RowContext& context) {
  const auto& multiples = ListOf(context.attributes, "multiples");
  return context.has_rows[0] && multiples[0] == 1 ? RowEffect::kRows : RowEffect::kMixes;
}

std::vector<Tensor> TileGradient(const GradientContext& context) {
  return {
      Emit1("TileAdjoint", {context.output_gradients[0], context.inputs[0]}, context.attributes)};
}

const RegisterOp kTile(
    {.name = "Tile", .infer = InferTile, .gradient = TileGradient, .rows = TileRows});

// Inputs: a tiled array, whose tiles are added up, and one tile (only its shape).
std::vector<TensorType> InferTileAdjoint(const InferenceContext& context) {
  RequireForwardShape(context, InferTile);
  return {{context.inputs[0].dtype, context.inputs[1].shape, context.inputs[0].element}};
}

std::vector<Tensor> TileAdjointGradient(const GradientContext& context) {
  return {Emit1("Tile", {context.output_gradients[0]}, context.attributes), Tensor()};
}

const RegisterOp kTileAdjoint({.name = "TileAdjoint",
                               .infer = InferTileAdjoint,
                               .gradient = TileAdjointGradient,
                               .rows = TileRows,
                               .shape_only = 0b10});

std::vector<TensorType> InferReverse(const InferenceContext& context) {
  RequireAxes(context.spec, ListOf(context.attributes, "axes"), context.inputs[0].shape.rank());
  return {context.inputs[0]};
}

RowEffect ReverseRows(const RowContext& context) {
  const auto& axes = ListOf(context.attributes, "axes");
  return std::find(axes.begin(), axes.end(), 0) == axes.end() ? RowEffect::kRows
                                                              : RowEffect::kMixes;
}

std::vector<Tensor> ReverseGradient(const GradientContext& context) {
  return {Emit1("ReverseV2", {context.output_gradients[0]}, context.attributes)};
}

const RegisterOp kReverse(
    {.name = "ReverseV2", .infer = InferReverse, .gradient = ReverseGradient, .rows = ReverseRows});

}  // namespace
}  // namespace ops

Tensor Tile(const Tensor& input, const std::vector<int64_t>& multiples) {
  return ops::Emit1("Tile", {input}, {{"multiples", multiples}});
}

Tensor Reverse(const Tensor& input, const std::vector<int64_t>& axes) {
  std::vector<int64_t> places;
  for (int64_t axis : axes) places.push_back(NormalizeAxis(axis, input.rank(), "ReverseV2"));
  std::sort(places.begin(), places.end());
  if (std::adjacent_find(places.begin(), places.end()) != places.end()) {
    throw Error(Code::kInvalidArgument,
                "[ReverseV2] an axis may be given once; got " + ops::ListText(axes));
  }
  return ops::Emit1("ReverseV2", {input}, {{"axes", places}});
}

}  // namespace lockstep
