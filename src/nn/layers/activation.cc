// Activations as layers.

#include "lockstep/nn/layers/activation.h"

#include "lockstep/ops/activation.h"
#include "lockstep/ops/broadcast.h"
#include "lockstep/ops/comparison.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/nn.h"
#include "nn/layers/attention_mask.h"

namespace lockstep {

namespace {

class FunctionLayer : public Layer {
 public:
  explicit FunctionLayer(const Activation& function) : Layer("activation"), function_(function) {}
  std::string output_activation() const override { return function_.name; }

 protected:
  Tensor Call(const std::vector<Tensor>& inputs, bool) override { return function_(inputs[0]); }

 private:
  Activation function_;
};

class ReluLayer : public Layer {
 public:
  explicit ReluLayer(const ReluOptions& options) : Layer("re_lu", "ReLU"), options_(options) {
    if (options.negative_slope < 0 || options.max_value.value_or(0) < 0 || options.threshold < 0) {
      throw Error(Code::kInvalidArgument,
                  "[re_lu] max_value, negative_slope and threshold must not be negative; got " +
                      std::to_string(options.max_value.value_or(0)) + ", " +
                      std::to_string(options.negative_slope) + " and " +
                      std::to_string(options.threshold));
    }
  }

 protected:
  Tensor Call(const std::vector<Tensor>& inputs, bool) override {
    const Tensor& x = inputs[0];
    Tensor y;
    if (options_.threshold != 0) {
      const Tensor below = options_.negative_slope == 0
                               ? ZerosLike(x)
                               : options_.negative_slope * (x - options_.threshold);
      y = Where(Greater(x, options_.threshold), x, below);
    } else {
      y = options_.negative_slope == 0 ? Relu(x) : LeakyRelu(x, options_.negative_slope);
    }
    return options_.max_value.has_value() ? Minimum(y, *options_.max_value) : y;
  }

 private:
  ReluOptions options_;
};

class LeakyReluLayer : public Layer {
 public:
  explicit LeakyReluLayer(double slope) : Layer("leaky_re_lu", "LeakyReLU"), slope_(slope) {
    if (slope < 0) {
      throw Error(
          Code::kInvalidArgument,
          "[leaky_re_lu] negative_slope must not be negative; got " + std::to_string(slope));
    }
  }

 protected:
  Tensor Call(const std::vector<Tensor>& inputs, bool) override {
    return LeakyRelu(inputs[0], slope_);
  }

 private:
  double slope_;
};

class EluLayer : public Layer {
 public:
  explicit EluLayer(double alpha) : Layer("elu", "ELU"), alpha_(alpha) {}

 protected:
  Tensor Call(const std::vector<Tensor>& inputs, bool) override { return Elu(inputs[0], alpha_); }

 private:
  double alpha_;
};

class SoftmaxLayer : public Layer {
 public:
  explicit SoftmaxLayer(int axis) : Layer("softmax"), axis_(axis) {}
  std::string output_activation() const override { return "softmax"; }

 protected:
  Tensor Call(const std::vector<Tensor>& inputs, bool) override {
    if (inputs.size() < 2) return Softmax(inputs[0], axis_);
    // Keras lowers what is left out by a large number, and gives it probability 0.
    const Tensor mask = inputs[1];
    const Tensor keep = Cast(mask, inputs[0].dtype());
    return Softmax(inputs[0] + (1.0 - keep) * nn::Hidden(keep.dtype()), axis_) * keep;
  }

 private:
  int axis_;
};

class PReluLayer : public Layer {
 public:
  explicit PReluLayer(const PReluOptions& options) : Layer("p_re_lu", "PReLU"), options_(options) {}

 protected:
  void Build(const std::vector<Shape>& inputs) override {
    const Shape& shape = inputs[0];
    if (shape.rank() < 2) Refuse("the input needs an axis of examples and one more", shape);
    Shape slopes(shape.sizes().subspan(1));
    for (int64_t axis : options_.shared_axes) {
      if (axis < 1 || axis >= shape.rank()) {
        Refuse("shared axes must be in [1, rank), not " + std::to_string(axis), shape);
      }
      slopes.set_dim(static_cast<int>(axis) - 1, 1);
    }
    alpha_ = AddWeight("alpha", slopes, {.initializer = options_.alpha_initializer});
  }
  Tensor Call(const std::vector<Tensor>& inputs, bool) override {
    return Relu(inputs[0]) - alpha_.value() * Relu(-inputs[0]);
  }

 private:
  PReluOptions options_;
  Variable alpha_;
};

}  // namespace

LayerPtr ActivationLayer(const Activation& function) {
  return std::make_shared<FunctionLayer>(function);
}
LayerPtr ReLU(const ReluOptions& options) { return std::make_shared<ReluLayer>(options); }
LayerPtr LeakyReLU(double negative_slope) {
  return std::make_shared<LeakyReluLayer>(negative_slope);
}
LayerPtr ELU(double alpha) { return std::make_shared<EluLayer>(alpha); }
LayerPtr Softmax(int axis) { return std::make_shared<SoftmaxLayer>(axis); }
LayerPtr PReLU(const PReluOptions& options) { return std::make_shared<PReluLayer>(options); }

}  // namespace lockstep
