// Layers that add or multiply noise while training.

#include <cmath>

#include "lockstep/nn/layers/regularization.h"
#include "lockstep/ops/comparison.h"
#include "lockstep/ops/math.h"
#include "nn/layers/dropout.h"

namespace lockstep {

namespace {

void RequireBelowOne(double rate, const char* where) {
  nn::RequireRate(rate, where);
  if (rate < 1) return;
  throw Error(
      Code::kInvalidArgument,
      std::string("[") + where + "] the rate must be below 1, where nothing finite remains; got 1");
}

class NormalNoise : public Layer {
 public:
  NormalNoise(const char* type, double mean, double deviation, const NoiseOptions& options)
      : Layer(type), mean_(mean), deviation_(deviation), options_(options) {
    if (!options.name.empty()) set_name(options.name);
  }

 protected:
  void Build(const std::vector<Shape>&) override {
    if (deviation_ > 0) counter_ = AddCounter("seed_generator_state", options_.seed);
  }
  Tensor Call(const std::vector<Tensor>& inputs, bool training) override {
    const Tensor& x = inputs[0];
    if (!training || deviation_ == 0) return x;
    const Tensor noise = nn::NormalAndCount(x, counter_, mean_, deviation_);
    return mean_ == 0 ? x + noise : x * noise;
  }

 private:
  double mean_, deviation_;
  NoiseOptions options_;
  Variable counter_;
};

class AlphaDropoutLayer : public Layer {
 public:
  AlphaDropoutLayer(double rate, const DropoutOptions& options)
      : Layer("alpha_dropout"), rate_(rate), options_(options) {
    RequireBelowOne(rate, "alpha_dropout");
    if (!options.name.empty()) set_name(options.name);
  }

 protected:
  void Build(const std::vector<Shape>&) override {
    if (rate_ > 0) counter_ = AddCounter("seed_generator_state", options_.seed);
  }
  Tensor Call(const std::vector<Tensor>& inputs, bool training) override {
    const Tensor& x = inputs[0];
    if (!training || rate_ == 0) return x;
    if (!options_.noise_shape.empty() &&
        static_cast<int>(options_.noise_shape.size()) != x.rank()) {
      Refuse(
          "noise_shape " + Shape(options_.noise_shape).ToString() + " must have the input's rank",
          x.shape());
    }
    // -alpha * scale of selu.
    constexpr double kAlpha =
        -1.6732632423543772848170429916717 * 1.0507009873554804934193349852946;
    const double a = 1 / std::sqrt((1 - rate_) * (1 + rate_ * kAlpha * kAlpha));
    const Tensor drawn = nn::DropAndCount(nn::MaskOnes(x, options_.noise_shape), counter_, rate_);
    const Tensor kept = Cast(NotEqual(drawn, 0.0), x.dtype());
    return (x * kept + (1.0 - kept) * kAlpha) * a - a * kAlpha * rate_;
  }

 private:
  double rate_;
  DropoutOptions options_;
  Variable counter_;
};

}  // namespace

LayerPtr GaussianNoise(double deviation, const NoiseOptions& options) {
  if (!(deviation >= 0 && deviation <= 1)) {
    throw Error(Code::kInvalidArgument, "[gaussian_noise] the deviation must be in [0, 1]; got " +
                                            std::to_string(deviation));
  }
  return std::make_shared<NormalNoise>("gaussian_noise", 0, deviation, options);
}

LayerPtr GaussianDropout(double rate, const NoiseOptions& options) {
  RequireBelowOne(rate, "gaussian_dropout");
  return std::make_shared<NormalNoise>("gaussian_dropout", 1, std::sqrt(rate / (1 - rate)),
                                       options);
}

LayerPtr AlphaDropout(double rate, const DropoutOptions& options) {
  return std::make_shared<AlphaDropoutLayer>(rate, options);
}

}  // namespace lockstep
