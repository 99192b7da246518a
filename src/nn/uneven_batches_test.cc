#include <gtest/gtest.h>

#include "lockstep/nn/layers.h"
#include "lockstep/nn/model.h"
#include "lockstep/nn/optimizers.h"
#include "ops/replica_weights.h"

namespace lockstep {
namespace {

TEST(ReplicaWeightsTest, MakeTheMeanOfMeans) {
  const auto weights = [](int64_t examples, int64_t replicas) {
    return ops::ReplicaWeights(Constant(std::vector<float>(examples), {examples}), replicas)
        .ToVector<float>();
  };
  // Shares of ceil(n / R): 3 and 2; 2, 2 and 0; one example for the first of two.
  EXPECT_EQ(weights(5, 2), (std::vector<float>{5 / 6.f, 5 / 6.f, 5 / 6.f, 5 / 4.f, 5 / 4.f}));
  EXPECT_EQ(weights(4, 3), (std::vector<float>{4 / 6.f, 4 / 6.f, 4 / 6.f, 4 / 6.f}));
  EXPECT_EQ(weights(1, 2), (std::vector<float>{0.5f}));
  EXPECT_EQ(weights(4, 2), (std::vector<float>{1, 1, 1, 1}));
  EXPECT_TRUE(weights(0, 2).empty());
}

struct Outcome {
  std::vector<float> weight;
  double loss;
};

// One step of a model w x with w = 1 and the rate 1 on three examples, whose target is 0.
Outcome TrainOnThree(int replicas, int devices, UnevenBatches uneven) {
  MirroredStrategy strategy({.devices = devices, .replicas = replicas});
  const auto scope = strategy.scope();
  Sequential model{Dense(1, {.use_bias = false, .kernel_initializer = initializers::Ones()})};
  model.Compile({.optimizer = optimizers::Sgd({.learning_rate = 1}),
                 .loss = losses::MeanSquaredError(),
                 .uneven_batches = uneven});
  const Tensor x = Constant<float>({1, 2, 3}, {3, 1}), y = Constant<float>({0, 0, 0}, {3, 1});
  const History history =
      model.Fit(x, y, {.batch_size = 4, .shuffle = false, .verbose = Verbosity::kSilent});
  return {model.variables()[0].value().ToVector<float>(), history.history.at("loss")[0]};
}

TEST(UnevenBatchesTest, ExactWeighsExamplesAndKerasReplicas) {
  for (int devices : {1, 2, 3}) {
    const Outcome keras = TrainOnThree(2, devices, UnevenBatches::kKeras);
    EXPECT_NEAR(keras.weight[0], 1 - 11.5f, 1e-5);
    EXPECT_NEAR(keras.loss, 14.0 / 3, 1e-6);
    EXPECT_EQ(keras.weight, TrainOnThree(2, 1, UnevenBatches::kKeras).weight);
    const Outcome exact = TrainOnThree(2, devices, UnevenBatches::kExact);
    EXPECT_NEAR(exact.weight[0], 1 - 28 / 3.f, 1e-5);
    EXPECT_NEAR(exact.loss, 14.0 / 3, 1e-6);
  }
}

TEST(UnevenBatchesTest, IgnoredExamplesDontTrain) {
  const auto train = [](const Tensor& x, const Tensor& y) {
    Sequential model{Dense(2, {.kernel_initializer = initializers::GlorotUniform(1)})};
    model.Compile(
        {.optimizer = optimizers::Sgd({.learning_rate = 1}),
         .loss = losses::SparseCategoricalCrossentropy({.from_logits = true, .ignore_class = -1})});
    const History history = model.Fit(x, y, {.shuffle = false, .verbose = Verbosity::kSilent});
    return Outcome{model.variables()[0].value().ToVector<float>(), history.history.at("loss")[0]};
  };
  const Outcome masked = train(Tensor{{1, 2}, {5, 7}, {3, 1}}, Constant<int32_t>({0, -1, 1}));
  const Outcome without = train(Tensor{{1, 2}, {3, 1}}, Constant<int32_t>({0, 1}));
  for (int i = 0; i < 4; ++i) EXPECT_NEAR(masked.weight[i], without.weight[i], 1e-6);
  EXPECT_NEAR(masked.loss, without.loss, 1e-6);
}

}  // namespace
}  // namespace lockstep
