#include "ops/batch_statistics.h"

#include <algorithm>

#include "lockstep/ops/math.h"
#include "ops/array_rules.h"
#include "ops/builder.h"

namespace lockstep::ops {

namespace {

const ReplicaRows& ReplicasOf(const Attributes& attributes) {
  return ListOf(attributes, "replicas");
}

// [channels, replicas]
Shape StatisticShape(const InferenceContext& context, const TensorType& x) {
  const ReplicaRows& replicas = ReplicasOf(context.attributes);
  const bool rises = std::is_sorted(replicas.begin(), replicas.end());
  const bool fits = replicas.empty() || (replicas.size() > 1 && replicas[0] == 0 && rises &&
                                         (x.shape[0] < 0 || replicas.back() == x.shape[0]));
  if (!fits) {
    Reject(context.spec, "the replicas must have all rows",
           x.ToString() + " and " + ListText(replicas));
  }
  return Shape{x.shape[x.shape.rank() - 1],
               replicas.empty() ? 1 : static_cast<int64_t>(replicas.size()) - 1};
}

void RequireBatch(const InferenceContext& context) {
  const TensorType& x = context.inputs[0];
  const bool real = x.dtype == DType::kFloat32 || x.dtype == DType::kFloat64;
  if (!real || x.shape.rank() < 2) {
    Reject(context.spec, "float32 or float64 [n, ..., channels] is needed", x.ToString());
  }
}

std::vector<TensorType> InferMoments(const InferenceContext& context) {
  RequireBatch(context);
  const TensorType& x = context.inputs[0];
  const TensorType statistic{x.dtype, StatisticShape(context, x), x.dtype};
  return {statistic, statistic};
}

std::vector<TensorType> InferCounts(const InferenceContext& context) {
  RequireBatch(context);
  const TensorType& x = context.inputs[0];
  return {{x.dtype, Shape{1, StatisticShape(context, x)[1]}, x.dtype}};
}

std::vector<TensorType> InferSum(const InferenceContext& context) {
  RequireBatch(context);
  const TensorType& x = context.inputs[0];
  for (const TensorType& other : context.inputs) {
    if (other.dtype == x.dtype && other.shape.CompatibleWith(x.shape)) continue;
    Reject(context.spec, "both batches must be alike", x.ToString() + " and " + other.ToString());
  }
  return {{x.dtype, StatisticShape(context, x), x.dtype}};
}

std::vector<TensorType> InferAffine(const InferenceContext& context) {
  RequireBatch(context);
  const TensorType& x = context.inputs[0];
  const Shape shape = StatisticShape(context, x);
  for (const TensorType& factor : context.inputs.subspan(1)) {
    if (factor.dtype == x.dtype && factor.shape.CompatibleWith(shape)) continue;
    Reject(context.spec, "scale and offset must be " + shape.ToString() + " of the batch's dtype",
           x.ToString() + " and " + factor.ToString());
  }
  return {x};
}

// Input 0 [channels, replicas] repeated to the shape of input 1.
std::vector<TensorType> InferSpread(const InferenceContext& context) {
  const TensorType &statistic = context.inputs[0], &x = context.inputs[1];
  const bool real = x.dtype == DType::kFloat32 || x.dtype == DType::kFloat64;
  const bool fits = real && x.shape.rank() >= 2 && statistic.dtype == x.dtype &&
                    statistic.shape.CompatibleWith(StatisticShape(context, x));
  if (!fits) {
    Reject(context.spec, "a statistic [channels, replicas] of the batch's dtype is needed",
           statistic.ToString() + " and " + x.ToString());
  }
  return {x};
}

Tensor Spread(const Tensor& statistic, const Tensor& like, const ReplicaRows& replicas) {
  return Emit1("_BatchSpread", {statistic, like}, {{"replicas", replicas}});
}

Tensor Plus(const Tensor& sum, const Tensor& term) { return sum.defined() ? sum + term : term; }

// The mean minimises the sum of squares, so nothing flows through it into the variance's slope,
// 2 (x - mean) / count.
std::vector<Tensor> MomentsGradient(const GradientContext& context) {
  const Tensor& x = context.inputs[0];
  const ReplicaRows& replicas = ReplicasOf(context.attributes);
  const Tensor &g_mean = context.output_gradients[0], &g_variance = context.output_gradients[1];
  const Tensor inverse_count = BatchInverseCounts(x, replicas);
  Tensor offset;
  if (g_mean.defined()) offset = g_mean * inverse_count;
  if (!g_variance.defined()) return {Spread(offset, x, replicas)};
  const Tensor scale = 2.0 * g_variance * inverse_count;
  offset = Plus(offset, -(context.outputs[0] * scale));
  return {BatchAffine(x, scale, offset, replicas)};
}

std::vector<Tensor> AffineGradient(const GradientContext& context) {
  const Tensor &x = context.inputs[0], &scale = context.inputs[1];
  const Tensor& g = context.output_gradients[0];
  const ReplicaRows& replicas = ReplicasOf(context.attributes);
  std::vector<Tensor> gradients{BatchAffine(g, scale, {}, replicas), BatchDot(g, x, replicas)};
  if (context.inputs.size() == 3) gradients.push_back(BatchSum(g, replicas));
  return gradients;
}

std::vector<Tensor> SumGradient(const GradientContext& context) {
  return {Spread(context.output_gradients[0], context.inputs[0], ReplicasOf(context.attributes))};
}

std::vector<Tensor> DotGradient(const GradientContext& context) {
  const Tensor& g = context.output_gradients[0];
  const ReplicaRows& replicas = ReplicasOf(context.attributes);
  return {BatchAffine(context.inputs[1], g, {}, replicas),
          BatchAffine(context.inputs[0], g, {}, replicas)};
}

std::vector<Tensor> SpreadGradient(const GradientContext& context) {
  return {BatchSum(context.output_gradients[0], ReplicasOf(context.attributes)), Tensor()};
}

RowEffect SumRows(const RowContext& context) {
  for (const char has_rows : context.has_rows) {
    if (!has_rows) return RowEffect::kMixes;
  }
  return RowEffect::kSum;
}

RowEffect BatchRows(const RowContext& context) {
  for (size_t i = 1; i < context.has_rows.size(); ++i) {
    if (context.has_rows[i]) return RowEffect::kMixes;
  }
  return RowEffect::kRows;
}

RowEffect SpreadRows(const RowContext& context) {
  return context.has_rows[0] ? RowEffect::kMixes : RowEffect::kRows;
}

RowEffect NoRows(const RowContext&) { return RowEffect::kWhole; }

const RegisterOp kMoments(
    {.name = "_BatchMoments", .infer = InferMoments, .gradient = MomentsGradient, .rows = SumRows});
const RegisterOp kCounts(
    {.name = "_BatchInverseCounts", .infer = InferCounts, .rows = NoRows, .shape_only = 0b1});
const RegisterOp kAffine(
    {.name = "_BatchAffine", .infer = InferAffine, .gradient = AffineGradient, .rows = BatchRows});
const RegisterOp kSum(
    {.name = "_BatchSum", .infer = InferSum, .gradient = SumGradient, .rows = SumRows});
const RegisterOp kDot(
    {.name = "_BatchDot", .infer = InferSum, .gradient = DotGradient, .rows = SumRows});
const RegisterOp kSpread({.name = "_BatchSpread",
                          .infer = InferSpread,
                          .gradient = SpreadGradient,
                          .rows = SpreadRows,
                          .shape_only = 0b10});

}  // namespace

BatchMomentsResult BatchMoments(const Tensor& x, const ReplicaRows& replicas) {
  const auto results = Emit("_BatchMoments", {x}, {{"replicas", replicas}});
  return {results[0], results[1]};
}

Tensor BatchInverseCounts(const Tensor& x, const ReplicaRows& replicas) {
  return Emit1("_BatchInverseCounts", {x}, {{"replicas", replicas}});
}

Tensor BatchAffine(const Tensor& x, const Tensor& scale, const Tensor& offset,
                   const ReplicaRows& replicas) {
  std::vector<Tensor> inputs{x, scale};
  if (offset.defined()) inputs.push_back(offset);
  return Emit1("_BatchAffine", std::move(inputs), {{"replicas", replicas}});
}

Tensor BatchSum(const Tensor& x, const ReplicaRows& replicas) {
  return Emit1("_BatchSum", {x}, {{"replicas", replicas}});
}

Tensor BatchDot(const Tensor& a, const Tensor& b, const ReplicaRows& replicas) {
  return Emit1("_BatchDot", {a, b}, {{"replicas", replicas}});
}

}  // namespace lockstep::ops
