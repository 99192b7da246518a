// Where, BooleanMask, Unique, SearchSorted, MatrixBandPart.

#include "lockstep/ops/array.h"
#include "lockstep/ops/structure.h"
#include "ops/array_rules.h"

namespace lockstep {
namespace ops {
namespace {

std::vector<TensorType> InferWhere(const InferenceContext& context) {
  return {{DType::kInt64, Shape{Shape::kUnknown, context.inputs[0].shape.rank()}}};
}
const RegisterOp kWhere({.name = "Where", .infer = InferWhere});

std::vector<TensorType> InferUnique(const InferenceContext& context) {
  const TensorType& input = context.inputs[0];
  if (input.shape.rank() != 1) Reject(context.spec, "a vector is needed", input.ToString());
  return {{input.dtype, Shape{Shape::kUnknown}}, {DType::kInt32, input.shape}};
}
const RegisterOp kUnique({.name = "Unique", .infer = InferUnique});

std::vector<TensorType> InferSearch(const InferenceContext& context) {
  const TensorType& sorted = context.inputs[0];
  const TensorType& values = context.inputs[1];
  bool fits = sorted.dtype == values.dtype && sorted.shape.rank() == values.shape.rank() &&
              sorted.shape.rank() > 0;
  for (int i = 0; fits && i < sorted.shape.rank() - 1; ++i) {
    fits = sorted.shape[i] < 0 || values.shape[i] < 0 || sorted.shape[i] == values.shape[i];
  }
  if (!fits) {
    Reject(context.spec, "dtypes, and shapes but the last axis, must agree",
           sorted.ToString() + " and " + values.ToString());
  }
  return {{DType::kInt32, values.shape}};
}
RowEffect SearchRows(const RowContext& context) {
  return context.inputs[0].shape.rank() > 1 && context.has_rows[0] && context.has_rows[1]
             ? RowEffect::kRows
             : RowEffect::kMixes;
}
const RegisterOp kSearch({.name = "SearchSorted", .infer = InferSearch, .rows = SearchRows});

std::vector<TensorType> InferBand(const InferenceContext& context) {
  if (context.inputs[0].shape.rank() < 2) {
    Reject(context.spec, "matrices are needed", context.inputs[0].ToString());
  }
  const Shape& shape = context.inputs[0].shape;
  const int64_t rows = shape.dim(-2), columns = shape.dim(-1);
  const auto lower = context.attributes.Get<int64_t>("lower");
  const auto upper = context.attributes.Get<int64_t>("upper");
  if ((rows >= 0 && lower > rows) || (columns >= 0 && upper > columns)) {
    Reject(context.spec, "lower and upper must be at most the matrix' sizes, or negative",
           std::to_string(lower) + " and " + std::to_string(upper) + " for " + shape.ToString());
  }
  return {context.inputs[0]};
}
std::vector<Tensor> BandGradient(const GradientContext& context) {
  return {Emit1("MatrixBandPart", {context.output_gradients[0]}, context.attributes)};
}
RowEffect BandRows(const RowContext& context) {
  return context.inputs[0].shape.rank() > 2 ? RowEffect::kRows : RowEffect::kMixes;
}
const RegisterOp kBand(
    {.name = "MatrixBandPart", .infer = InferBand, .gradient = BandGradient, .rows = BandRows});

}  // namespace
}  // namespace ops

Tensor Where(const Tensor& condition) { return ops::Emit1("Where", {condition}); }

Tensor BooleanMask(const Tensor& input, const Tensor& mask) {
  const int rank = mask.rank();
  bool fits = mask.dtype() == DType::kBool && rank >= 1 && rank <= input.rank();
  for (int i = 0; fits && i < rank; ++i) {
    const int64_t a = input.shape()[i];
    const int64_t b = mask.shape()[i];
    fits = a < 0 || b < 0 || a == b;
  }
  if (!fits) {
    throw Error(Code::kInvalidArgument,
                "[BooleanMask] a bool mask must have the shape of the first axes; got " +
                    ops::TensorType::Of(mask).ToString() + " for " + input.shape().ToString());
  }
  std::vector<int64_t> flat{-1};
  for (int i = rank; i < input.rank(); ++i) flat.push_back(input.shape()[i]);
  const Tensor places = Squeeze(Where(Reshape(mask, {-1})), {1});
  return Gather(rank == 1 ? input : Reshape(input, flat), places);
}

UniqueResult Unique(const Tensor& input) {
  const auto outputs = ops::Emit("Unique", {input});
  return {outputs[0], outputs[1]};
}

Tensor SearchSorted(const Tensor& sorted, const Tensor& values, bool right) {
  return ops::Emit1("SearchSorted", {sorted, values}, {{"right", right}});
}

Tensor MatrixBandPart(const Tensor& input, int64_t lower, int64_t upper) {
  return ops::Emit1("MatrixBandPart", {input}, {{"lower", lower}, {"upper", upper}});
}

}  // namespace lockstep
