// Bounds on values and on norms.

#include "lockstep/ops/clip.h"

#include "lockstep/ops/comparison.h"
#include "lockstep/ops/indexed_slices.h"
#include "lockstep/ops/math.h"
#include "ops/elementwise.h"

namespace lockstep {

namespace ops {
namespace {

std::vector<Tensor> ClipGradient(const GradientContext& context) {
  return {Emit1("ClipByValueGrad", {context.output_gradients[0], context.inputs[0]},
                context.attributes)};
}
std::vector<Tensor> ClipGradGradient(const GradientContext& context) {
  return {Emit1("ClipByValueGrad", {context.output_gradients[0], context.inputs[1]},
                context.attributes),
          Tensor()};
}

const RegisterOp kClip(
    {.name = "ClipByValue", .infer = InferNumberUnary, .gradient = ClipGradient, .rows = RowsStay});
const RegisterOp kClipGrad({.name = "ClipByValueGrad",
                            .infer = InferRealPair,
                            .gradient = ClipGradGradient,
                            .rows = RowsStay});

}  // namespace
}  // namespace ops

Tensor ClipByValue(const Tensor& x, const Tensor& low, const Tensor& high) {
  // Bounds that are C++ numbers are part of the op. A double cannot hold every int64.
  const bool numbers = low.is_weak() && high.is_weak() && !x.is_weak();
  std::vector<Tensor> operands{x, low, high};
  ops::ResolveWeak(operands, "ClipByValue");
  if (numbers && x.dtype() != DType::kInt64) {
    const auto bound = [](const Tensor& number) {
      return ops::CastScalar(number, DType::kFloat64).scalar<double>();
    };
    return ops::Emit1("ClipByValue", {x}, {{"high", bound(high)}, {"low", bound(low)}});
  }
  const Shape shape = BroadcastShapes(BroadcastShapes(x.shape(), low.shape(), "ClipByValue"),
                                      high.shape(), "ClipByValue");
  if (shape.rank() != x.rank() || !shape.CompatibleWith(x.shape())) {
    throw Error(Code::kInvalidArgument,
                "[ClipByValue] the bounds must broadcast to x; got " + low.shape().ToString() +
                    " and " + high.shape().ToString() + " for " + x.shape().ToString());
  }
  return Maximum(Minimum(operands[0], operands[2]), operands[1]);
}

Tensor ClipByNorm(const Tensor& x, const Tensor& clip_norm, const Axes& axes) {
  std::vector<Tensor> operands{x, clip_norm};
  ops::ResolveWeak(operands, "ClipByNorm");
  const bool all = static_cast<int>(axes.Resolve(x.rank(), "ClipByNorm").size()) == x.rank();
  const Tensor squares =
      all ? SumOfSquares(operands[0]) : ReduceSum(Square(operands[0]), axes, true);
  // Where the norm is 0 its square root has no derivative.
  const Tensor positive = Greater(squares, 0);
  const Tensor norm = Where(positive, Sqrt(Where(positive, squares, 1)), squares);
  return operands[0] * operands[1] / Maximum(norm, operands[1]);
}

std::pair<std::vector<Tensor>, Tensor> ClipByGlobalNorm(const std::vector<Tensor>& tensors,
                                                        const Tensor& clip_norm) {
  const Tensor norm = GlobalNorm(tensors);
  std::vector<Tensor> operands{norm, clip_norm};
  ops::ResolveWeak(operands, "ClipByGlobalNorm");
  const Tensor& limit = operands[1];
  // Subtracting a norm that is not finite from itself makes the scale NaN.
  const Tensor scale = limit * Minimum(1 / norm, 1 / limit) + (norm - norm);
  std::vector<Tensor> clipped;
  for (const Tensor& tensor : tensors) {
    if (const IndexedSlices* slices = IndexedSlices::Of(tensor)) {
      clipped.push_back(
          IndexedSlices{slices->values * scale, slices->indices, slices->dense_shape}.ToTensor());
    } else {
      clipped.push_back(tensor.defined() ? tensor * scale : Tensor());
    }
  }
  return {clipped, norm};
}

}  // namespace lockstep
