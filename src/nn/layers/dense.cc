#include "lockstep/nn/layers.h"
#include "lockstep/ops/linalg.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/structure.h"
#include "ops/builder.h"

namespace lockstep {

namespace {

class DenseLayer : public Layer {
 public:
  DenseLayer(int64_t units, DenseOptions options)
      : Layer("dense"), units_(units), options_(std::move(options)) {
    if (units <= 0) {
      throw Error(Code::kInvalidArgument,
                  "[dense] units must be positive; got " + std::to_string(units));
    }
    if (!options_.name.empty()) set_name(options_.name);
  }
  std::string output_activation() const override { return options_.activation.name; }

 protected:
  void Build(const std::vector<Shape>& inputs) override {
    if (inputs[0].rank() < 2)
      Refuse("the input needs an axis of examples and one of features", inputs[0]);
    depth_ = inputs[0].dim(-1);
    kernel_ = AddWeight("kernel", Shape{depth_, units_},
                        {.initializer = options_.kernel_initializer,
                         .regularizer = options_.kernel_regularizer,
                         .constraint = options_.kernel_constraint});
    if (options_.use_bias)
      bias_ = AddWeight("bias", Shape{units_}, {.initializer = options_.bias_initializer});
  }

  Tensor Call(const std::vector<Tensor>& inputs, bool) override {
    const Tensor& x = inputs[0];
    if (x.rank() < 2 || x.shape().dim(-1) != depth_) {
      Refuse("the last axis must have the " + std::to_string(depth_) +
                 " features that the kernel was built for",
             x.shape());
    }
    Tensor y = MatMul(x.rank() == 2 ? x : Reshape(x, {-1, depth_}), kernel_);
    if (options_.use_bias) y = BiasAdd(y, bias_);
    if (x.rank() > 2) {
      std::vector<int64_t> shape = x.shape().vector();
      shape.back() = units_;
      y = Reshape(y, shape);
    }
    return options_.activation(y);
  }

 private:
  int64_t units_;
  int64_t depth_ = 0;
  DenseOptions options_;
  Variable kernel_, bias_;
};

class FlattenLayer : public Layer {
 public:
  FlattenLayer() : Layer("flatten") {}

 protected:
  Tensor Call(const std::vector<Tensor>& inputs, bool) override {
    const Shape& shape = inputs[0].shape();
    if (shape.rank() == 0) Refuse("the input needs an axis of examples", shape);
    return Reshape(inputs[0], {shape[0], shape.product(1, shape.rank())});
  }
};

class RescalingLayer : public Layer {
 public:
  RescalingLayer(double scale, double offset)
      : Layer("rescaling"), scale_(scale), offset_(offset) {}

 protected:
  Tensor Call(const std::vector<Tensor>& inputs, bool) override {
    const Tensor x = ops::Emit1("Cast", {inputs[0]}, {{"DstT", DType::kFloat32}});
    return offset_ == 0 ? x * scale_ : x * scale_ + offset_;
  }

 private:
  double scale_, offset_;
};

}  // namespace

LayerPtr Dense(int64_t units, const Activation& activation) {
  return Dense(units, DenseOptions{.activation = activation});
}
LayerPtr Dense(int64_t units, const DenseOptions& options) {
  return std::make_shared<DenseLayer>(units, options);
}
LayerPtr Flatten() { return std::make_shared<FlattenLayer>(); }
LayerPtr Rescaling(double scale, double offset) {
  return std::make_shared<RescalingLayer>(scale, offset);
}

}  // namespace lockstep
