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

class NormalNoise : public nn::RandomLayer {
 public:
  NormalNoise(const char* type, double mean, double deviation, const NoiseOptions& options)
      : RandomLayer(type, deviation > 0, options.seed, options.name),
        mean_(mean),
        deviation_(deviation) {}

 protected:
  Tensor Draw(const Tensor& x, const Variable& counter) override {
    const Tensor noise = nn::NormalAndCount(x, counter, mean_, deviation_);
    return mean_ == 0 ? x + noise : x * noise;
  }

 private:
  double mean_, deviation_;
};

class AlphaDropoutLayer : public nn::RandomLayer {
 public:
  AlphaDropoutLayer(double rate, const DropoutOptions& options)
      : RandomLayer("alpha_dropout", rate > 0, options.seed, options.name),
        rate_(rate),
        noise_shape_(options.noise_shape) {
    RequireBelowOne(rate, "alpha_dropout");
  }

 protected:
  Tensor Draw(const Tensor& x, const Variable& counter) override {
    RequireRank(noise_shape_, x);
    // -alpha * scale of selu.
    constexpr double kAlpha =
        -1.6732632423543772848170429916717 * 1.0507009873554804934193349852946;
    const double a = 1 / std::sqrt((1 - rate_) * (1 + rate_ * kAlpha * kAlpha));
    const Tensor drawn = nn::DropAndCount(nn::MaskOnes(x, noise_shape_), counter, rate_);
    const Tensor kept = Cast(NotEqual(drawn, 0.0), x.dtype());
    return (x * kept + (1.0 - kept) * kAlpha) * a - a * kAlpha * rate_;
  }

 private:
  double rate_;
  std::vector<int64_t> noise_shape_;
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
