// Reductions that are made of others: squares, norms, variance, log-sum-exp.

#include "lockstep/ops/array.h"
#include "lockstep/ops/broadcast.h"
#include "lockstep/ops/by_values.h"
#include "lockstep/ops/comparison.h"
#include "lockstep/ops/indexed_slices.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/structure.h"
#include "ops/array_rules.h"
#include "ops/reduce.h"

namespace lockstep {
namespace ops {
namespace {

std::vector<Tensor> SumSquaresGradient(const GradientContext& context) {
  const Tensor gradient = WithReducedAxes(context, context.output_gradients[0]);
  return {Multiply(context.inputs[0], Multiply(gradient, 2))};
}

const RegisterOp kSumSquares({.name = "SumSquares",
                              .infer = InferReduction,
                              .gradient = SumSquaresGradient,
                              .rows = ReductionRows});

// The sum of squares of each tile of 4096 elements, the last one shorter.
constexpr int64_t kTile = 4096;

std::vector<TensorType> InferTiles(const InferenceContext& context) {
  const TensorType& input = context.inputs[0];
  const int64_t tiles = input.shape.fully_known() ? (input.shape.num_elements() + kTile - 1) / kTile
                                                  : Shape::kUnknown;
  return {{input.dtype, Shape{tiles}, input.element}};
}

std::vector<Tensor> TileSumSquaresGradient(const GradientContext& context) {
  const Tensor& x = context.inputs[0];
  if (!x.shape().fully_known()) {
    const Tensor element =
        RangeBy(Scalar<int64_t>(0), SizeOf(x, DType::kInt64), Scalar<int64_t>(1));
    const Tensor of_tiles =
        Gather(Multiply(context.output_gradients[0], 2), FloorDiv(element, kTile));
    return {Multiply(x, ReshapeLike(of_tiles, x))};
  }
  const Tensor twice = ExpandDims(Multiply(context.output_gradients[0], 2), 1);
  const int64_t count = x.num_elements();
  const Tensor repeated = Reshape(BroadcastTo(twice, {(count + kTile - 1) / kTile, kTile}), {-1});
  return {Multiply(x, ReshapeLike(Slice(repeated, {0}, {count}), x))};
}

const RegisterOp kTileSumSquares({.name = "TileSumSquares",
                                  .infer = InferTiles,
                                  .gradient = TileSumSquaresGradient});

// The sum of a vector's elements by the canonical tree.
std::vector<TensorType> InferTreeSum(const InferenceContext& context) {
  const TensorType& input = context.inputs[0];
  if (input.shape.rank() != 1) Reject(context.spec, "a vector is needed", input.ToString());
  return {{input.dtype, Shape{}, input.element}};
}

std::vector<Tensor> TreeSumGradient(const GradientContext& context) {
  return {BroadcastLike(context.output_gradients[0], context.inputs[0])};
}

const RegisterOp kTreeSum({.name = "TreeSum", .infer = InferTreeSum, .gradient = TreeSumGradient});

}  // namespace
}  // namespace ops

Tensor SumOfSquares(const Tensor& input) {
  return ops::Emit1("TreeSum", {ops::Emit1("TileSumSquares", {input})});
}

Tensor GlobalNorm(const std::vector<Tensor>& inputs) {
  std::vector<Tensor> sums;
  for (const Tensor& input : inputs) {
    const IndexedSlices* slices = IndexedSlices::Of(input);
    if (input.defined()) sums.push_back(SumOfSquares(slices == nullptr ? input : slices->values));
  }
  if (sums.empty()) {
    throw Error(Code::kInvalidArgument, "[GlobalNorm] at least one tensor is needed; got " +
                                            std::to_string(inputs.size()) + " empty ones");
  }
  return Sqrt(ops::Emit1("TreeSum", {Stack(sums)}));
}

// Examples may lie along axis 0, so it is a sum over rows and not by tiles.
Tensor L2Loss(const Tensor& input) {
  return Multiply(ops::EmitReduction("SumSquares", input, {}, false), 0.5);
}

Tensor ReduceEuclideanNorm(const Tensor& input, const Axes& axes, bool keep_dims) {
  if (IsInteger(input.dtype())) {
    // The sum wraps around in the input's dtype, and the root loses its fraction.
    const Tensor sum = ReduceSum(Square(input), axes, keep_dims);
    return Cast(Sqrt(Cast(sum, DType::kFloat64)), input.dtype());
  }
  return Sqrt(ops::EmitReduction("SumSquares", input, axes, keep_dims));
}

Tensor ReduceVariance(const Tensor& input, const Axes& axes, bool keep_dims) {
  const Tensor centred = Subtract(input, ReduceMean(input, axes, true));
  return ReduceMean(Square(centred), axes, keep_dims);
}

Tensor ReduceStd(const Tensor& input, const Axes& axes, bool keep_dims) {
  return Sqrt(ReduceVariance(input, axes, keep_dims));
}

Tensor ReduceLogSumExp(const Tensor& input, const Axes& axes, bool keep_dims) {
  const auto places = axes.Resolve(input.rank(), "ReduceLogSumExp");
  const Tensor largest = StopGradient(ReduceMax(input, places, true));
  const Tensor shift = Where(IsFinite(largest), largest, ZerosLike(largest));
  const Tensor sum = ReduceSum(Exp(Subtract(input, shift)), places, true);
  const Tensor result = Add(Log(sum), shift);
  return keep_dims || places.empty() ? result : Squeeze(result, places);
}

}  // namespace lockstep
