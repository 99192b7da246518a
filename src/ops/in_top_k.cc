// Whether targets are among the largest predictions.

#include "lockstep/ops/nn.h"
#include "ops/builder.h"

namespace lockstep {

namespace ops {
namespace {

std::vector<TensorType> InferInTopK(const InferenceContext& context) {
  const TensorType &predictions = context.inputs[0], &targets = context.inputs[1];
  const bool real = predictions.dtype == DType::kFloat32 || predictions.dtype == DType::kFloat64;
  const bool whole = targets.dtype == DType::kInt32 || targets.dtype == DType::kInt64;
  if (!real || !whole || predictions.shape.rank() != 2 ||
      !targets.shape.CompatibleWith(Shape{predictions.shape[0]})) {
    throw Error(Code::kInvalidArgument,
                "[InTopK] predictions [n, c] (float32, float64) and targets [n] (int32, int64) are "
                "needed; got " +
                    predictions.ToString() + " and " + targets.ToString());
  }
  return {{DType::kBool, targets.shape, DType::kBool}};
}

RowEffect InTopKRows(const RowContext& context) {
  return context.has_rows[0] && context.has_rows[1] ? RowEffect::kRows : RowEffect::kMixes;
}

const RegisterOp kInTopK({.name = "InTopKV2", .infer = InferInTopK, .rows = InTopKRows});

}  // namespace
}  // namespace ops

Tensor InTopK(const Tensor& targets, const Tensor& predictions, int64_t k) {
  return ops::Emit1("InTopKV2", {predictions, targets}, {{"k", k}});
}

}  // namespace lockstep
