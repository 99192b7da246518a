// Layers under replicas and devices: one digest, statistics of each replica, one stream of masks.

#include <cmath>
#include <memory>

#include "gtest/gtest.h"
#include "lockstep/distribute/strategy.h"
#include "lockstep/nn/functional.h"
#include "lockstep/nn/layers.h"
#include "lockstep/nn/optimizers.h"
#include "lockstep/ops/broadcast.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/random.h"
#include "lockstep/ops/reduce.h"
#include "lockstep/runtime/function.h"
#include "lockstep/runtime/gradient_tape.h"

namespace lockstep {
namespace {

Tensor Noise(const Shape& shape, int64_t seed) {
  return StatelessRandomNormal(shape, Constant<int64_t>({seed, 1}));
}

Tensor Labels(int64_t count, int64_t classes) {
  std::vector<int32_t> labels;
  for (int64_t i = 0; i < count; ++i) labels.push_back(static_cast<int32_t>(i * 5 % classes));
  return Constant<int32_t>(labels);
}

std::unique_ptr<Model> Images() {
  return std::make_unique<Sequential>(std::initializer_list<LayerPtr>{
      Conv2D(8, 3, {.padding = "same"}), BatchNormalization(), ActivationLayer(relu),
      MaxPooling2D(), Dropout(0.25), DepthwiseConv2D(3), BatchNormalization({.synchronized = true}),
      GlobalAveragePooling2D(), Dense(8, gelu), Dropout(0.5), Dense(3)});
}

std::unique_ptr<Model> Steps() {
  const Tensor x = Input({6, 4});
  const Tensor a = MultiHeadAttention(2, 3, {.dropout = 0.1, .use_causal_mask = true})(x);
  const Tensor h = LayerNormalization()(Add()({x, a}));
  const Tensor c = GroupNormalization({.groups = 2})(Conv1D(4, 2, {.padding = "causal"})(h));
  const Tensor b = AdditiveAttention()({c, h});
  return std::make_unique<FunctionalModel>(std::vector<Tensor>{x},
                                           std::vector<Tensor>{Dense(3)(Flatten()(b))});
}

std::unique_ptr<Model> Recurrent() {
  return std::make_unique<Sequential>(std::initializer_list<LayerPtr>{
      Bidirectional(GRU(3, {.return_sequences = true})), LSTM(4, {.return_sequences = true}),
      TimeDistributed(Dense(3, relu)), SimpleRNN(4), Dense(3)});
}

struct Digests {
  std::string weights, state;
  bool operator==(const Digests&) const = default;
};

Digests TrainUnder(Strategy&& strategy, std::unique_ptr<Model> (*make)(), const Shape& example) {
  SetRandomSeed(3);
  const auto scope = strategy.scope();
  const auto model = make();
  model->Compile({.optimizer = optimizers::Adam({.learning_rate = 0.01}),
                  .loss = losses::SparseCategoricalCrossentropy(true)});
  Shape shape{75};
  for (int64_t size : example.sizes()) shape.Append(size);
  // Two whole batches and an uneven one.
  model->Fit(Noise(shape, 7), Labels(75, 3),
             {.batch_size = 34, .epochs = 2, .verbose = Verbosity::kSilent});
  return {model->WeightsDigest(), model->StateDigest()};
}

Digests TrainOn(std::unique_ptr<Model> (*make)(), const Shape& example, int devices, int replicas) {
  return TrainUnder(MirroredStrategy({.devices = devices, .replicas = replicas}), make, example);
}

// Replicas are other leaves of the sums, unless something has kept the batch from being cut.
TEST(LayersDevicesTest, DoNotKeepABatchFromBeingCut) {
  EXPECT_NE(TrainOn(Steps, {6, 4}, 1, 1).weights, TrainOn(Steps, {6, 4}, 1, 3).weights);
  EXPECT_NE(TrainOn(Recurrent, {3, 4}, 1, 1).weights, TrainOn(Recurrent, {3, 4}, 1, 3).weights);
  EXPECT_NE(TrainOn(Images, {6, 6, 2}, 1, 1).weights, TrainOn(Images, {6, 6, 2}, 1, 3).weights);
}

TEST(LayersDevicesTest, GiveOneDigestOnAnyNumberOfDevices) {
  for (int replicas : {1, 3, 8}) {
    const Digests images = TrainOn(Images, {6, 6, 2}, 1, replicas);
    const Digests steps = TrainOn(Steps, {6, 4}, 1, replicas);
    const Digests recurrent = TrainOn(Recurrent, {3, 4}, 1, replicas);
    for (int devices : {2, 3, 5}) {
      EXPECT_EQ(TrainOn(Images, {6, 6, 2}, devices, replicas), images) << devices << replicas;
      EXPECT_EQ(TrainOn(Steps, {6, 4}, devices, replicas), steps) << devices << replicas;
      EXPECT_EQ(TrainOn(Recurrent, {3, 4}, devices, replicas), recurrent) << devices << replicas;
    }
  }
}

TEST(LayersDevicesTest, GiveTheSameDigestWithVariablesOnOneDevice) {
  EXPECT_EQ(TrainUnder(CentralStorageStrategy({.devices = 2, .replicas = 3}), Images, {6, 6, 2}),
            TrainOn(Images, {6, 6, 2}, 1, 3));
}

// The gradients of a traced step are those of an eager one.
TEST(LayersDevicesTest, GiveTheSameBitsEagerAndTraced) {
  SetRandomSeed(4);
  const auto model = Images();
  const Tensor x = Noise({20, 6, 6, 2}, 8), y = Labels(20, 3);
  (*model)(x);
  const auto weights = model->trainable_variables();
  const auto counters = model->counters();
  const auto step = [&](const std::vector<Tensor>&) {
    GradientTape tape;
    const Tensor loss =
        ReduceMean(losses::SparseCategoricalCrossentropy(true)->PerExample(y, (*model)(x, true)));
    return tape.Gradient(loss, weights);
  };
  const std::vector<Tensor> eager = step({});
  for (const Variable& counter : counters)
    counter.AssignSub(Constant<int64_t>({0, 1}));  // the same masks again
  const std::vector<Tensor> traced = Function(step).Call({});
  ASSERT_EQ(eager.size(), traced.size());
  for (size_t i = 0; i < eager.size(); ++i)
    EXPECT_EQ(eager[i].ToVector<float>(), traced[i].ToVector<float>()) << weights[i].name();
}

// After one step with momentum 0 the moving statistics are the batch's.
std::vector<float> MovingMeanAfterAStep(const Tensor& x, int replicas, bool synchronized,
                                        const char* weight = "batch_normalization/moving_mean") {
  MirroredStrategy strategy({.devices = 2, .replicas = replicas});
  const auto scope = strategy.scope();
  Sequential model{BatchNormalization({.momentum = 0, .synchronized = synchronized}), Dense(3)};
  model.Compile(
      {.optimizer = optimizers::Sgd(), .loss = losses::SparseCategoricalCrossentropy(true)});
  model.Fit(x, Labels(x.shape()[0], 3),
            {.batch_size = x.shape()[0], .shuffle = false, .verbose = Verbosity::kSilent});
  for (const Variable& variable : model.variables()) {
    if (variable.name() == weight) return variable.value().ToVector<float>();
  }
  return {};
}

TEST(BatchNormalizationTest, TakesEachReplicasStatistics) {
  // Replicas see 1, 3, 10 and 20, 30 (an uneven batch of five over two).
  const Tensor x = Constant<float>({1, 3, 10, 20, 30}, {5, 1});
  EXPECT_EQ(MovingMeanAfterAStep(x, 1, false), std::vector<float>{12.8f});
  EXPECT_NEAR(MovingMeanAfterAStep(x, 2, false)[0], (14 / 3.0 + 25) / 2, 1e-5);
  EXPECT_EQ(MovingMeanAfterAStep(x, 2, true), std::vector<float>{12.8f});
  const char* variance = "batch_normalization/moving_variance";
  EXPECT_NEAR(MovingMeanAfterAStep(x, 2, false, variance)[0], (134 / 9.0 + 25) / 2, 1e-4);
  // Replicas without examples do not count: eight replicas, five examples.
  EXPECT_EQ(MovingMeanAfterAStep(x, 8, false), std::vector<float>{12.8f});
}

// What a loop of one's own makes of a step: outputs, gradients of the inputs, moving statistics.
std::vector<std::vector<float>> InALoop(const Tensor& x, int replicas, int devices,
                                        bool synchronized, bool traced) {
  MirroredStrategy strategy({.devices = devices, .replicas = replicas});
  const auto scope = strategy.scope();
  const LayerPtr layer = BatchNormalization({.momentum = 0, .synchronized = synchronized});
  layer(x);
  const auto body = [&](const Tensor& own) {
    GradientTape tape;
    tape.Watch(own);
    const Tensor y = layer(own, true);
    const Tensor loss = ReduceSum(y * own * own);
    return std::vector<Tensor>{y, tape.Gradient(loss, own)};
  };
  const auto all = [&](const std::vector<Tensor>& parts) {
    std::vector<Tensor> made;
    for (const PerReplica& one : strategy.Run(body, PerReplica(parts)))
      made.push_back(strategy.Gather(one, 0));
    return made;
  };
  const std::vector<Tensor> parts = strategy.Split({x})[0].values();
  std::vector<std::vector<float>> made;
  for (const Tensor& one : traced ? Function(all).Call(parts) : all(parts))
    made.push_back(one.ToVector<float>());
  for (const int place : {2, 3})
    made.push_back(layer->weights()[place].variable.value().ToVector<float>());
  return made;
}

TEST(BatchNormalizationTest, InALoopOfOnesOwnIsThatOfFit) {
  const Tensor x = Constant<float>({1, 3, 10, 20, 30}, {5, 1});
  const auto whole = InALoop(x, 1, 1, false, false);
  EXPECT_EQ(whole[2], std::vector<float>{12.8f});
  for (const int replicas : {2, 3, 8}) {
    const auto together = InALoop(x, replicas, 1, true, false);
    for (size_t part = 0; part < whole.size(); ++part)
      for (size_t i = 0; i < whole[part].size(); ++i)
        EXPECT_NEAR(together[part][i], whole[part][i], 1e-4 * std::abs(whole[part][i]) + 1e-3)
            << replicas << " replicas, part " << part;
    const auto apart = InALoop(x, replicas, 1, false, false);
    EXPECT_EQ(apart[2], MovingMeanAfterAStep(x, replicas, false)) << replicas;
    for (const int devices : {1, 2}) {
      for (const bool traced : {false, true}) {
        EXPECT_EQ(InALoop(x, replicas, devices, true, traced), together) << replicas;
        EXPECT_EQ(InALoop(x, replicas, devices, false, traced), apart) << replicas;
      }
    }
  }
}

TEST(BatchNormalizationTest, OfAFrozenLayerUsesTheMovingStatistics) {
  const LayerPtr layer = BatchNormalization();
  const Tensor x = Constant<float>({1, 2, 3, 4}, {4, 1});
  layer(x);
  layer->set_trainable(false);
  EXPECT_EQ(layer(x, true).ToVector<float>(), layer(x, false).ToVector<float>());
  EXPECT_EQ(layer->weights()[2].variable.value().ToVector<float>(), std::vector<float>{0});
  layer->set_trainable(true);
  const std::vector<float> trained = layer(x, true).ToVector<float>();
  EXPECT_NEAR(trained[0], (1 - 2.5) / std::sqrt(1.25 + 1e-3), 1e-5);
  EXPECT_NEAR(layer->weights()[2].variable.value().data<float>()[0], 0.025, 1e-6);
  EXPECT_NEAR(layer->weights()[3].variable.value().data<float>()[0], 0.99 + 0.0125, 1e-6);
}

TEST(DropoutTest, KeepsWhatTheStreamOfItsCallSays) {
  const LayerPtr layer = Dropout(0.4, {.seed = 11});
  const Tensor ones = Ones({50, 3});
  EXPECT_EQ(layer(ones).ToVector<float>(), ones.ToVector<float>());
  for (int64_t call : {0, 1}) {
    const Tensor expected = StatelessDropout(ones, 0.4, Constant<int64_t>({11, call}));
    EXPECT_EQ(layer(ones, true).ToVector<float>(), expected.ToVector<float>()) << call;
  }
  EXPECT_EQ(layer->counters().at(0).value().ToVector<int64_t>(), (std::vector<int64_t>{11, 2}));
  EXPECT_TRUE(layer->weights().empty());
  EXPECT_EQ(Dropout(0)(ones, true).ToVector<float>(), ones.ToVector<float>());
  EXPECT_EQ(Dropout(1)(ones, true).ToVector<float>(), Zeros({50, 3}).ToVector<float>());
}

TEST(DropoutTest, DropsWholeChannels) {
  const Tensor y = SpatialDropout2D(0.5, 3)(Ones({4, 2, 3, 8}), true);
  int kept = 0;
  for (int64_t n = 0; n < 4; ++n) {
    for (int64_t c = 0; c < 8; ++c) {
      const float first = y.data<float>()[n * 48 + c];
      EXPECT_TRUE(first == 0 || first == 2);
      kept += first != 0;
      for (int64_t i = 1; i < 6; ++i) EXPECT_EQ(y.data<float>()[n * 48 + i * 8 + c], first);
    }
  }
  EXPECT_GT(kept, 6);
  EXPECT_LT(kept, 26);
}

// All replicas together count as one call, and see parts of one mask: R changes nothing.
TEST(DropoutTest, CountsAGlobalBatchOnce) {
  const auto weights_after = [](int replicas) {
    SetRandomSeed(5);
    MirroredStrategy strategy({.devices = 3, .replicas = replicas});
    const auto scope = strategy.scope();
    Sequential model{Dropout(0.5), Dense(3)};
    model.Compile(
        {.optimizer = optimizers::Sgd(), .loss = losses::SparseCategoricalCrossentropy(true)});
    model.Fit(Noise({12, 4}, 9), Labels(12, 3),
              {.batch_size = 12, .epochs = 3, .verbose = Verbosity::kSilent});
    EXPECT_EQ(model.counters().at(0).value().data<int64_t>()[1], 3);
    return model.variables().at(0).value().ToVector<float>();
  };
  const std::vector<float> one = weights_after(1), four = weights_after(4);
  for (size_t i = 0; i < one.size(); ++i) EXPECT_NEAR(one[i], four[i], 1e-6);
}

}  // namespace
}  // namespace lockstep
