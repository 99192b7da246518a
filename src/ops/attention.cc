// ScaledDotProductAttention: the result and the logarithm of each query's sum of exponentials, from
// which the gradient computes the scores again.

#include "lockstep/ops/attention.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "lockstep/ops/linalg.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/nn.h"
#include "lockstep/ops/reduce.h"
#include "ops/builder.h"

namespace lockstep {

namespace ops {
namespace {

[[noreturn]] void Throw(const InferenceContext& context, const char* rule) {
  std::string got;
  for (const TensorType& input : context.inputs.first(3)) {
    got += (got.empty() ? "" : ", ") + input.ToString();
  }
  throw Error(Code::kInvalidArgument, "[" + context.spec.name + "] " + rule + "; got " + got);
}

bool Disagree(int64_t a, int64_t b) { return a >= 0 && b >= 0 && a != b; }

// Depths, and numbers of keys and queries, that lie along axis `positions`.
void RequireSizes(const InferenceContext& context, int positions) {
  const Shape &q = context.inputs[0].shape, &k = context.inputs[1].shape;
  const Shape& v = context.inputs[2].shape;
  if (Disagree(q.dim(-1), k.dim(-1))) Throw(context, "query and key must be as deep");
  if (Disagree(k[positions], v[positions])) Throw(context, "there must be a value for each key");
  const int64_t queries = q[positions], keys = k[positions];
  if (context.attributes.Get<bool>("causal") && queries >= 0 && keys >= 0 && keys < queries) {
    Throw(context, "causal attention needs at least as many keys as queries");
  }
}

void RequireAttention(const InferenceContext& context) {
  const TensorType& q = context.inputs[0];
  const int rank = q.shape.rank();
  if (!IsFloating(q.dtype) || rank < 3) Throw(context, "floating [..., t, d] are needed");
  for (const TensorType& input : context.inputs.first(3)) {
    bool fits = input.dtype == q.dtype && input.shape.rank() == rank;
    for (int axis = 0; fits && axis < rank - 2; ++axis) {
      fits = !Disagree(input.shape[axis], q.shape[axis]);
    }
    if (!fits) Throw(context, "query, key and value must agree in dtype and leading axes");
  }
  RequireSizes(context, rank - 2);
}

std::vector<TensorType> InferAttention(const InferenceContext& context) {
  RequireAttention(context);
  const TensorType& q = context.inputs[0];
  const int rank = q.shape.rank();
  TensorType result = q;
  result.shape.set_dim(rank - 1, context.inputs[2].shape[rank - 1]);
  // Logarithms are kept in float32 where the elements are halves.
  const DType dtype = q.dtype == DType::kFloat64 ? DType::kFloat64 : DType::kFloat32;
  const Shape queries(q.shape.sizes().first(static_cast<size_t>(rank - 1)));
  return {result, {dtype, queries, dtype}};
}

std::vector<Tensor> AttentionGradient(const GradientContext& context) {
  const auto& in = context.inputs;
  return Emit(
      "ScaledDotProductAttentionGrad",
      {in[0], in[1], in[2], context.outputs[0], context.outputs[1], context.output_gradients[0]},
      context.attributes);
}

// Inputs 3 to 5: the result, the logarithms and the gradient of the result, as `infer` gives them.
void RequireResults(const InferenceContext& context, InferFunction infer) {
  const std::vector<TensorType> results =
      infer({context.spec, context.attributes, context.inputs.first(3)});
  const TensorType* wanted[] = {&results[0], &results[1], &results[0]};
  for (size_t i = 0; i < 3; ++i) {
    const TensorType& given = context.inputs[3 + i];
    if (given.dtype == wanted[i]->dtype && given.shape.CompatibleWith(wanted[i]->shape)) continue;
    Throw(context, "results and their gradient must have the forward op's types");
  }
}

std::vector<TensorType> InferAttentionGrad(const InferenceContext& context) {
  RequireResults(context, InferAttention);
  return {context.inputs.begin(), context.inputs.begin() + 3};
}

// The same on [b, t, h, d], heads and positions as they lie; graph::FuseHeads makes these.
void RequireHeads(const InferenceContext& context) {
  const Shape& q = context.inputs[0].shape;
  if (q.rank() != 4) Throw(context, "[b, t, h, d] is needed");
  for (const TensorType& input : context.inputs.first(3)) {
    if (!IsFloating(input.dtype) || input.dtype != context.inputs[0].dtype ||
        input.shape.rank() != 4 || Disagree(input.shape[0], q[0]) ||
        Disagree(input.shape[2], q[2])) {
      Throw(context, "query, key and value must agree in examples and heads");
    }
  }
  RequireSizes(context, 1);
}

std::vector<TensorType> InferHeads(const InferenceContext& context) {
  RequireHeads(context);
  const TensorType& q = context.inputs[0];
  TensorType result = q;
  result.shape.set_dim(3, context.inputs[2].shape[3]);
  const DType dtype = q.dtype == DType::kFloat64 ? DType::kFloat64 : DType::kFloat32;
  return {result, {dtype, Shape{q.shape[0], q.shape[2], q.shape[1]}, dtype}};
}

std::vector<TensorType> InferHeadsGrad(const InferenceContext& context) {
  RequireResults(context, InferHeads);
  return {context.inputs.begin(), context.inputs.begin() + 3};
}

// 0 where a query sees a key, -inf elsewhere.
Tensor CausalMask(int64_t queries, int64_t keys, DType dtype) {
  if (queries < 0 || keys < 0) {
    throw Error(Code::kUnimplemented,
                "[attention] second derivatives of causal attention need sizes that are known "
                "while tracing; got " +
                    Shape{queries, keys}.ToString());
  }
  std::vector<float> mask;
  for (int64_t t = 0; t < queries; ++t) {
    for (int64_t s = 0; s < keys; ++s) {
      mask.push_back(s <= t + keys - queries ? 0 : -std::numeric_limits<float>::infinity());
    }
  }
  return Cast(Tensor::FromVector(mask, Shape{queries, keys}), dtype);
}

Tensor SumOverKeys(const Tensor& x) { return ReduceSum(x, -1, true); }

// With s the scale, P = softmax(s q k^T), dP = g v^T and D = P (dP - sum(P dP)), the gradient is
// dq = s D k, dk = s D^T q, dv = P^T g. Here its derivatives by q, k, v and g, where a, b and c
// come from above.
std::vector<Tensor> AttentionGradGradient(const GradientContext& context) {
  const Tensor &q = context.inputs[0], &k = context.inputs[1], &v = context.inputs[2];
  const Tensor& g = context.inputs[5];
  auto above = [&](size_t i) {
    const Tensor& given = context.output_gradients[i];
    return given.defined() ? given : Emit1("ZerosLike", {context.inputs[i]});
  };
  const Tensor a = above(0), b = above(1), c = above(2);
  const double scale = context.attributes.Get<double>("scale");
  Tensor scores = Multiply(MatMul(q, k, false, true), scale);
  if (context.attributes.Get<bool>("causal")) {
    scores = Add(scores, CausalMask(q.shape().dim(-2), k.shape().dim(-2), q.dtype()));
  }
  const Tensor p = Softmax(scores);
  const Tensor dp = MatMul(g, v, false, true);
  const Tensor mean = SumOverKeys(Multiply(p, dp));
  const Tensor d = Multiply(p, Subtract(dp, mean));
  // What D, P and dP get.
  const Tensor e = Multiply(Add(MatMul(a, k, false, true), MatMul(q, b, false, true)), scale);
  const Tensor e_mean = SumOverKeys(Multiply(e, p));
  const Tensor to_dp = Multiply(p, Subtract(e, e_mean));
  const Tensor to_p = Subtract(Add(MatMul(g, c, false, true), Multiply(e, Subtract(dp, mean))),
                               Multiply(dp, e_mean));
  const Tensor to_scores =
      Multiply(Multiply(p, Subtract(to_p, SumOverKeys(Multiply(to_p, p)))), scale);
  const Tensor sd = Multiply(d, scale);
  return {Add(MatMul(sd, b), MatMul(to_scores, k)),
          Add(MatMul(sd, a, true), MatMul(to_scores, q, true)),
          MatMul(to_dp, g, true),
          Tensor(),
          Tensor(),
          Add(MatMul(p, c), MatMul(to_dp, v))};
}

RowEffect AttentionRows(const RowContext& context) {
  for (const char has_rows : context.has_rows) {
    if (!has_rows) return RowEffect::kMixes;
  }
  return RowEffect::kRows;
}

const RegisterOp kAttention({.name = "ScaledDotProductAttention",
                             .infer = InferAttention,
                             .gradient = AttentionGradient,
                             .rows = AttentionRows});
const RegisterOp kAttentionGrad({.name = "ScaledDotProductAttentionGrad",
                                 .infer = InferAttentionGrad,
                                 .gradient = AttentionGradGradient,
                                 .rows = AttentionRows});
const RegisterOp kHeads({.name = "_HeadsAttention", .infer = InferHeads, .rows = AttentionRows});
const RegisterOp kHeadsGrad({.name = "_HeadsAttentionGrad",
                             .infer = InferHeadsGrad,
                             .rows = AttentionRows});

}  // namespace
}  // namespace ops

Tensor ScaledDotProductAttention(const Tensor& query, const Tensor& key, const Tensor& value,
                                 const AttentionOptions& options) {
  double scale = options.scale;
  if (scale == 0) {
    const int64_t depth = std::max(query.shape().dim(-1), key.shape().dim(-1));
    scale = 1 / std::sqrt(static_cast<double>(std::max<int64_t>(1, depth)));
  }
  return ops::Emit("ScaledDotProductAttention", {query, key, value},
                   {{"causal", options.causal}, {"scale", scale}})[0];
}

}  // namespace lockstep
