// Layers with filters that slide over images or steps.

#include "lockstep/nn/layers/convolution.h"

#include "lockstep/ops/convolution.h"
#include "lockstep/ops/linalg.h"
#include "nn/layers/window_options.h"

namespace lockstep {

namespace {

// What all of them share: checks, weights, and what follows the sum.
class WindowLayer : public Layer {
 public:
  WindowLayer(const char* type, int64_t filters, Size2D kernel, const Conv2DOptions& options)
      : Layer(type), filters_(filters), size_(kernel), options_(options) {
    nn::RequirePositive(filters, "filters", type);
    nn::RequirePositive(kernel, "kernel_size", type);
    nn::RequirePositive(options.strides, "strides", type);
    nn::RequirePositive(options.dilation_rate, "dilation_rate", type);
    nn::RequirePositive(options.groups, "groups", type);
    op_options_.strides = options.strides;
    op_options_.dilations = options.dilation_rate;
    op_options_.padding = nn::PaddingOf(options.padding, type);
    if (options.strides != Size2D(1) && options.dilation_rate != Size2D(1)) {
      throw Error(Code::kInvalidArgument,
                  "[" + std::string(type) + "] strides and dilation_rate cannot both exceed 1");
    }
    if (filters % options.groups != 0) {
      throw Error(Code::kInvalidArgument, "[" + std::string(type) +
                                              "] groups must divide filters; got " +
                                              std::to_string(filters) + " filters, " +
                                              std::to_string(options.groups) + " groups");
    }
    if (!options.name.empty()) set_name(options.name);
  }
  std::string output_activation() const override { return options_.activation.name; }

 protected:
  void RequireImages(const Shape& shape) const {
    if (shape.rank() != 4) Refuse("the input must be images [n, h, w, channels]", shape);
    if (channels_ > 0 && shape[3] != channels_) {
      Refuse("the last axis must have the " + std::to_string(channels_) +
                 " channels that the kernel was built for",
             shape);
    }
    if (shape[3] % options_.groups != 0) {
      Refuse("the " + std::to_string(options_.groups) + " groups must divide the channels", shape);
    }
  }
  void RequireFit(const Shape& shape) const {
    for (int axis : {1, 2}) {
      if (nn::WindowsAlong(shape[axis], axis == 1 ? size_.height : size_.width,
                           op_options_.strides[axis - 1], op_options_.dilations[axis - 1],
                           op_options_.padding) <= 0) {
        Refuse("the window of " + std::to_string(size_.height) + " x " +
                   std::to_string(size_.width) + " must fit into the image",
               shape);
      }
    }
  }
  Variable AddKernel(const std::string& name, const Shape& shape) {
    return AddWeight(name, shape,
                     {.initializer = options_.kernel_initializer,
                      .regularizer = options_.kernel_regularizer,
                      .constraint = options_.kernel_constraint});
  }
  void AddBias(int64_t size) {
    if (!options_.use_bias) return;
    bias_ = AddWeight("bias", Shape{size},
                      {.initializer = options_.bias_initializer,
                       .regularizer = options_.bias_regularizer,
                       .constraint = options_.bias_constraint});
  }
  Tensor Finish(const Tensor& sums) const {
    return options_.activation(options_.use_bias ? BiasAdd(sums, bias_) : sums);
  }

  int64_t filters_;
  Size2D size_;
  Conv2DOptions options_;
  ConvolutionOptions op_options_;
  int64_t channels_ = 0;  // that the kernel was built for
  Variable kernel_, bias_;
};

class Conv2DLayer : public WindowLayer {
 public:
  Conv2DLayer(int64_t filters, Size2D kernel, const Conv2DOptions& options)
      : WindowLayer("conv2d", filters, kernel, options) {}

 protected:
  void Build(const std::vector<Shape>& inputs) override {
    RequireImages(inputs[0]);
    channels_ = inputs[0][3];
    kernel_ = AddKernel("kernel",
                        Shape{size_.height, size_.width, channels_ / options_.groups, filters_});
    AddBias(filters_);
  }
  Tensor Call(const std::vector<Tensor>& inputs, bool) override {
    RequireImages(inputs[0].shape());
    RequireFit(inputs[0].shape());
    return Finish(Conv2D(inputs[0], kernel_, op_options_));
  }
};

class DepthwiseLayer : public WindowLayer {
 public:
  DepthwiseLayer(Size2D kernel, const Conv2DOptions& options, int64_t multiplier)
      : WindowLayer("depthwise_conv2d", 1, kernel, options), multiplier_(multiplier) {
    nn::RequirePositive(multiplier, "depth_multiplier", "depthwise_conv2d");
  }

 protected:
  void Build(const std::vector<Shape>& inputs) override {
    RequireImages(inputs[0]);
    channels_ = inputs[0][3];
    kernel_ = AddKernel("kernel", Shape{size_.height, size_.width, channels_, multiplier_});
    AddBias(channels_ * multiplier_);
  }
  Tensor Call(const std::vector<Tensor>& inputs, bool) override {
    RequireImages(inputs[0].shape());
    RequireFit(inputs[0].shape());
    return Finish(DepthwiseConv2D(inputs[0], kernel_, op_options_));
  }

 private:
  int64_t multiplier_;
};

class SeparableLayer : public WindowLayer {
 public:
  SeparableLayer(int64_t filters, Size2D kernel, const Conv2DOptions& options, int64_t multiplier)
      : WindowLayer("separable_conv2d", filters, kernel, options), multiplier_(multiplier) {
    nn::RequirePositive(multiplier, "depth_multiplier", "separable_conv2d");
  }

 protected:
  void Build(const std::vector<Shape>& inputs) override {
    RequireImages(inputs[0]);
    channels_ = inputs[0][3];
    kernel_ =
        AddKernel("depthwise_kernel", Shape{size_.height, size_.width, channels_, multiplier_});
    pointwise_ = AddKernel("pointwise_kernel", Shape{1, 1, channels_ * multiplier_, filters_});
    AddBias(filters_);
  }
  Tensor Call(const std::vector<Tensor>& inputs, bool) override {
    RequireImages(inputs[0].shape());
    RequireFit(inputs[0].shape());
    return Finish(Conv2D(DepthwiseConv2D(inputs[0], kernel_, op_options_), pointwise_));
  }

 private:
  int64_t multiplier_;
  Variable pointwise_;
};

class TransposedLayer : public WindowLayer {
 public:
  TransposedLayer(int64_t filters, Size2D kernel, const Conv2DOptions& options)
      : WindowLayer("conv2d_transpose", filters, kernel, options), more_(options.output_padding) {}

 protected:
  void Build(const std::vector<Shape>& inputs) override {
    RequireImages(inputs[0]);
    channels_ = inputs[0][3];
    kernel_ = AddKernel("kernel", Shape{size_.height, size_.width, filters_, channels_});
    AddBias(filters_);
  }
  Tensor Call(const std::vector<Tensor>& inputs, bool) override {
    const Shape& shape = inputs[0].shape();
    RequireImages(shape);
    return Finish(Conv2DTranspose(
        inputs[0], kernel_,
        {shape[0], Grown(shape[1], 0, size_.height), Grown(shape[2], 1, size_.width), filters_},
        op_options_));
  }

 private:
  // The size of the result along height (0) or width (1).
  int64_t Grown(int64_t size, int which, int64_t window) const {
    const int64_t stride = op_options_.strides[which];
    const int64_t reach = (window - 1) * op_options_.dilations[which] + 1;
    const bool same = op_options_.padding == Padding::kSame;
    if (more_) {
      return (size - 1) * stride + (same ? reach % 2 : reach) +
             (which == 0 ? more_->height : more_->width);
    }
    return size * stride + (same ? 0 : std::max<int64_t>(reach - stride, 0));
  }

  const std::optional<Size2D> more_;
};

}  // namespace

LayerPtr Conv2D(int64_t filters, Size2D kernel_size, const Activation& activation) {
  Conv2DOptions options;
  options.activation = activation;
  return Conv2D(filters, kernel_size, options);
}
LayerPtr Conv2D(int64_t filters, Size2D kernel_size, const Conv2DOptions& options) {
  return std::make_shared<Conv2DLayer>(filters, kernel_size, options);
}
LayerPtr DepthwiseConv2D(Size2D kernel_size, const Conv2DOptions& options,
                         int64_t depth_multiplier) {
  return std::make_shared<DepthwiseLayer>(kernel_size, options, depth_multiplier);
}
LayerPtr SeparableConv2D(int64_t filters, Size2D kernel_size, const Conv2DOptions& options,
                         int64_t depth_multiplier) {
  return std::make_shared<SeparableLayer>(filters, kernel_size, options, depth_multiplier);
}
LayerPtr Conv2DTranspose(int64_t filters, Size2D kernel_size, const Conv2DOptions& options) {
  return std::make_shared<TransposedLayer>(filters, kernel_size, options);
}

}  // namespace lockstep
