// Conv2D, DepthwiseConv2dNative, their gradients and _FusedConv2D.

#include <algorithm>

#include "kernels/cpu/convolution.h"
#include "kernels/cpu/leaves_of.h"
#include "kernels/cpu/widened.h"
#include "ops/convolution_types.h"

namespace lockstep::kernels {
namespace {

// With so many images a division by images is fine enough.
constexpr int64_t kEnoughImages = 8;

ConvolutionShape ShapeOf(const KernelSpec& spec, const Shape& input, const Shape& filter) {
  const bool depthwise = ops::IsDepthwise(spec.op);
  const ops::Window window =
      ops::Window::Of(spec.attributes, input, filter[0], filter[1], spec.op.name);
  ConvolutionShape shape;
  shape.images = input[0];
  shape.input_height = input[1];
  shape.input_width = input[2];
  shape.input_channels = input[3];
  shape.filter_height = filter[0];
  shape.filter_width = filter[1];
  shape.output_height = window.height.output;
  shape.output_width = window.width.output;
  shape.output_channels = depthwise ? filter[2] * filter[3] : filter[3];
  shape.groups = depthwise ? input[3] : filter[2] == 0 ? 1 : input[3] / filter[2];
  shape.stride_height = window.height.stride;
  shape.stride_width = window.width.stride;
  shape.dilation_height = window.height.dilation;
  shape.dilation_width = window.width.dilation;
  shape.padding_top = window.height.before;
  shape.padding_left = window.width.before;
  return shape;
}

// So many images fill the tiles at their edges, and pay for packing the filter.
constexpr int64_t kImagesOfACall = 4;

// The floating-point operations of the convolution and of either gradient.
double Cost(const ConvolutionShape& s) {
  return 2.0 * s.images * s.output_height * s.output_width * s.filter_height * s.filter_width *
         s.input_channels * s.output_channels / std::max<int64_t>(1, s.groups);
}

template <typename T>
class ConvolutionKernel : public Kernel {
 public:
  explicit ConvolutionKernel(const ConvolutionShape& shape) { base_.shape = shape; }
  double cost_per_row() const override {
    return rows() == 0 ? 0 : Cost(base_.shape) / static_cast<double>(rows());
  }

 protected:
  ConvolutionArguments<T> base_;
};

// A convolution or the gradient of its input: rows are images, or rows of their pixels.
template <typename T>
class ImagesKernel : public ConvolutionKernel<T> {
 public:
  ImagesKernel(const ConvolutionShape& shape, int64_t height)
      : ConvolutionKernel<T>(shape), height_(shape.images >= kEnoughImages ? height : 1) {
    rows_ = shape.images * height / std::max<int64_t>(1, height_);
  }
  int64_t rows() const override { return rows_; }
  int64_t row_grain() const override { return by_image() ? kImagesOfACall : 1; }

 protected:
  bool by_image() const { return this->base_.shape.images >= kEnoughImages; }
  int64_t rows_;
  int64_t height_;  // pixel rows a row
};

template <typename T>
class ForwardKernel : public ImagesKernel<T> {
 public:
  explicit ForwardKernel(const KernelSpec& spec)
      : ForwardKernel(ShapeOf(spec, spec.inputs[0].shape, spec.inputs[1].shape)) {
    const std::string fused = spec.attributes.GetOr<std::string>("fused_ops", "");
    bias_ = !fused.empty();
    this->base_.relu = fused == "bias,relu";
  }
  explicit ForwardKernel(const ConvolutionShape& shape)
      : ImagesKernel<T>(shape, shape.output_height) {}

  uint32_t aligned_inputs() const override { return this->by_image() ? 0b001 : 0; }
  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    ConvolutionArguments<T> arguments = this->base_;
    arguments.input = memory.in<T>(0);
    arguments.filter = memory.in<T>(1);
    arguments.bias = bias_ ? memory.in<T>(2) : nullptr;
    arguments.result = memory.out<T>(0);
    ConvolutionForward(arguments, begin * this->height_, end * this->height_);
  }

 private:
  bool bias_ = false;
};

template <typename T>
class BackpropInputKernel : public ImagesKernel<T> {
 public:
  explicit BackpropInputKernel(const KernelSpec& spec)
      : ImagesKernel<T>(ShapeOf(spec, spec.outputs[0].shape, spec.inputs[1].shape),
                        spec.outputs[0].shape[1]) {}
  uint32_t aligned_inputs() const override { return this->by_image() ? 0b100 : 0; }
  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    ConvolutionArguments<T> arguments = this->base_;
    arguments.filter = memory.in<T>(1);
    arguments.output_gradient = memory.in<T>(2);
    arguments.result = memory.out<T>(0);
    ConvolutionDataGradient(arguments, begin * this->height_, end * this->height_);
  }
};

template <typename T>
class BackpropFilterKernel : public ConvolutionKernel<T> {
 public:
  explicit BackpropFilterKernel(const KernelSpec& spec)
      : ConvolutionKernel<T>(ShapeOf(spec, spec.inputs[0].shape, spec.outputs[0].shape)),
        leaves_(LeavesOf(spec.leaves, spec.inputs[0].shape[0])) {
    this->base_.offsets = leaves_;
  }
  int64_t rows() const override {
    const ConvolutionShape& s = this->base_.shape;
    return s.filter_height * s.filter_width * s.input_channels / std::max<int64_t>(1, s.groups);
  }
  void Run(const KernelMemory& memory, int64_t begin, int64_t end) const override {
    ConvolutionArguments<T> arguments = this->base_;
    arguments.input = memory.in<T>(0);
    arguments.output_gradient = memory.in<T>(2);
    arguments.result = memory.out<T>(0);
    ConvolutionFilterGradient(arguments, begin, end);
  }

 private:
  LeafTable leaves_;
};

const RegisterKernel kForward("Conv2D", MakeForFloats<ForwardKernel>);
const RegisterKernel kFused("_FusedConv2D", MakeForFloats<ForwardKernel>);
const RegisterKernel kInput("Conv2DBackpropInput", MakeForFloats<BackpropInputKernel>);
const RegisterKernel kFilter("Conv2DBackpropFilter", MakeForFloats<BackpropFilterKernel>);
const RegisterKernel kDepthwise("DepthwiseConv2dNative", MakeForFloats<ForwardKernel>);
const RegisterKernel kDepthwiseInput("DepthwiseConv2dNativeBackpropInput",
                                     MakeForFloats<BackpropInputKernel>);
const RegisterKernel kDepthwiseFilter("DepthwiseConv2dNativeBackpropFilter",
                                      MakeForFloats<BackpropFilterKernel>);

}  // namespace
}  // namespace lockstep::kernels
