// Random tensors that follow from a seed, and the step of a generator's state.

#include "lockstep/ops/random.h"

#include <limits>

#include "lockstep/ops/array.h"
#include "lockstep/ops/comparison.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/reduce.h"
#include "lockstep/ops/structure.h"
#include "ops/array_rules.h"
#include "ops/builder.h"

namespace lockstep {
namespace ops {
namespace {

void RequireSeed(const OpSpec& spec, const TensorType& seed) {
  const bool integers = seed.dtype == DType::kInt64 || seed.dtype == DType::kInt32;
  const int64_t size = seed.shape.rank() == 1 ? seed.shape[0] : 0;
  if (!integers || !(size == 2 || (size == 3 && seed.dtype == DType::kInt64) || size < 0)) {
    Reject(spec, "a seed is [2] of int32 or int64, or [3] of int64", seed.ToString());
  }
}

void RequireRange(const std::string& op, int64_t low, int64_t high, DType dtype) {
  const bool fits = dtype == DType::kInt64 || (low >= INT32_MIN && high <= INT32_MAX);
  if (low < high && fits) return;
  throw Error(Code::kInvalidArgument,
              "[" + op + "] low must be below high, both in the dtype's range; got " +
                  std::to_string(low) + " and " + std::to_string(high));
}

std::vector<TensorType> InferRandom(const InferenceContext& context) {
  RequireSeed(context.spec, context.inputs[0]);
  const Shape shape(context.attributes.Get<std::vector<int64_t>>("shape"));
  if (!shape.fully_known()) Reject(context.spec, "the shape must be known", shape.ToString());
  return {{context.attributes.Get<DType>("dtype"), shape}};
}

const RegisterOp kUniform({.name = "StatelessRandomUniform", .infer = InferRandom});
std::vector<TensorType> InferUniformInt(const InferenceContext& context) {
  const std::vector<TensorType> result = InferRandom(context);
  RequireRange(context.spec.name, context.attributes.Get<int64_t>("low"),
               context.attributes.Get<int64_t>("high"), result[0].dtype);
  return result;
}
const RegisterOp kUniformInt({.name = "StatelessRandomUniformInt", .infer = InferUniformInt});
const RegisterOp kUniformFullInt({.name = "StatelessRandomUniformFullInt", .infer = InferRandom});
const RegisterOp kNormal({.name = "StatelessRandomNormal", .infer = InferRandom});
const RegisterOp kTruncated({.name = "StatelessTruncatedNormal", .infer = InferRandom});

std::vector<TensorType> InferPermutation(const InferenceContext& context) {
  RequireSeed(context.spec, context.inputs[0]);
  const int64_t size = context.inputs.size() > 1 ? context.inputs[1].shape[0]
                                                 : context.attributes.Get<int64_t>("size");
  if (context.inputs.size() == 1 && size < 0)
    Reject(context.spec, "the size must not be negative", std::to_string(size));
  return {{DType::kInt64, Shape{size}}};
}

const RegisterOp kPermutation({.name = "RandomPermutation",
                               .infer = InferPermutation,
                               .shape_only = 0b10});

std::vector<TensorType> InferDropout(const InferenceContext& context) {
  RequireSeed(context.spec, context.inputs[1]);
  const DType dtype = context.inputs[0].dtype;
  if (dtype != DType::kFloat32 && dtype != DType::kFloat64)
    Reject(context.spec, "x must be float32 or float64", std::string(DTypeName(dtype)));
  return {context.inputs[0]};
}

std::vector<Tensor> DropoutGradient(const GradientContext& context) {
  return {StatelessDropout(context.output_gradients[0], context.attributes.Get<double>("rate"),
                           context.inputs[1]),
          Tensor()};
}

// The mask of a row follows from its place; the seed must be the same for all rows.
RowEffect DropoutRows(const RowContext& context) {
  return context.has_rows[1] ? RowEffect::kMixes : RowEffect::kRows;
}

const RegisterOp kDropout({.name = "StatelessDropout",
                           .infer = InferDropout,
                           .gradient = DropoutGradient,
                           .rows = DropoutRows,
                           .numbers_rows = true});

const RegisterOp kNormalLike({.name = "StatelessNormalLike",
                              .infer = InferDropout,
                              .rows = DropoutRows,
                              .shape_only = 0b01,
                              .numbers_rows = true});

// The state before, while the counter advances by input 1, as a number of blocks without sign.
std::vector<TensorType> InferReadAndSkip(const InferenceContext& context) {
  const TensorType& state = context.inputs[0];
  if (!(context.inputs[1] == TensorType{DType::kInt64, Shape{}, context.inputs[1].element}))
    Reject(context.spec, "the advance is a scalar of int64", context.inputs[1].ToString());
  if (state.dtype != DType::kResource || state.element != DType::kInt64 ||
      !state.shape.CompatibleWith(Shape{3})) {
    Reject(context.spec, "the state of a generator is a variable of int64[3]", state.ToString());
  }
  return {{DType::kInt64, Shape{3}}};
}

const RegisterOp kReadAndSkip({.name = "RngReadAndSkip",
                               .infer = InferReadAndSkip,
                               .effects = {.reads = 1, .writes = 1}});

// The state from which replica number (input 1) draws, for the state that all replicas share.
std::vector<TensorType> InferReplicaState(const InferenceContext& context) {
  const TensorType &state = context.inputs[0], &replica = context.inputs[1];
  if (state.dtype != DType::kInt64 || !state.shape.CompatibleWith(Shape{3}) ||
      replica.dtype != DType::kInt32 || !replica.shape.CompatibleWith(Shape{})) {
    Reject(context.spec, "a state of int64[3] and a replica's number are needed",
           context.inputs[0].ToString() + " and " + context.inputs[1].ToString());
  }
  return {context.inputs[0]};
}

const RegisterOp kReplicaState({.name = "RngReplicaState", .infer = InferReplicaState});

}  // namespace
}  // namespace ops

namespace {

void RequireOneOf(const char* op, DType dtype, std::initializer_list<DType> dtypes) {
  for (const DType allowed : dtypes) {
    if (dtype == allowed) return;
  }
  std::string names;
  for (const DType allowed : dtypes)
    names += (names.empty() ? "" : ", ") + std::string(DTypeName(allowed));
  throw Error(Code::kInvalidArgument, "[" + std::string(op) + "] the dtype must be one of " +
                                          names + "; got " + std::string(DTypeName(dtype)));
}

// An op with a shape; by values where these tell it.
Tensor Sized(const char* op, const RandomSizes& sizes, const Tensor& seed,
             ops::Attributes attributes) {
  attributes.Set("shape", sizes.known().vector());
  if (!sizes.values().defined()) return ops::Emit1(op, {seed}, std::move(attributes));
  attributes.Set("op", std::string(op));
  return ops::Emit1("ByValues", {seed, sizes.values()}, std::move(attributes));
}

Tensor RealRandom(const char* op, const RandomSizes& shape, const Tensor& seed, double first,
                  double second, DType dtype) {
  return Sized(op, shape, seed, {{"dtype", dtype}, {"a", first}, {"b", second}});
}

// The numbers of float32, rounded; then deviation and mean in the dtype.
Tensor HalfNormal(const char* op, const RandomSizes& shape, const Tensor& seed, double mean,
                  double deviation, DType dtype) {
  const Tensor normal = Cast(RealRandom(op, shape, seed, 0, 1, DType::kFloat32), dtype);
  return mean == 0 && deviation == 1 ? normal : normal * deviation + mean;
}

}  // namespace

Tensor StatelessRandomUniform(const RandomSizes& shape, const Tensor& seed, double low, double high,
                              DType dtype) {
  const char* op = "StatelessRandomUniform";
  RequireOneOf(op, dtype, {DType::kFloat32, DType::kFloat64, DType::kFloat16, DType::kBFloat16});
  if (!IsHalf(dtype)) return RealRandom(op, shape, seed, low, high, dtype);
  const Tensor unit = RealRandom(op, shape, seed, 0, 1, dtype);
  return low == 0 && high == 1 ? unit : unit * (high - low) + low;
}

Tensor StatelessRandomUniformInt(const RandomSizes& shape, const Tensor& seed, int64_t low,
                                 int64_t high, DType dtype) {
  const char* op = "StatelessRandomUniformInt";
  RequireOneOf(op, dtype, {DType::kInt32, DType::kInt64});
  return Sized(op, shape, seed, {{"dtype", dtype}, {"low", low}, {"high", high}});
}

Tensor StatelessRandomUniformFullInt(const RandomSizes& shape, const Tensor& seed, DType dtype) {
  RequireOneOf("StatelessRandomUniformFullInt", dtype, {DType::kInt32, DType::kInt64});
  return Sized("StatelessRandomUniformFullInt", shape, seed, {{"dtype", dtype}});
}

Tensor StatelessRandomNormal(const RandomSizes& shape, const Tensor& seed, double mean,
                             double deviation, DType dtype) {
  RequireOneOf("StatelessRandomNormal", dtype,
               {DType::kFloat32, DType::kFloat64, DType::kFloat16, DType::kBFloat16});
  if (IsHalf(dtype))
    return HalfNormal("StatelessRandomNormal", shape, seed, mean, deviation, dtype);
  return RealRandom("StatelessRandomNormal", shape, seed, mean, deviation, dtype);
}

Tensor StatelessTruncatedNormal(const RandomSizes& shape, const Tensor& seed, double mean,
                                double deviation, DType dtype) {
  RequireOneOf("StatelessTruncatedNormal", dtype,
               {DType::kFloat32, DType::kFloat64, DType::kFloat16, DType::kBFloat16});
  if (IsHalf(dtype))
    return HalfNormal("StatelessTruncatedNormal", shape, seed, mean, deviation, dtype);
  return RealRandom("StatelessTruncatedNormal", shape, seed, mean, deviation, dtype);
}

Tensor RandomSplit(const Tensor& seed, int64_t count) {
  return StatelessRandomUniformFullInt(Shape{count, 2}, seed, seed.dtype());
}

Tensor RandomFoldIn(const Tensor& seed, const Tensor& data) {
  const DType dtype = data.is_weak() ? seed.dtype() : data.dtype();
  const Tensor first = StatelessRandomUniformFullInt(Shape{1}, seed, dtype);
  const Tensor second = data.is_weak() ? ops::CastScalar(data, dtype) : data;
  return Concat({first, Reshape(second, {1})}, 0);
}

namespace {

// [rows, samples]; a run tells the rows where the shape does not.
RandomSizes SampleSizes(const Tensor& logits, int64_t samples) {
  const Shape known = {logits.shape()[0], samples};
  if (known[0] >= 0) return known;
  const Tensor rows = Slice(ShapeOf(logits, DType::kInt64), {0}, {1});
  return {known, Concat({rows, Constant<int64_t>({samples})}, 0)};
}

}  // namespace

// As TensorFlow: one double for each sample, row after row, is looked up in the running sums of the
// classes' weights.
Tensor StatelessCategorical(const Tensor& logits, int64_t samples, const Tensor& seed,
                            DType dtype) {
  if (logits.rank() != 2 || logits.shape()[1] < 1 || samples < 0) {
    throw Error(
        Code::kInvalidArgument,
        "[categorical] logits must be [rows, classes], with a known number of classes, one at "
        "least; got " +
            logits.shape().ToString() + " and " + std::to_string(samples) + " samples");
  }
  const Tensor known = IsFinite(logits);
  const Tensor scores = Cast(logits, DType::kFloat64);
  const Tensor lowest = Scalar(std::numeric_limits<double>::lowest());
  const Tensor largest = ReduceMax(Where(known, scores, lowest), {1}, true);
  const Tensor sums = Cumsum(Where(known, Exp(scores - largest), Scalar(0.0)), 1);
  const int64_t classes = logits.shape()[1];
  const Tensor total = Slice(sums, {0, classes - 1}, {-1, 1});
  const Tensor drawn =
      StatelessRandomUniform(SampleSizes(logits, samples), seed, 0, 1, DType::kFloat64);
  const Tensor passed = LessEqual(ExpandDims(sums, 1), ExpandDims(drawn * total, 2));
  return ReduceSum(Cast(passed, dtype), {2});
}

Tensor StatelessDropout(const Tensor& x, double rate, const Tensor& seed) {
  if (!(rate >= 0 && rate <= 1)) {
    throw Error(Code::kInvalidArgument,
                "[StatelessDropout] rate must lie in [0, 1]; got " + std::to_string(rate));
  }
  return ops::Emit1("StatelessDropout", {x, seed}, {{"rate", rate}});
}

Tensor StatelessNormalLike(const Tensor& x, const Tensor& seed, double mean, double deviation) {
  return ops::Emit1("StatelessNormalLike", {x, seed}, {{"a", mean}, {"b", deviation}});
}

Tensor RandomPermutation(int64_t size, const Tensor& seed) {
  return ops::Emit1("RandomPermutation", {seed}, {{"size", size}});
}

Tensor RandomPermutationLike(const Tensor& rows, const Tensor& seed) {
  return ops::Emit1("RandomPermutation", {seed, rows});
}

}  // namespace lockstep
