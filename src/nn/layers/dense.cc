#include "lockstep/nn/layers/core.h"
#include "lockstep/ops/linalg.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/structure.h"
#include "nn/layers/leading_axes.h"
#include "runtime/autocast.h"

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
    if (options_.use_bias) {
      bias_ = AddWeight("bias", Shape{units_},
                        {.initializer = options_.bias_initializer,
                         .regularizer = options_.bias_regularizer,
                         .constraint = options_.bias_constraint});
    }
  }

  Tensor Call(const std::vector<Tensor>& inputs, bool) override {
    // Whole numbers are taken as the kernel's, as in Keras.
    const Tensor x = runtime::WholeToFloating(inputs[0], dtype_policy().compute);
    if (x.rank() < 2 || x.shape().dim(-1) != depth_) {
      Refuse("the last axis must have the " + std::to_string(depth_) +
                 " features that the kernel was built for",
             x.shape());
    }
    Tensor y = MatMul(x.rank() == 2 ? x : Reshape(x, {-1, depth_}), kernel_);
    if (options_.use_bias) y = BiasAdd(y, bias_);
    if (x.rank() > 2) y = nn::WithLeadingAxes(y, x, x.rank() - 1, {units_});
    return options_.activation(y);
  }

 private:
  int64_t units_;
  int64_t depth_ = 0;
  DenseOptions options_;
  Variable kernel_, bias_;
};

}  // namespace

LayerPtr Dense(int64_t units, const Activation& activation) {
  return Dense(units, DenseOptions{.activation = activation});
}
LayerPtr Dense(int64_t units, const DenseOptions& options) {
  return std::make_shared<DenseLayer>(units, options);
}

}  // namespace lockstep
