#include "nn/layers/dropout.h"

#include "lockstep/nn/layers/regularization.h"
#include "lockstep/ops/broadcast.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/random.h"

namespace lockstep {

namespace nn {

Tensor DropAndCount(const Tensor& x, const Variable& counter, double rate) {
  const Tensor seed = counter.value();
  counter.AssignAdd(Constant<int64_t>({0, 1}));
  const bool half = x.dtype() == DType::kBFloat16 || x.dtype() == DType::kFloat16;
  if (!half) return StatelessDropout(x, rate, seed);
  return Cast(StatelessDropout(Cast(x, DType::kFloat32), rate, seed), x.dtype());
}

void RequireRate(double rate, const char* where) {
  if (rate >= 0 && rate <= 1) return;
  throw Error(
      Code::kInvalidArgument,
      "[" + std::string(where) + "] the rate must be in [0, 1]; got " + std::to_string(rate));
}

}  // namespace nn

namespace {

class DropoutLayer : public Layer {
 public:
  DropoutLayer(const char* type, double rate, const DropoutOptions& options)
      : Layer(type), rate_(rate), options_(options) {
    nn::RequireRate(rate, type);
    if (!options.name.empty()) set_name(options.name);
  }

 protected:
  void Build(const std::vector<Shape>&) override {
    if (rate_ > 0) counter_ = AddCounter("seed_generator_state", options_.seed);
  }
  Tensor Call(const std::vector<Tensor>& inputs, bool training) override {
    const Tensor& x = inputs[0];
    if (!training || rate_ == 0) return x;
    if (options_.noise_shape.empty()) return nn::DropAndCount(x, counter_, rate_);
    if (static_cast<int>(options_.noise_shape.size()) != x.rank()) {
      Refuse(
          "noise_shape " + Shape(options_.noise_shape).ToString() + " must have the input's rank",
          x.shape());
    }
    Shape shape = x.shape();
    for (int i = 0; i < x.rank(); ++i) {
      if (options_.noise_shape[i] >= 0) shape.set_dim(i, options_.noise_shape[i]);
    }
    return x * nn::DropAndCount(Ones(shape, x.dtype()), counter_, rate_);
  }

 private:
  double rate_;
  DropoutOptions options_;
  Variable counter_;
};

}  // namespace

LayerPtr Dropout(double rate, const DropoutOptions& options) {
  return std::make_shared<DropoutLayer>("dropout", rate, options);
}
LayerPtr SpatialDropout2D(double rate, std::optional<int64_t> seed) {
  return std::make_shared<DropoutLayer>(
      "spatial_dropout2d", rate, DropoutOptions{.noise_shape = {-1, 1, 1, -1}, .seed = seed});
}
LayerPtr SpatialDropout1D(double rate, std::optional<int64_t> seed) {
  return std::make_shared<DropoutLayer>("spatial_dropout1d", rate,
                                        DropoutOptions{.noise_shape = {-1, 1, -1}, .seed = seed});
}

}  // namespace lockstep
