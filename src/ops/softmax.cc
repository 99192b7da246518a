// Softmax, LogSoftmax and the cross entropies on logits. The ops work along the last axis.

#include <algorithm>

#include "lockstep/ops/array.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/nn.h"
#include "lockstep/ops/reduce.h"
#include "lockstep/ops/structure.h"
#include "ops/builder.h"

namespace lockstep {

namespace ops {
namespace {

// Summed over the last axis, which stays with size 1.
Tensor SumOverLast(const Tensor& x) { return ReduceSum(x, -1, true); }
// One more axis, of size 1, at the end of a vector.
Tensor AsColumn(const Tensor& vector) { return Reshape(vector, {-1, 1}); }

std::vector<TensorType> InferSoftmax(const InferenceContext& context) {
  const TensorType& logits = context.inputs[0];
  if (!IsFloating(logits.dtype) || logits.shape.rank() < 1) {
    throw Error(Code::kInvalidArgument,
                "[" + context.spec.name + "] a floating tensor of rank 1 or more is needed; got " +
                    logits.ToString());
  }
  return {logits};
}

RowEffect SoftmaxRows(const RowContext& context) {
  return context.inputs[0].shape.rank() > 1 ? RowEffect::kRows : RowEffect::kMixes;
}

std::vector<Tensor> SoftmaxGradient(const GradientContext& context) {
  const Tensor& y = context.outputs[0];
  const Tensor& g = context.output_gradients[0];
  return {Multiply(y, Subtract(g, SumOverLast(Multiply(g, y))))};
}

std::vector<Tensor> LogSoftmaxGradient(const GradientContext& context) {
  const Tensor& g = context.output_gradients[0];
  return {Subtract(g, Multiply(Softmax(context.inputs[0]), SumOverLast(g)))};
}

const RegisterOp kSoftmax(
    {.name = "Softmax", .infer = InferSoftmax, .gradient = SoftmaxGradient, .rows = SoftmaxRows});
const RegisterOp kLogSoftmax({.name = "LogSoftmax",
                              .infer = InferSoftmax,
                              .gradient = LogSoftmaxGradient,
                              .rows = SoftmaxRows});

[[noreturn]] void ThrowEntropy(const InferenceContext& context, const char* rule) {
  throw Error(Code::kInvalidArgument, "[" + context.spec.name + "] " + rule + "; got logits " +
                                          context.inputs[0].ToString() + " and labels " +
                                          context.inputs[1].ToString());
}

// Outputs the loss [rows] and the gradient [rows, classes].
std::vector<TensorType> EntropyOutputs(const InferenceContext& context) {
  const TensorType& logits = context.inputs[0];
  const TensorType& labels = context.inputs[1];
  if (!IsFloating(logits.dtype)) ThrowEntropy(context, "the logits must be floating");
  if (logits.shape.rank() != 2) ThrowEntropy(context, "the logits must be a matrix");
  if (logits.shape[1] == 0) ThrowEntropy(context, "there must be at least one class");
  const int64_t rows = std::max(logits.shape[0], labels.shape[0]);
  return {{logits.dtype, Shape{rows}, logits.dtype},
          {logits.dtype, Shape{rows, logits.shape[1]}, logits.dtype}};
}

std::vector<TensorType> InferCrossEntropy(const InferenceContext& context) {
  const TensorType& logits = context.inputs[0];
  const TensorType& labels = context.inputs[1];
  if (logits.dtype != labels.dtype || !logits.shape.CompatibleWith(labels.shape)) {
    ThrowEntropy(context, "labels and logits must have one shape and dtype");
  }
  return EntropyOutputs(context);
}

std::vector<TensorType> InferSparse(const InferenceContext& context) {
  const TensorType& logits = context.inputs[0];
  const TensorType& labels = context.inputs[1];
  if (labels.dtype != DType::kInt32 && labels.dtype != DType::kInt64) {
    ThrowEntropy(context, "labels must be int32 or int64");
  }
  if (logits.shape.rank() != 2 || !labels.shape.CompatibleWith(Shape{logits.shape[0]})) {
    ThrowEntropy(context, "there must be a label for each row of the logits");
  }
  return EntropyOutputs(context);
}

// The gradient of the logits: what flows through the loss, and, when gradients are differentiated
// again, what flows through softmax - labels.
Tensor LogitsGradient(const GradientContext& context) {
  const Tensor& through_loss = context.output_gradients[0];
  const Tensor& through_gradient = context.output_gradients[1];
  Tensor result;
  if (through_loss.defined()) {
    result = Multiply(AsColumn(through_loss), context.outputs[1]);
  }
  if (through_gradient.defined()) {
    const Tensor y = Softmax(context.inputs[0]);
    const Tensor centred = Subtract(through_gradient, SumOverLast(Multiply(through_gradient, y)));
    const Tensor second = Multiply(centred, y);
    result = result.defined() ? Add(result, second) : second;
  }
  return result;
}

Tensor LabelsGradient(const GradientContext& context) {
  const Tensor& through_loss = context.output_gradients[0];
  const Tensor& through_gradient = context.output_gradients[1];
  Tensor result;
  if (through_loss.defined()) {
    const Tensor negative = Negative(AsColumn(through_loss));
    result = Multiply(negative, LogSoftmax(context.inputs[0]));
  }
  if (through_gradient.defined()) {
    result = result.defined() ? Subtract(result, through_gradient) : Negative(through_gradient);
  }
  return result;
}

std::vector<Tensor> CrossEntropyGradient(const GradientContext& context) {
  return {LogitsGradient(context), LabelsGradient(context)};
}

std::vector<Tensor> SparseGradient(const GradientContext& context) {
  return {LogitsGradient(context), Tensor()};
}

RowEffect EntropyRows(const RowContext& context) {
  return context.has_rows[0] && context.has_rows[1] ? RowEffect::kRows : RowEffect::kMixes;
}

const RegisterOp kCrossEntropy({.name = "SoftmaxCrossEntropyWithLogits",
                                .infer = InferCrossEntropy,
                                .gradient = CrossEntropyGradient,
                                .rows = EntropyRows});
const RegisterOp kSparse({.name = "SparseSoftmaxCrossEntropyWithLogits",
                          .infer = InferSparse,
                          .gradient = SparseGradient,
                          .rows = EntropyRows});

Tensor AlongLastAxis(const char* op, const Tensor& logits, int64_t axis) {
  const int last = logits.rank() - 1;
  const int along = NormalizeAxis(axis, logits.rank(), op);
  if (along == last) return Emit1(op, {logits});
  std::vector<int64_t> swapped;
  for (int i = 0; i <= last; ++i) swapped.push_back(i == along ? last : i == last ? along : i);
  return Transpose(Emit1(op, {Transpose(logits, swapped)}), swapped);
}

}  // namespace
}  // namespace ops

Tensor Softmax(const Tensor& logits, int64_t axis) {
  return ops::AlongLastAxis("Softmax", logits, axis);
}

Tensor LogSoftmax(const Tensor& logits, int64_t axis) {
  return ops::AlongLastAxis("LogSoftmax", logits, axis);
}

Tensor SoftmaxCrossEntropyWithLogits(const Tensor& labels, const Tensor& logits) {
  const char* op = "SoftmaxCrossEntropyWithLogits";
  if (logits.rank() == 2) return ops::Emit(op, {logits, labels})[0];
  const int64_t classes = logits.shape().dim(-1);
  const Tensor loss =
      ops::Emit(op, {Reshape(logits, {-1, classes}), Reshape(labels, {-1, classes})})[0];
  const Shape& shape = logits.shape();
  return Reshape(loss, {shape.sizes().begin(), shape.sizes().end() - 1});
}

Tensor SparseSoftmaxCrossEntropyWithLogits(const Tensor& labels, const Tensor& logits) {
  const char* op = "SparseSoftmaxCrossEntropyWithLogits";
  if (logits.rank() == 2) return ops::Emit(op, {logits, labels})[0];
  const int64_t classes = logits.shape().dim(-1);
  const Tensor rows = Reshape(logits, {-1, classes});
  return ReshapeLike(ops::Emit(op, {rows, Reshape(labels, {-1})})[0], labels);
}

}  // namespace lockstep
