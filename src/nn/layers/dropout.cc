#include "nn/layers/dropout.h"

#include "lockstep/nn/layers/regularization.h"
#include "lockstep/ops/array.h"
#include "lockstep/ops/broadcast.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/random.h"
#include "runtime/autocast.h"

namespace lockstep {

namespace nn {

namespace {

Tensor SeedAndCount(const Variable& counter) {
  const Tensor seed = counter.value();
  counter.AssignAdd(Constant<int64_t>({0, 1}));
  return seed;
}

}  // namespace

Tensor DropAndCount(const Tensor& x, const Variable& counter, double rate) {
  const Tensor seed = SeedAndCount(counter);
  return runtime::CastFloating(StatelessDropout(runtime::WidenHalf(x), rate, seed), x.dtype());
}

Tensor NormalAndCount(const Tensor& x, const Variable& counter, double mean, double deviation) {
  const Tensor seed = SeedAndCount(counter);
  return runtime::CastFloating(StatelessNormalLike(runtime::WidenHalf(x), seed, mean, deviation),
                               x.dtype());
}

Tensor MaskOnes(const Tensor& x, const std::vector<int64_t>& noise_shape) {
  if (noise_shape.empty()) return OnesLike(x);
  Shape shape = x.shape();
  bool is_part = true;
  for (int i = 0; i < x.rank(); ++i) {
    if (noise_shape[i] >= 0) shape.set_dim(i, noise_shape[i]);
    is_part &= noise_shape[i] < 0 || noise_shape[i] <= x.shape()[i];
  }
  if (!is_part) return Ones(shape, x.dtype());
  return OnesLike(Slice(x, std::vector<int64_t>(x.rank(), 0), noise_shape));
}

void RequireRate(double rate, const char* where) {
  if (rate >= 0 && rate <= 1) return;
  throw Error(
      Code::kInvalidArgument,
      "[" + std::string(where) + "] the rate must be in [0, 1]; got " + std::to_string(rate));
}

RandomLayer::RandomLayer(const char* type, bool active, std::optional<int64_t> seed,
                         const std::string& name)
    : Layer(type), active_(active), seed_(seed) {
  if (!name.empty()) set_name(name);
}

void RandomLayer::Build(const std::vector<Shape>&) {
  if (active_) counter_ = AddCounter("seed_generator_state", seed_);
}

Tensor RandomLayer::Call(const std::vector<Tensor>& inputs, bool training) {
  return training && active_ ? Draw(inputs[0], counter_) : inputs[0];
}

void RandomLayer::RequireRank(const std::vector<int64_t>& noise_shape, const Tensor& x) const {
  if (noise_shape.empty() || static_cast<int>(noise_shape.size()) == x.rank()) return;
  Refuse("noise_shape " + Shape(noise_shape).ToString() + " must have the input's rank", x.shape());
}

}  // namespace nn

namespace {

class DropoutLayer : public nn::RandomLayer {
 public:
  DropoutLayer(const char* type, double rate, const DropoutOptions& options)
      : RandomLayer(type, rate > 0, options.seed, options.name),
        rate_(rate),
        noise_shape_(options.noise_shape) {
    nn::RequireRate(rate, type);
  }

 protected:
  Tensor Draw(const Tensor& x, const Variable& counter) override {
    if (noise_shape_.empty()) return nn::DropAndCount(x, counter, rate_);
    RequireRank(noise_shape_, x);
    return x * nn::DropAndCount(nn::MaskOnes(x, noise_shape_), counter, rate_);
  }

 private:
  double rate_;
  std::vector<int64_t> noise_shape_;
};

}  // namespace

LayerPtr Dropout(double rate, const DropoutOptions& options) {
  return std::make_shared<DropoutLayer>("dropout", rate, options);
}
LayerPtr SpatialDropout2D(double rate, std::optional<int64_t> seed) {
  return std::make_shared<DropoutLayer>(
      "spatial_dropout2d", rate, DropoutOptions{.noise_shape = {-1, 1, 1, -1}, .seed = seed});
}
LayerPtr SpatialDropout3D(double rate, std::optional<int64_t> seed) {
  return std::make_shared<DropoutLayer>(
      "spatial_dropout3d", rate, DropoutOptions{.noise_shape = {-1, 1, 1, 1, -1}, .seed = seed});
}
LayerPtr SpatialDropout1D(double rate, std::optional<int64_t> seed) {
  return std::make_shared<DropoutLayer>("spatial_dropout1d", rate,
                                        DropoutOptions{.noise_shape = {-1, 1, -1}, .seed = seed});
}

}  // namespace lockstep
