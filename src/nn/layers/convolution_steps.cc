// Conv1D.

#include "lockstep/nn/layers/convolution.h"
#include "lockstep/ops/convolution.h"
#include "lockstep/ops/linalg.h"
#include "nn/layers/window_options.h"

namespace lockstep {

namespace {

class Conv1DLayer : public Layer {
 public:
  Conv1DLayer(int64_t filters, int64_t kernel, const Conv1DOptions& options)
      : Layer("conv1d"), filters_(filters), size_(kernel), options_(options) {
    nn::RequirePositive(filters, "filters", "conv1d");
    nn::RequirePositive(kernel, "kernel_size", "conv1d");
    nn::RequirePositive(options.strides, "strides", "conv1d");
    nn::RequirePositive(options.dilation_rate, "dilation_rate", "conv1d");
    nn::RequirePositive(options.groups, "groups", "conv1d");
    op_options_.stride = options.strides;
    op_options_.dilation = options.dilation_rate;
    if (options.padding == "causal") {
      op_options_.padding = Padding::kExplicit;
      op_options_.explicit_paddings = {(kernel - 1) * options.dilation_rate, 0};
    } else {
      op_options_.padding = nn::PaddingOf(options.padding, "conv1d");
    }
    if (filters % options.groups != 0) {
      throw Error(Code::kInvalidArgument, "[conv1d] groups must divide filters; got " +
                                              std::to_string(filters) + " filters, " +
                                              std::to_string(options.groups) + " groups");
    }
    if (!options.name.empty()) set_name(options.name);
  }
  std::string output_activation() const override { return options_.activation.name; }

 protected:
  void Build(const std::vector<Shape>& inputs) override {
    RequireSteps(inputs[0]);
    channels_ = inputs[0][2];
    kernel_ = AddWeight("kernel", Shape{size_, channels_ / options_.groups, filters_},
                        {.initializer = options_.kernel_initializer,
                         .regularizer = options_.kernel_regularizer,
                         .constraint = options_.kernel_constraint});
    if (!options_.use_bias) return;
    bias_ = AddWeight("bias", Shape{filters_},
                      {.initializer = options_.bias_initializer,
                       .regularizer = options_.bias_regularizer,
                       .constraint = options_.bias_constraint});
  }
  Tensor Call(const std::vector<Tensor>& inputs, bool) override {
    RequireSteps(inputs[0].shape());
    const int64_t before = op_options_.explicit_paddings[0];
    if (nn::WindowsAlong(inputs[0].shape()[1] + before, size_, options_.strides,
                         options_.dilation_rate, op_options_.padding) <= 0) {
      Refuse("the window of " + std::to_string(size_) + " must fit into the steps",
             inputs[0].shape());
    }
    Tensor sums = Conv1D(inputs[0], kernel_, op_options_);
    return options_.activation(options_.use_bias ? BiasAdd(sums, bias_) : sums);
  }

 private:
  void RequireSteps(const Shape& shape) const {
    if (shape.rank() != 3) Refuse("the input must be [n, steps, channels]", shape);
    if (channels_ > 0 && shape[2] != channels_) {
      Refuse("the last axis must have the " + std::to_string(channels_) +
                 " channels that the kernel was built for",
             shape);
    }
    if (shape[2] % options_.groups != 0) {
      Refuse("the " + std::to_string(options_.groups) + " groups must divide the channels", shape);
    }
  }

  int64_t filters_, size_;
  Conv1DOptions options_;
  Convolution1DOptions op_options_;
  int64_t channels_ = 0;
  Variable kernel_, bias_;
};

}  // namespace

LayerPtr Conv1D(int64_t filters, int64_t kernel_size, const Activation& activation) {
  Conv1DOptions options;
  options.activation = activation;
  return Conv1D(filters, kernel_size, options);
}
LayerPtr Conv1D(int64_t filters, int64_t kernel_size, const Conv1DOptions& options) {
  return std::make_shared<Conv1DLayer>(filters, kernel_size, options);
}

}  // namespace lockstep
