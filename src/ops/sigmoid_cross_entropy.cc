// The cross entropy of independent yes-or-no predictions on logits.

#include "lockstep/ops/math.h"
#include "lockstep/ops/nn.h"
#include "ops/builder.h"

namespace lockstep {

namespace ops {
namespace {

std::vector<TensorType> InferEntropy(const InferenceContext& context) {
  const TensorType &logits = context.inputs[0], &labels = context.inputs[1];
  if (!IsFloating(logits.dtype) || labels.dtype != logits.dtype ||
      !labels.shape.CompatibleWith(logits.shape)) {
    throw Error(Code::kInvalidArgument, "[" + context.spec.name +
                                            "] logits and labels must have one shape and floating "
                                            "dtype; got " +
                                            logits.ToString() + " and " + labels.ToString());
  }
  return {logits};
}

std::vector<Tensor> EntropyGradient(const GradientContext& context) {
  const Tensor &logits = context.inputs[0], &labels = context.inputs[1];
  const Tensor& g = context.output_gradients[0];
  return {Multiply(g, Subtract(Sigmoid(logits), labels)), Negative(Multiply(g, logits))};
}

const RegisterOp kEntropy({.name = "SigmoidCrossEntropyWithLogits",
                           .infer = InferEntropy,
                           .gradient = EntropyGradient,
                           .rows = RowsStay});

}  // namespace
}  // namespace ops

Tensor SigmoidCrossEntropyWithLogits(const Tensor& labels, const Tensor& logits) {
  return ops::Emit1("SigmoidCrossEntropyWithLogits", {logits, labels});
}

}  // namespace lockstep
