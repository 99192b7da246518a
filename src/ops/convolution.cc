// Convolutions of images in NHWC with filters in HWIO, and their two gradients. Each of the three
// is linear in what it takes, so that they are each other's gradients to any order.

#include "lockstep/ops/convolution.h"
#include "lockstep/ops/structure.h"
#include "ops/builder.h"
#include "ops/convolution_types.h"
#include "tensor/sizes.h"

namespace lockstep {

namespace ops {
namespace {

[[noreturn]] void Throw(const InferenceContext& context, const char* rule) {
  std::string got;
  for (const TensorType& input : context.inputs) {
    got += (got.empty() ? "" : ", ") + input.ToString();
  }
  throw Error(Code::kInvalidArgument, "[" + context.spec.name + "] " + rule + "; got " + got);
}

bool Disagree(int64_t a, int64_t b) { return a >= 0 && b >= 0 && a != b; }

void RequireImages(const InferenceContext& context) {
  for (const TensorType& input : context.inputs.first(2)) {
    if (input.dtype != context.inputs[0].dtype) Throw(context, "dtypes must agree");
    if (!IsFloating(input.dtype) || input.shape.rank() != 4) {
      Throw(context, "images [n, h, w, c] and a filter [h, w, in, out] are needed, both floating");
    }
  }
}

// The output of a convolution of `images` with `filter`.
Shape OutputShape(const InferenceContext& context, const Shape& images, const Shape& filter) {
  const bool depthwise = IsDepthwise(context.spec);
  const int64_t channels = images[3], seen = filter[2];
  if (depthwise ? Disagree(channels, seen)
                : channels >= 0 && seen >= 0 && (seen == 0 || channels % seen != 0)) {
    Throw(context, "the filter's input channels must divide the images' channels");
  }
  if (!depthwise && channels > 0 && seen > 0 && filter[3] >= 0 &&
      filter[3] % (channels / seen) != 0) {
    Throw(context, "the groups must divide the output channels");
  }
  const Window window =
      Window::Of(context.attributes, images, filter[0], filter[1], context.spec.name);
  int64_t outputs = filter[3];
  if (depthwise) outputs = tensor::ProductOfSizes({seen, outputs}, context.spec.name);
  return {images[0], window.height.output, window.width.output, outputs};
}

std::vector<TensorType> InferForward(const InferenceContext& context) {
  RequireImages(context);
  const TensorType& images = context.inputs[0];
  const Shape output = OutputShape(context, images.shape, context.inputs[1].shape);
  if (context.inputs.size() > 2) {
    const TensorType& bias = context.inputs[2];
    if (bias.dtype != images.dtype || !bias.shape.CompatibleWith(Shape{output[3]})) {
      Throw(context, "the bias must have the output's channels");
    }
  }
  return {{images.dtype, output, images.dtype}};
}

// The shape that the gradient of the input has: the attribute's where given, else input 0's.
Shape InputShape(const Attributes& attributes, std::span<const TensorType> inputs) {
  const AttributeValue* sizes = attributes.Find("input_sizes");
  Shape shape = sizes == nullptr ? inputs[0].shape : Shape(std::get<std::vector<int64_t>>(*sizes));
  if (shape.rank() == 4 && inputs[2].shape.rank() == 4 && shape[0] < 0) {
    shape.set_dim(0, inputs[2].shape[0]);
  }
  return shape;
}

void RequireOutput(const InferenceContext& context, const Shape& images, const Shape& filter) {
  const Shape& gradient = context.inputs[2].shape;
  if (context.inputs[2].dtype != context.inputs[0].dtype || images.rank() != 4 ||
      !OutputShape(context, images, filter).CompatibleWith(gradient)) {
    Throw(context, "the last input must have the convolution's output's shape and dtype");
  }
}

std::vector<TensorType> InferBackpropInput(const InferenceContext& context) {
  RequireImages(context);
  const Shape shape = InputShape(context.attributes, context.inputs);
  RequireOutput(context, shape, context.inputs[1].shape);
  return {{context.inputs[2].dtype, shape, context.inputs[2].dtype}};
}

std::vector<TensorType> InferBackpropFilter(const InferenceContext& context) {
  RequireImages(context);
  RequireOutput(context, context.inputs[0].shape, context.inputs[1].shape);
  return {{context.inputs[2].dtype, context.inputs[1].shape, context.inputs[2].dtype}};
}

// One of the three ops of the family that `context`'s op belongs to.
Tensor Sibling(const GradientContext& context, const char* suffix, std::vector<Tensor> inputs) {
  const std::string family = IsDepthwise(context.spec) ? "DepthwiseConv2dNative" : "Conv2D";
  Attributes attributes;
  for (const auto& [name, value] : context.attributes.entries()) {
    if (name != "input_sizes") attributes.Set(name, value);
  }
  return Emit1(family + suffix, std::move(inputs), attributes);
}

std::vector<Tensor> ForwardGradient(const GradientContext& context) {
  const Tensor &images = context.inputs[0], &filter = context.inputs[1];
  const Tensor& g = context.output_gradients[0];
  return {Sibling(context, "BackpropInput", {images, filter, g}),
          Sibling(context, "BackpropFilter", {images, filter, g})};
}

std::vector<Tensor> BackpropInputGradient(const GradientContext& context) {
  const Tensor& u = context.output_gradients[0];
  const Tensor &filter = context.inputs[1], &g = context.inputs[2];
  return {Tensor(), Sibling(context, "BackpropFilter", {u, filter, g}),
          Sibling(context, "", {u, filter})};
}

std::vector<Tensor> BackpropFilterGradient(const GradientContext& context) {
  const Tensor& u = context.output_gradients[0];
  const Tensor &images = context.inputs[0], &g = context.inputs[2];
  return {Sibling(context, "BackpropInput", {images, u, g}), Tensor(),
          Sibling(context, "", {images, u})};
}

// Images stay apart unless the filter (or the bias) depends on examples.
RowEffect ImageRows(const RowContext& context) {
  const bool bias_has_rows =
      context.inputs.size() > 2 && context.inputs[2].shape.rank() == 1 && context.has_rows[2];
  return context.has_rows[1] || bias_has_rows ? RowEffect::kMixes : RowEffect::kRows;
}

RowEffect FilterRows(const RowContext& context) {
  return context.has_rows[0] && context.has_rows[2] ? RowEffect::kSum : RowEffect::kMixes;
}

struct RegisterFamily {
  explicit RegisterFamily(const std::string& name) {
    OpRegistry::Global().Register(
        {.name = name, .infer = InferForward, .gradient = ForwardGradient, .rows = ImageRows});
    OpRegistry::Global().Register({.name = name + "BackpropInput",
                                   .infer = InferBackpropInput,
                                   .gradient = BackpropInputGradient,
                                   .rows = ImageRows,
                                   .shape_only = 0b001});
    OpRegistry::Global().Register({.name = name + "BackpropFilter",
                                   .infer = InferBackpropFilter,
                                   .gradient = BackpropFilterGradient,
                                   .rows = FilterRows,
                                   .shape_only = 0b010});
  }
};
const RegisterFamily kConv2D("Conv2D");
const RegisterFamily kDepthwise("DepthwiseConv2dNative");

std::vector<TensorType> InferFused(const InferenceContext& context) {
  const std::string& fused = context.attributes.Get<std::string>("fused_ops");
  if (fused != "bias" && fused != "bias,relu") {
    throw Error(Code::kInvalidArgument,
                "[_FusedConv2D] fused_ops must be bias or bias,relu; got " + fused);
  }
  return InferForward(context);
}
// Made after differentiation from the ops that it joins.
const RegisterOp kFused({.name = "_FusedConv2D", .infer = InferFused, .rows = ImageRows});

}  // namespace

Attributes WindowAttributes(const ConvolutionOptions& options) {
  Attributes attributes = {
      {"strides", std::vector<int64_t>{options.strides[0], options.strides[1]}},
      {"padding", std::string(PaddingName(options.padding))}};
  if (options.dilations != std::array<int64_t, 2>{1, 1}) {
    attributes.Set("dilations", std::vector<int64_t>{options.dilations[0], options.dilations[1]});
  }
  if (options.padding == Padding::kExplicit) {
    const auto& cells = options.explicit_paddings;
    attributes.Set("explicit_paddings", std::vector<int64_t>(cells.begin(), cells.end()));
  }
  return attributes;
}

}  // namespace ops

std::string_view PaddingName(Padding padding) {
  return padding == Padding::kValid ? "VALID" : padding == Padding::kSame ? "SAME" : "EXPLICIT";
}

Tensor Conv2D(const Tensor& input, const Tensor& filter, const ConvolutionOptions& options) {
  return ops::Emit1("Conv2D", {input, filter}, ops::WindowAttributes(options));
}

Tensor DepthwiseConv2D(const Tensor& input, const Tensor& filter,
                       const ConvolutionOptions& options) {
  return ops::Emit1("DepthwiseConv2dNative", {input, filter}, ops::WindowAttributes(options));
}

Tensor Conv2DTranspose(const Tensor& input, const Tensor& filter,
                       const std::vector<int64_t>& output_shape,
                       const ConvolutionOptions& options) {
  ops::Attributes attributes = ops::WindowAttributes(options);
  attributes.Set("input_sizes", output_shape);
  return ops::Emit1("Conv2DBackpropInput", {input, filter, input}, attributes);
}

Tensor Conv1D(const Tensor& input, const Tensor& filter, const Convolution1DOptions& options) {
  if (input.rank() != 3 || filter.rank() != 3) {
    throw Error(Code::kInvalidArgument,
                "[conv1d] an input [n, w, c] and a filter [w, in, out] are needed; got " +
                    input.shape().ToString() + " and " + filter.shape().ToString());
  }
  const Shape& x = input.shape();
  const Shape& f = filter.shape();
  const Tensor images = Reshape(input, {x[0], 1, x[1], x[2]});
  const Tensor output = Conv2D(
      images, Reshape(filter, {1, f[0], f[1], f[2]}),
      {.strides = {1, options.stride},
       .padding = options.padding,
       .dilations = {1, options.dilation},
       .explicit_paddings = {0, 0, options.explicit_paddings[0], options.explicit_paddings[1]}});
  const Shape& y = output.shape();
  return Reshape(output, {y[0], y[2], y[3]});
}

}  // namespace lockstep
