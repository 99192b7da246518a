#include "lockstep/nn/initializers.h"

#include <atomic>
#include <cmath>

#include "random/keras_seeds.h"
#include "random/uniform.h"
#include "tensor/buffer.h"

namespace lockstep {

namespace {

std::atomic<int64_t>& GlobalSeed() {
  static std::atomic<int64_t> seed{0};
  return seed;
}

Tensor Filled(const Shape& shape, DType dtype, double value) {
  if (dtype == DType::kFloat32) {
    return Tensor::FromVector(std::vector<float>(shape.num_elements(), static_cast<float>(value)),
                              shape);
  }
  if (dtype == DType::kFloat64) {
    return Tensor::FromVector(std::vector<double>(shape.num_elements(), value), shape);
  }
  throw Error(Code::kInvalidArgument,
              "[initializer] a weight is float32 or float64; got " + std::string(DTypeName(dtype)));
}

class ConstantInitializer : public Initializer {
 public:
  ConstantInitializer(std::string name, double value) : name_(std::move(name)), value_(value) {}
  Tensor Make(const Shape& shape, DType dtype, int64_t) const override {
    return Filled(shape, dtype, value_);
  }
  std::string name() const override { return name_; }

 private:
  std::string name_;
  double value_;
};

struct Fans {
  double in, out;
};

Fans FansOf(const Shape& shape) {
  if (shape.rank() == 0) return {1, 1};
  if (shape.rank() == 1) return {static_cast<double>(shape[0]), static_cast<double>(shape[0])};
  const double field = static_cast<double>(shape.product(0, shape.rank() - 2));
  return {field * shape[shape.rank() - 2], field * shape[shape.rank() - 1]};
}

class GlorotUniformInitializer : public Initializer {
 public:
  explicit GlorotUniformInitializer(std::optional<int64_t> seed) : seed_(seed) {}
  Tensor Make(const Shape& shape, DType dtype, int64_t drawn_seed) const override {
    const Fans fans = FansOf(shape);
    const double limit = std::sqrt(6.0 / (fans.in + fans.out));
    const auto stream = random::KerasStream(random::DrawSeed(seed_.value_or(drawn_seed)));
    if (dtype == DType::kFloat64) {
      std::vector<double> values(shape.num_elements());
      random::FillUniform(stream, 0, std::span<double>(values), -limit, limit);
      return Tensor::FromVector(values, shape);
    }
    std::vector<float> values(shape.num_elements());
    random::FillUniform(stream, 0, std::span<float>(values), static_cast<float>(-limit),
                        static_cast<float>(limit));
    return Tensor::FromVector(values, shape);
  }
  std::string name() const override { return "glorot_uniform"; }

 private:
  std::optional<int64_t> seed_;
};

}  // namespace

namespace initializers {
InitializerPtr Zeros() { return std::make_shared<ConstantInitializer>("zeros", 0); }
InitializerPtr Ones() { return std::make_shared<ConstantInitializer>("ones", 1); }
InitializerPtr GlorotUniform(std::optional<int64_t> seed) {
  return std::make_shared<GlorotUniformInitializer>(seed);
}
}  // namespace initializers

void SetRandomSeed(int64_t seed) { GlobalSeed() = seed; }
int64_t RandomSeed() { return GlobalSeed(); }

}  // namespace lockstep
