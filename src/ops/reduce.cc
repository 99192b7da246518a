#include "ops/reduce.h"

#include <algorithm>

#include "lockstep/ops/array.h"
#include "lockstep/ops/broadcast.h"
#include "lockstep/ops/math.h"
#include "ops/array_rules.h"

namespace lockstep {

std::vector<int64_t> Axes::Resolve(int rank, const char* where) const {
  std::vector<int64_t> result;
  if (all_) {
    for (int i = 0; i < rank; ++i) result.push_back(i);
    return result;
  }
  for (int64_t axis : axes_) result.push_back(NormalizeAxis(axis, rank, where));
  std::sort(result.begin(), result.end());
  const auto twice = std::adjacent_find(result.begin(), result.end());
  if (twice != result.end()) {
    throw Error(Code::kInvalidArgument, std::string("[") + where +
                                            "] an axis may be given once; got axis " +
                                            std::to_string(*twice) + " twice");
  }
  return result;
}

namespace ops {

namespace {

const std::vector<int64_t>& AxesOf(const Attributes& attributes) {
  return attributes.Get<std::vector<int64_t>>("axes");
}

bool Reduces(const Attributes& attributes, int axis) {
  const auto& axes = AxesOf(attributes);
  return std::find(axes.begin(), axes.end(), axis) != axes.end();
}

}  // namespace

Tensor EmitReduction(std::string_view op, const Tensor& input, const Axes& axes, bool keep_dims) {
  std::vector<Tensor> operands{input};
  const std::string where(op);
  ResolveWeak(operands, where.c_str());
  return Emit1(op, {operands[0]},
               {{"axes", axes.Resolve(input.rank(), where.c_str())}, {"keep_dims", keep_dims}});
}

std::vector<TensorType> InferReduction(const InferenceContext& context) {
  const TensorType& input = context.inputs[0];
  const bool keep_dims = context.attributes.Get<bool>("keep_dims");
  RequireAxes(context.spec, AxesOf(context.attributes), input.shape.rank());
  Shape shape;
  for (int i = 0; i < input.shape.rank(); ++i) {
    if (!Reduces(context.attributes, i)) {
      shape.Append(input.shape[i]);
    } else if (keep_dims) {
      shape.Append(1);
    }
  }
  return {{input.dtype, shape, input.element}};
}

RowEffect ReductionRows(const RowContext& context) {
  return Reduces(context.attributes, 0) ? RowEffect::kSum : RowEffect::kRows;
}

RowEffect ReductionRowsMix(const RowContext& context) {
  return Reduces(context.attributes, 0) ? RowEffect::kMixes : RowEffect::kRows;
}

Tensor WithReducedAxes(const GradientContext& context, const Tensor& reduced) {
  const auto& axes = AxesOf(context.attributes);
  return context.attributes.Get<bool>("keep_dims") || axes.empty() ? reduced
                                                                   : ExpandDims(reduced, axes);
}

namespace {

std::vector<Tensor> SumGradient(const GradientContext& context) {
  return {BroadcastLike(WithReducedAxes(context, context.output_gradients[0]), context.inputs[0])};
}

const RegisterOp kSum(
    {.name = "Sum", .infer = InferReduction, .gradient = SumGradient, .rows = ReductionRows});

// Input 0 divided by how many elements of input 1 a reduction over "axes" joins.
Tensor DivideByReduced(const Tensor& value, const Tensor& like, const std::vector<int64_t>& axes) {
  return Emit1("DivideByReduced", {value, like}, {{"axes", axes}});
}

std::vector<Tensor> DivideByReducedGradient(const GradientContext& context) {
  return {
      DivideByReduced(context.output_gradients[0], context.inputs[1], AxesOf(context.attributes)),
      Tensor()};
}

std::vector<TensorType> InferDivideByReduced(const InferenceContext& context) {
  RequireAxes(context.spec, AxesOf(context.attributes), context.inputs[1].shape.rank());
  return {context.inputs[0]};
}

RowEffect DivideByReducedRows(const RowContext& context) {
  return context.has_rows[0] ? RowEffect::kRows : RowEffect::kWhole;
}

const RegisterOp kDivideByReduced({.name = "DivideByReduced",
                                   .infer = InferDivideByReduced,
                                   .gradient = DivideByReducedGradient,
                                   .rows = DivideByReducedRows,
                                   .shape_only = 0b10});

std::vector<Tensor> MeanGradient(const GradientContext& context) {
  const Tensor share =
      DivideByReduced(context.output_gradients[0], context.inputs[0], AxesOf(context.attributes));
  return {BroadcastLike(WithReducedAxes(context, share), context.inputs[0])};
}

const RegisterOp kMean(
    {.name = "Mean", .infer = InferReduction, .gradient = MeanGradient, .rows = ReductionRows});

}  // namespace
}  // namespace ops

Tensor ReduceSum(const Tensor& input, const Axes& axes, bool keep_dims) {
  return ops::EmitReduction("Sum", input, axes, keep_dims);
}
Tensor ReduceMean(const Tensor& input, const Axes& axes, bool keep_dims) {
  // TensorFlow adds narrow integers up without loss.
  if (IsInteger(input.dtype()) && input.dtype() != DType::kInt64) {
    const Tensor wide = ops::EmitReduction("Mean", Cast(input, DType::kInt64), axes, keep_dims);
    return Cast(wide, input.dtype());
  }
  return ops::EmitReduction("Mean", input, axes, keep_dims);
}

}  // namespace lockstep
