#include "lockstep/nn/initializers.h"

#include <algorithm>
#include <cmath>
#include <mutex>

#include "lockstep/ops/math.h"
#include "lockstep/runtime/random.h"
#include "nn/orthogonal.h"
#include "random/keras_seeds.h"
#include "random/normal.h"
#include "random/uniform.h"

namespace lockstep {

namespace {

struct Seeds {
  std::mutex mutex;
  int64_t global = 0;
  random::DefaultSeeds defaults{0};
};

Seeds& GlobalSeeds() {
  static Seeds seeds;
  return seeds;
}

[[noreturn]] void RejectDType(DType dtype) {
  throw Error(Code::kInvalidArgument, "[initializer] a weight is of a floating dtype; got " +
                                          std::string(DTypeName(dtype)));
}

// A tensor whose elements `fill` writes into a span of float or double; 16-bit floats are rounded
// from float32.
template <typename Fill>
Tensor Filled(const Shape& shape, DType dtype, const Fill& fill) {
  if (dtype == DType::kFloat64) {
    std::vector<double> values(shape.num_elements());
    fill(std::span<double>(values));
    return Tensor::FromVector(values, shape);
  }
  if (!IsFloating(dtype)) RejectDType(dtype);
  std::vector<float> values(shape.num_elements());
  fill(std::span<float>(values));
  const Tensor wide = Tensor::FromVector(values, shape);
  return dtype == DType::kFloat32 ? wide : Cast(wide, dtype);
}

class ConstantInitializer : public Initializer {
 public:
  ConstantInitializer(std::string name, double value) : name_(std::move(name)), value_(value) {}
  Tensor Make(const Shape& shape, DType dtype, int64_t) const override {
    return Filled(shape, dtype, [this]<typename T>(std::span<T> out) {
      std::fill(out.begin(), out.end(), static_cast<T>(value_));
    });
  }
  std::string name() const override { return name_; }

 private:
  std::string name_;
  double value_;
};

class IdentityInitializer : public Initializer {
 public:
  explicit IdentityInitializer(double gain) : gain_(gain) {}
  Tensor Make(const Shape& shape, DType dtype, int64_t) const override {
    if (shape.rank() != 2) {
      throw Error(Code::kInvalidArgument,
                  "[identity] the weight must be a matrix; got " + shape.ToString());
    }
    return Filled(shape, dtype, [&]<typename T>(std::span<T> out) {
      for (int64_t i = 0; i < std::min(shape[0], shape[1]); ++i)
        out[i * shape[1] + i] = static_cast<T>(gain_);
    });
  }
  std::string name() const override { return "identity"; }

 private:
  double gain_;
};

using initializers::Distribution;

// Uniform numbers of 16 bits have random bits of their own, and are scaled in their dtype.
Tensor DrawHalfUniform(const random::Stream& stream, double low, double high, const Shape& shape,
                       DType dtype) {
  const auto fill = [&]<typename Half>(const std::vector<Half>& halves) {
    return Tensor::FromVector(halves, shape) * (high - low) + low;
  };
  const auto size = static_cast<size_t>(shape.num_elements());
  std::vector<uint16_t> bits(size);
  if (dtype == DType::kBFloat16) {
    random::FillUniformBfloat16(stream, 0, bits);
    std::vector<bfloat16> halves(size);
    for (size_t i = 0; i < size; ++i) halves[i].bits = bits[i];
    return fill(halves);
  }
  random::FillUniformFloat16(stream, 0, bits);
  std::vector<float16> halves(size);
  for (size_t i = 0; i < size; ++i) halves[i].bits = bits[i];
  return fill(halves);
}

// `a` and `b`: the bounds of a uniform, mean and deviation of a normal distribution.
Tensor Draw(Distribution distribution, double a, double b, int64_t seed, const Shape& shape,
            DType dtype) {
  const random::Stream stream = random::KerasStream(random::DrawSeed(seed));
  if (distribution == Distribution::kUniform && IsHalf(dtype))
    return DrawHalfUniform(stream, a, b, shape, dtype);
  return Filled(shape, dtype, [&]<typename T>(std::span<T> out) {
    const T first = static_cast<T>(a);
    const T second = static_cast<T>(b);
    switch (distribution) {
      case Distribution::kUniform:
        return random::FillUniform(stream, 0, out, first, second);
      case Distribution::kTruncatedNormal:
        return random::FillTruncatedNormal(stream, 0, out, first, second);
      case Distribution::kUntruncatedNormal:
        return random::FillNormal(stream, 0, out, first, second);
    }
  });
}

class DrawnInitializer : public Initializer {
 public:
  DrawnInitializer(std::string name, Distribution distribution, double a, double b,
                   std::optional<int64_t> seed)
      : name_(std::move(name)), distribution_(distribution), a_(a), b_(b), seed_(seed) {}
  Tensor Make(const Shape& shape, DType dtype, int64_t drawn_seed) const override {
    return Draw(distribution_, a_, b_, seed_.value_or(drawn_seed), shape, dtype);
  }
  std::string name() const override { return name_; }

 private:
  std::string name_;
  Distribution distribution_;
  double a_, b_;
  std::optional<int64_t> seed_;
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

// The deviation of a normal distribution after what lies beyond two deviations was drawn again.
constexpr double kTruncatedDeviation = 0.87962566103423978;

class VarianceScalingInitializer : public Initializer {
 public:
  VarianceScalingInitializer(std::string name, initializers::VarianceScalingOptions options)
      : name_(std::move(name)), options_(options) {
    if (!(options_.scale > 0)) {
      throw Error(Code::kInvalidArgument,
                  "[" + name_ + "] scale must be positive; got " + std::to_string(options_.scale));
    }
  }
  Tensor Make(const Shape& shape, DType dtype, int64_t drawn_seed) const override {
    const Fans fans = FansOf(shape);
    const double fan = options_.mode == initializers::FanMode::kIn    ? fans.in
                       : options_.mode == initializers::FanMode::kOut ? fans.out
                                                                      : (fans.in + fans.out) / 2;
    const double variance = options_.scale / std::max(1.0, fan);
    const int64_t seed = options_.seed.value_or(drawn_seed);
    if (options_.distribution == Distribution::kUniform) {
      const double limit = std::sqrt(3.0 * variance);
      return Draw(Distribution::kUniform, -limit, limit, seed, shape, dtype);
    }
    const bool truncated = options_.distribution == Distribution::kTruncatedNormal;
    const double deviation = std::sqrt(variance) / (truncated ? kTruncatedDeviation : 1.0);
    return Draw(options_.distribution, 0, deviation, seed, shape, dtype);
  }
  std::string name() const override { return name_; }

 private:
  std::string name_;
  initializers::VarianceScalingOptions options_;
};

class OrthogonalInitializer : public Initializer {
 public:
  OrthogonalInitializer(double gain, std::optional<int64_t> seed) : gain_(gain), seed_(seed) {}
  Tensor Make(const Shape& shape, DType dtype, int64_t drawn_seed) const override {
    if (shape.rank() < 2) {
      throw Error(Code::kInvalidArgument,
                  "[orthogonal] the weight must have two axes or more; got " + shape.ToString());
    }
    const int64_t rows = shape.product(0, shape.rank() - 1);
    const int64_t columns = shape[shape.rank() - 1];
    const int64_t longer = std::max(rows, columns), shorter = std::min(rows, columns);
    const random::Stream stream = random::KerasStream(random::DrawSeed(seed_.value_or(drawn_seed)));
    return Filled(shape, dtype, [&]<typename T>(std::span<T> out) {
      std::vector<T> normals(out.size());
      random::FillNormal(stream, 0, std::span<T>(normals));
      std::vector<double> matrix(normals.begin(), normals.end());
      nn::Orthonormalize(matrix, longer, shorter);
      for (int64_t r = 0; r < rows; ++r) {
        for (int64_t c = 0; c < columns; ++c) {
          const double value = matrix[rows < columns ? c * shorter + r : r * shorter + c];
          out[r * columns + c] = static_cast<T>(gain_ * value);
        }
      }
    });
  }
  std::string name() const override { return "orthogonal"; }

 private:
  double gain_;
  std::optional<int64_t> seed_;
};

InitializerPtr Scaled(const char* name, double scale, initializers::FanMode mode,
                      Distribution distribution, std::optional<int64_t> seed) {
  return std::make_shared<VarianceScalingInitializer>(
      name, initializers::VarianceScalingOptions{scale, mode, distribution, seed});
}

}  // namespace

namespace initializers {

InitializerPtr Zeros() { return std::make_shared<ConstantInitializer>("zeros", 0); }
InitializerPtr Ones() { return std::make_shared<ConstantInitializer>("ones", 1); }
InitializerPtr Constant(double value) {
  return std::make_shared<ConstantInitializer>("constant", value);
}
InitializerPtr Identity(double gain) { return std::make_shared<IdentityInitializer>(gain); }
InitializerPtr RandomUniform(double minval, double maxval, std::optional<int64_t> seed) {
  return std::make_shared<DrawnInitializer>("random_uniform", Distribution::kUniform, minval,
                                            maxval, seed);
}
InitializerPtr RandomNormal(double mean, double stddev, std::optional<int64_t> seed) {
  return std::make_shared<DrawnInitializer>("random_normal", Distribution::kUntruncatedNormal, mean,
                                            stddev, seed);
}
InitializerPtr TruncatedNormal(double mean, double stddev, std::optional<int64_t> seed) {
  return std::make_shared<DrawnInitializer>("truncated_normal", Distribution::kTruncatedNormal,
                                            mean, stddev, seed);
}
InitializerPtr VarianceScaling(const VarianceScalingOptions& options) {
  return std::make_shared<VarianceScalingInitializer>("variance_scaling", options);
}
InitializerPtr GlorotUniform(std::optional<int64_t> seed) {
  return Scaled("glorot_uniform", 1, FanMode::kAverage, Distribution::kUniform, seed);
}
InitializerPtr GlorotNormal(std::optional<int64_t> seed) {
  return Scaled("glorot_normal", 1, FanMode::kAverage, Distribution::kTruncatedNormal, seed);
}
InitializerPtr HeUniform(std::optional<int64_t> seed) {
  return Scaled("he_uniform", 2, FanMode::kIn, Distribution::kUniform, seed);
}
InitializerPtr HeNormal(std::optional<int64_t> seed) {
  return Scaled("he_normal", 2, FanMode::kIn, Distribution::kTruncatedNormal, seed);
}
InitializerPtr LecunUniform(std::optional<int64_t> seed) {
  return Scaled("lecun_uniform", 1, FanMode::kIn, Distribution::kUniform, seed);
}
InitializerPtr LecunNormal(std::optional<int64_t> seed) {
  return Scaled("lecun_normal", 1, FanMode::kIn, Distribution::kTruncatedNormal, seed);
}
InitializerPtr Orthogonal(double gain, std::optional<int64_t> seed) {
  return std::make_shared<OrthogonalInitializer>(gain, seed);
}

}  // namespace initializers

void SetRandomSeed(int64_t seed) {
  SetSeed(seed);
  Seeds& seeds = GlobalSeeds();
  std::lock_guard lock(seeds.mutex);
  seeds.global = seed;
  seeds.defaults = random::DefaultSeeds(seed);
}

int64_t RandomSeed() {
  Seeds& seeds = GlobalSeeds();
  std::lock_guard lock(seeds.mutex);
  return seeds.global;
}

int64_t NextDefaultSeed() {
  Seeds& seeds = GlobalSeeds();
  std::lock_guard lock(seeds.mutex);
  return seeds.defaults.Next();
}

}  // namespace lockstep
