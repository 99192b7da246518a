// Adding a vector along the last axis, and its gradient, the sum over all others.

#include "lockstep/ops/broadcast.h"
#include "lockstep/ops/linalg.h"
#include "lockstep/ops/structure.h"
#include "ops/builder.h"

namespace lockstep {

namespace ops {
namespace {

std::vector<TensorType> InferBiasAdd(const InferenceContext& context) {
  const TensorType& value = context.inputs[0];
  const TensorType& bias = context.inputs[1];
  const int rank = value.shape.rank();
  if (value.dtype != bias.dtype || rank < 2 || bias.shape.rank() != 1 ||
      !Shape{value.shape[rank - 1]}.CompatibleWith(bias.shape)) {
    throw Error(Code::kInvalidArgument,
                "[BiasAdd] the bias must be a vector as long as the value's last axis, of its "
                "dtype; got " +
                    value.ToString() + " and " + bias.ToString());
  }
  TensorType result = value;
  if (result.shape[rank - 1] < 0) result.shape.set_dim(rank - 1, bias.shape[0]);
  return {result};
}

std::vector<Tensor> BiasAddGradient(const GradientContext& context) {
  const Tensor& g = context.output_gradients[0];
  return {g, Emit1("BiasAddGrad", {g})};
}

RowEffect BiasAddRows(const RowContext& context) {
  return context.has_rows[1] ? RowEffect::kMixes : RowEffect::kRows;
}

const RegisterOp kBiasAdd(
    {.name = "BiasAdd", .infer = InferBiasAdd, .gradient = BiasAddGradient, .rows = BiasAddRows});

std::vector<TensorType> InferBiasAddGrad(const InferenceContext& context) {
  const TensorType& g = context.inputs[0];
  if (g.shape.rank() < 2) {
    throw Error(Code::kInvalidArgument,
                "[BiasAddGrad] a rank of 2 or more is needed; got " + g.ToString());
  }
  return {{g.dtype, Shape{g.shape[g.shape.rank() - 1]}, g.element}};
}

std::vector<Tensor> BiasAddGradGradient(const GradientContext& context) {
  return {BroadcastLike(context.output_gradients[0], context.inputs[0])};
}

RowEffect SumOverRows(const RowContext&) { return RowEffect::kSum; }

const RegisterOp kBiasAddGrad({.name = "BiasAddGrad",
                               .infer = InferBiasAddGrad,
                               .gradient = BiasAddGradGradient,
                               .rows = SumOverRows});

}  // namespace
}  // namespace ops

Tensor BiasAdd(const Tensor& value, const Tensor& bias) {
  std::vector<Tensor> operands = {value, bias};
  ops::ResolveWeak(operands, "BiasAdd");
  return ops::Emit1("BiasAdd", operands);
}

}  // namespace lockstep
