// LayerNorm over the last axis: y, each vector's mean and 1 / sqrt(variance + epsilon); its
// gradients for the input (LayerNormGrad) and for the scale (LayerNormScaleGrad).

#include "lockstep/ops/array.h"
#include "lockstep/ops/broadcast.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/normalization.h"
#include "ops/builder.h"

namespace lockstep {

namespace ops {
namespace {

[[noreturn]] void Throw(const InferenceContext& context) {
  std::string got;
  for (const TensorType& input : context.inputs) {
    got += (got.empty() ? "" : ", ") + input.ToString();
  }
  throw Error(Code::kInvalidArgument,
              "[" + context.spec.name +
                  "] floating vectors [..., c] and vectors [c] of their dtype are needed; got " +
                  got);
}

// Statistics are kept in float32 where the elements are halves.
DType StatisticsDType(DType dtype) {
  return dtype == DType::kFloat64 ? DType::kFloat64 : DType::kFloat32;
}

Shape WithoutLast(const Shape& shape) {
  return Shape(shape.sizes().first(static_cast<size_t>(shape.rank() - 1)));
}

bool IsVector(const TensorType& type, const TensorType& x) {
  return type.dtype == x.dtype && type.shape.CompatibleWith(Shape{x.shape[x.shape.rank() - 1]});
}

std::vector<TensorType> InferLayerNorm(const InferenceContext& context) {
  const TensorType& x = context.inputs[0];
  if (!IsFloating(x.dtype) || x.shape.rank() < 2 || !IsVector(context.inputs[1], x) ||
      !IsVector(context.inputs[2], x)) {
    Throw(context);
  }
  const DType dtype = StatisticsDType(x.dtype);
  const TensorType statistic = {dtype, WithoutLast(x.shape), dtype};
  return {x, statistic, statistic};
}

// Inputs: x, the scale where `scaled`, mean, inverse deviation, and the gradient of the result.
void RequireGradientInputs(const InferenceContext& context, bool scaled) {
  const TensorType& x = context.inputs[0];
  const size_t mean = scaled ? 2 : 1;
  bool fits = IsFloating(x.dtype) && x.shape.rank() >= 2;
  fits = fits && (!scaled || IsVector(context.inputs[1], x));
  for (size_t i = mean; fits && i < mean + 2; ++i) {
    fits = context.inputs[i].dtype == StatisticsDType(x.dtype) &&
           context.inputs[i].shape.CompatibleWith(WithoutLast(x.shape));
  }
  const TensorType& gradient = context.inputs[mean + 2];
  if (!fits || gradient.dtype != x.dtype || !gradient.shape.CompatibleWith(x.shape)) Throw(context);
}

std::vector<TensorType> InferInputGrad(const InferenceContext& context) {
  RequireGradientInputs(context, true);
  return {context.inputs[0]};
}

std::vector<TensorType> InferScaleGrad(const InferenceContext& context) {
  RequireGradientInputs(context, false);
  const TensorType& x = context.inputs[0];
  return {{x.dtype, Shape{x.shape[x.shape.rank() - 1]}, x.element}};
}

// A statistic of each vector, as a factor of its elements.
Tensor Beside(const Tensor& statistic, const Tensor& x) {
  const Tensor own = statistic.dtype() == x.dtype() ? statistic : Cast(statistic, x.dtype());
  return ExpandDims(own, -1);
}
// The inverse of Beside.
Tensor AsStatistic(const Tensor& column, const Tensor& like) {
  const Tensor own = column.dtype() == like.dtype() ? column : Cast(column, like.dtype());
  return Squeeze(own, {-1});
}
Tensor MeanOverLast(const Tensor& x) { return ReduceMean(x, -1, true); }
Tensor SumOverLast(const Tensor& x) { return ReduceSum(x, -1, true); }

Tensor AddTo(const Tensor& sum, const Tensor& term) {
  return sum.defined() ? Add(sum, term) : term;
}

std::vector<Tensor> LayerNormGradient(const GradientContext& context) {
  const Tensor &x = context.inputs[0], &scale = context.inputs[1];
  const Tensor &mean = context.outputs[1], &inverse = context.outputs[2];
  const auto& g = context.output_gradients;
  Tensor dx, dscale, doffset;
  if (g[0].defined()) {
    dx = Emit1("LayerNormGrad", {x, scale, mean, inverse, g[0]});
    dscale = Emit1("LayerNormScaleGrad", {x, mean, inverse, g[0]});
    doffset = Emit1("BiasAddGrad", {g[0]});
  }
  // The rest is for derivatives of gradients, which use the statistics.
  if (g[1].defined()) {
    const Tensor all = Multiply(Beside(g[1], x), OnesLike(x));
    dx = AddTo(dx, Divide(all, SumOverLast(OnesLike(x))));
  }
  if (g[2].defined()) {
    const Tensor inv = Beside(inverse, x);
    const Tensor cube = Multiply(inv, Square(inv));
    const Tensor deviation = Subtract(x, Beside(mean, x));
    const Tensor slope = Negative(Divide(Multiply(cube, deviation), SumOverLast(OnesLike(x))));
    dx = AddTo(dx, Multiply(Beside(g[2], x), slope));
  }
  return {dx, dscale, doffset};
}

// dx = inverse (a - mean(a) - n mean(a n)) with a = g scale and n = (x - mean) inverse, whose
// derivatives by x, scale, mean, inverse and g follow, each taken as a variable of its own.
std::vector<Tensor> LayerNormGradGradient(const GradientContext& context) {
  const Tensor &x = context.inputs[0], &scale = context.inputs[1];
  const Tensor &g = context.inputs[4], &u = context.output_gradients[0];
  const Tensor mean = Beside(context.inputs[2], x), inverse = Beside(context.inputs[3], x);
  const Tensor deviation = Subtract(x, mean);
  const Tensor n = Multiply(deviation, inverse);
  const Tensor a = Multiply(g, scale);
  const Tensor projection = MeanOverLast(Multiply(a, n));
  const Tensor centred = Subtract(Subtract(a, MeanOverLast(a)), Multiply(n, projection));
  const Tensor un = MeanOverLast(Multiply(u, n));
  const Tensor da = Multiply(inverse, Subtract(Subtract(u, MeanOverLast(u)), Multiply(n, un)));
  const Tensor dn = Negative(Multiply(inverse, Add(Multiply(u, projection), Multiply(a, un))));
  const Tensor dx = Multiply(dn, inverse);
  const Tensor dinverse =
      Add(SumOverLast(Multiply(u, centred)), SumOverLast(Multiply(dn, deviation)));
  return {dx, Emit1("BiasAddGrad", {Multiply(g, da)}),
          AsStatistic(Negative(SumOverLast(dx)), context.inputs[2]),
          AsStatistic(dinverse, context.inputs[3]), Multiply(da, scale)};
}

// The sum over all vectors of g n.
std::vector<Tensor> ScaleGradGradient(const GradientContext& context) {
  const Tensor &x = context.inputs[0], &g = context.inputs[3];
  const Tensor& u = context.output_gradients[0];
  const Tensor mean = Beside(context.inputs[1], x), inverse = Beside(context.inputs[2], x);
  const Tensor deviation = Subtract(x, mean);
  const Tensor dn = Multiply(g, u);
  const Tensor dx = Multiply(dn, inverse);
  return {dx, AsStatistic(Negative(SumOverLast(dx)), context.inputs[1]),
          AsStatistic(SumOverLast(Multiply(dn, deviation)), context.inputs[2]),
          Multiply(Multiply(deviation, inverse), u)};
}

// All but the vectors [c] have examples: inputs 1 and 2 of LayerNorm, input 1 of its gradient.
RowEffect LayerNormRows(const RowContext& context) {
  const size_t vectors = context.inputs.size() == 3 ? 2 : 1;
  for (size_t i = 0; i < context.inputs.size(); ++i) {
    const bool is_vector = i >= 1 && i <= vectors;
    if (static_cast<bool>(context.has_rows[i]) == is_vector) return RowEffect::kMixes;
  }
  return RowEffect::kRows;
}

RowEffect ScaleGradRows(const RowContext& context) {
  for (const char has_rows : context.has_rows) {
    if (!has_rows) return RowEffect::kMixes;
  }
  return RowEffect::kSum;
}

const RegisterOp kLayerNorm({.name = "LayerNorm",
                             .infer = InferLayerNorm,
                             .gradient = LayerNormGradient,
                             .rows = LayerNormRows});
const RegisterOp kLayerNormGrad({.name = "LayerNormGrad",
                                 .infer = InferInputGrad,
                                 .gradient = LayerNormGradGradient,
                                 .rows = LayerNormRows});
const RegisterOp kScaleGrad({.name = "LayerNormScaleGrad",
                             .infer = InferScaleGrad,
                             .gradient = ScaleGradGradient,
                             .rows = ScaleGradRows});

}  // namespace
}  // namespace ops

Tensor LayerNormalization(const Tensor& x, const Tensor& scale, const Tensor& offset,
                          double epsilon) {
  return ops::Emit("LayerNorm", {x, scale, offset}, {{"epsilon", epsilon}})[0];
}

}  // namespace lockstep
