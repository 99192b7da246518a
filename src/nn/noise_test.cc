// Layers of noise: their streams, and that they let a batch be cut.

#include <cmath>

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lockstep/distribute/strategy.h"
#include "lockstep/nn/layers.h"
#include "lockstep/nn/model.h"
#include "lockstep/nn/optimizers.h"
#include "lockstep/ops/broadcast.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/random.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

Tensor Inputs() { return StatelessRandomNormal({75, 6, 4}, Constant<int64_t>({3, 1})); }

TEST(NoiseTest, GaussianNoiseIsKerassStream) {
  const LayerPtr layer = GaussianNoise(0.5, {.seed = 11});
  const Tensor x = Inputs();
  EXPECT_EQ(layer(x).ToVector<float>(), x.ToVector<float>());
  for (int64_t call : {0, 1}) {
    const Tensor wanted =
        x + StatelessRandomNormal(x.shape(), Constant<int64_t>({11, call}), 0, 0.5);
    EXPECT_EQ(layer(x, true).ToVector<float>(), wanted.ToVector<float>()) << call;
  }
  EXPECT_EQ(layer->counters().at(0).value().ToVector<int64_t>(), (std::vector<int64_t>{11, 2}));
}

TEST(NoiseTest, GaussianDropoutMultiplies) {
  const Tensor x = Inputs();
  const Tensor wanted =
      x * StatelessRandomNormal(x.shape(), Constant<int64_t>({11, 0}), 1, std::sqrt(0.2 / 0.8));
  EXPECT_EQ(GaussianDropout(0.2, {.seed = 11})(x, true).ToVector<float>(),
            wanted.ToVector<float>());
}

TEST(NoiseTest, AlphaDropoutKeepsMeanAndVariance) {
  const Tensor x = StatelessRandomNormal({200, 100}, Constant<int64_t>({5, 6}));
  const Tensor uniform = StatelessRandomUniform(x.shape(), Constant<int64_t>({11, 0}));
  const std::vector<float> y = AlphaDropout(0.3, {.seed = 11})(x, true).ToVector<float>();
  const double bound = -1.7580993408473766, rate = 0.3;
  const double a = 1 / std::sqrt((1 - rate) * (1 + rate * bound * bound));
  double sum = 0, squares = 0;
  for (size_t i = 0; i < y.size(); ++i) {
    const double in = uniform.data<float>()[i] >= 0.3f ? x.data<float>()[i] : bound;
    EXPECT_NEAR(y[i], a * in - a * bound * rate, 1e-5);
    sum += y[i];
    squares += y[i] * y[i];
  }
  EXPECT_NEAR(sum / static_cast<double>(y.size()), 0, 0.02);
  EXPECT_NEAR(squares / static_cast<double>(y.size()), 1, 0.03);
}

TEST(NoiseTest, SpatialDropoutDropsWholeChannels) {
  const Tensor y = SpatialDropout3D(0.5, 3)(Ones({4, 2, 3, 2, 8}), true);
  for (int64_t n = 0; n < 4; ++n) {
    for (int64_t i = 0; i < 96; ++i) {
      EXPECT_EQ(y.data<float>()[n * 96 + i], y.data<float>()[n * 96 + i % 8]);
    }
  }
}

std::string Digest(int devices, int replicas) {
  SetRandomSeed(3);
  MirroredStrategy strategy({.devices = devices, .replicas = replicas});
  const auto scope = strategy.scope();
  Sequential model{GaussianNoise(0.3),
                   GaussianDropout(0.2),
                   SpatialDropout1D(0.25),
                   AlphaDropout(0.1),
                   Dropout(0.2, {.noise_shape = {-1, 1, 4}}),
                   AlphaDropout(0.1, {.noise_shape = {-1, 6, 1}}),
                   Flatten(),
                   Dense(3)};
  model.Compile(
      {.optimizer = optimizers::Adam({.learning_rate = 0.01}), .loss = losses::MeanSquaredError()});
  model.Fit(Inputs(), Ones({75, 3}),
            {.batch_size = 34, .epochs = 2, .verbose = Verbosity::kSilent});
  for (const std::string& line : model.advice()) EXPECT_THAT(line, Not(HasSubstr("is not cut")));
  return model.WeightsDigest() + model.StateDigest();
}

TEST(NoiseTest, IsASliceOfOneStreamForEachReplicaAndDevice) {
  for (int replicas : {1, 3}) {
    const std::string one = Digest(1, replicas);
    for (int devices : {2, 3}) EXPECT_EQ(Digest(devices, replicas), one) << devices;
  }
}

TEST(NoiseTest, RefusesWhatCannotBe) {
  const auto message = [](const std::function<void()>& call) -> std::string {
    try {
      call();
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::kInvalidArgument);
      return error.what();
    }
    return "";
  };
  EXPECT_THAT(message([] { GaussianNoise(1.5); }), HasSubstr("must be in [0, 1]; got 1.5"));
  EXPECT_THAT(message([] { GaussianDropout(1); }), HasSubstr("the rate must be below 1"));
  EXPECT_THAT(message([] { AlphaDropout(1); }), HasSubstr("the rate must be below 1"));
  EXPECT_THAT(message([] {
                AlphaDropout(0.5, {.noise_shape = {1}})(Ones({2, 3}), true);
              }),
              HasSubstr("noise_shape [1] must have the input's rank; got [2,3]"));
}

}  // namespace
}  // namespace lockstep
