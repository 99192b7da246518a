// Pooling of images in NHWC. MaxPoolGrad puts a gradient where the largest elements are,
// MaxPoolGradGrad takes it from there: each is the other's gradient.

#include "lockstep/ops/pooling.h"

#include <algorithm>

#include "lockstep/ops/math.h"
#include "ops/builder.h"
#include "ops/convolution_types.h"
#include "tensor/sizes.h"

namespace lockstep {

namespace ops {
namespace {

Shape PooledShape(const InferenceContext& context, const TensorType& images) {
  if (!IsFloating(images.dtype) || images.shape.rank() != 4) {
    throw Error(Code::kInvalidArgument, "[" + context.spec.name +
                                            "] floating images [n, h, w, c] are needed; got " +
                                            images.ToString());
  }
  const auto& size = context.attributes.Get<std::vector<int64_t>>("ksize");
  if (size.size() != 2 || std::min(size[0], size[1]) < 1) {
    throw Error(Code::kInvalidArgument, "[" + context.spec.name +
                                            "] ksize must be two positive sizes; got " +
                                            tensor::ListText(size));
  }
  const Window window =
      Window::Of(context.attributes, images.shape, size[0], size[1], context.spec.name);
  return {images.shape[0], window.height.output, window.width.output, images.shape[3]};
}

std::vector<TensorType> InferPool(const InferenceContext& context) {
  TensorType result = context.inputs[0];
  result.shape = PooledShape(context, result);
  return {result};
}

void RequirePooled(const InferenceContext& context, size_t which) {
  const TensorType& images = context.inputs[0];
  const TensorType& given = context.inputs[which];
  const Shape pooled = PooledShape(context, images);
  if (given.dtype != images.dtype || !given.shape.CompatibleWith(pooled)) {
    throw Error(Code::kInvalidArgument, "[" + context.spec.name +
                                            "] the gradient must have the pool's shape " +
                                            pooled.ToString() + "; got " + given.ToString());
  }
}

// Inputs: the images, and where the pool took the maximum its result; last the gradient.
std::vector<TensorType> InferPoolGrad(const InferenceContext& context) {
  RequirePooled(context, context.inputs.size() - 1);
  return {context.inputs[0]};
}

std::vector<TensorType> InferMaxPoolGradGrad(const InferenceContext& context) {
  RequirePooled(context, 1);
  return {context.inputs[1]};
}

std::vector<Tensor> MaxPoolGradient(const GradientContext& context) {
  return {Emit1("MaxPoolGrad", {context.inputs[0], context.outputs[0], context.output_gradients[0]},
                context.attributes)};
}

// Where the maxima lie does not change with the input, but for ties.
std::vector<Tensor> MaxPoolGradGradient(const GradientContext& context) {
  return {
      Tensor(), Tensor(),
      Emit1("MaxPoolGradGrad", {context.inputs[0], context.inputs[1], context.output_gradients[0]},
            context.attributes)};
}

std::vector<Tensor> MaxPoolGradGradGradient(const GradientContext& context) {
  return {Tensor(), Tensor(),
          Emit1("MaxPoolGrad", {context.inputs[0], context.inputs[1], context.output_gradients[0]},
                context.attributes)};
}

std::vector<Tensor> AvgPoolGradient(const GradientContext& context) {
  return {
      Emit1("AvgPoolGrad", {context.inputs[0], context.output_gradients[0]}, context.attributes)};
}

std::vector<Tensor> AvgPoolGradGradient(const GradientContext& context) {
  return {Tensor(), Emit1("AvgPool", {context.output_gradients[0]}, context.attributes)};
}

RowEffect EachImage(const RowContext&) { return RowEffect::kRows; }

const RegisterOp kMaxPool(
    {.name = "MaxPool", .infer = InferPool, .gradient = MaxPoolGradient, .rows = EachImage});
const RegisterOp kMaxPoolGrad({.name = "MaxPoolGrad",
                               .infer = InferPoolGrad,
                               .gradient = MaxPoolGradGradient,
                               .rows = RowsStay});
const RegisterOp kMaxPoolGradGrad({.name = "MaxPoolGradGrad",
                                   .infer = InferMaxPoolGradGrad,
                                   .gradient = MaxPoolGradGradGradient,
                                   .rows = RowsStay});
const RegisterOp kAvgPool(
    {.name = "AvgPool", .infer = InferPool, .gradient = AvgPoolGradient, .rows = EachImage});
const RegisterOp kAvgPoolGrad({.name = "AvgPoolGrad",
                               .infer = InferPoolGrad,
                               .gradient = AvgPoolGradGradient,
                               .rows = RowsStay,
                               .shape_only = 0b01});

Tensor Pool(const char* op, const Tensor& input, std::array<int64_t, 2> window,
            const PoolingOptions& options) {
  Attributes attributes = WindowAttributes({.strides = options.strides,
                                            .padding = options.padding,
                                            .explicit_paddings = options.explicit_paddings});
  attributes.Set("ksize", std::vector<int64_t>{window[0], window[1]});
  return Emit1(op, {input}, attributes);
}

}  // namespace
}  // namespace ops

Tensor MaxPool(const Tensor& input, std::array<int64_t, 2> window, const PoolingOptions& options) {
  if (!IsInteger(input.dtype())) return ops::Pool("MaxPool", input, window, options);
  return Cast(ops::Pool("MaxPool", Cast(input, DType::kFloat64), window, options), input.dtype());
}

Tensor AvgPool(const Tensor& input, std::array<int64_t, 2> window, const PoolingOptions& options) {
  return ops::Pool("AvgPool", input, window, options);
}

}  // namespace lockstep
