// Every optimizer gives the same bits on any number of devices.

#include <cmath>

#include "gtest/gtest.h"
#include "lockstep/distribute/strategy.h"
#include "lockstep/nn/constraints.h"
#include "lockstep/nn/layers.h"
#include "lockstep/nn/model.h"
#include "lockstep/nn/optimizers.h"
#include "lockstep/nn/regularizers.h"
#include "lockstep/ops/array.h"
#include "lockstep/ops/reduce.h"
#include "nn/every_option_test.h"
#include "nn/few_examples_test.h"

namespace lockstep {
namespace {

// The digest of weights (the first spans two tiles) and slots after two epochs whose last batch is
// uneven.
std::string DigestAfterFit(const OptimizerPtr& optimizer, int devices) {
  MirroredStrategy strategy({.devices = devices});
  const auto scope = strategy.scope();
  SetRandomSeed(7);
  Sequential model({Dense(400, DenseOptions{.activation = relu,
                                            .kernel_regularizer = regularizers::L1L2(0.001, 0.01),
                                            .kernel_constraint = constraints::MaxNorm(1.5)}),
                    Dense(4)});
  model.Compile({.optimizer = optimizer,
                 .loss = losses::SparseCategoricalCrossentropy(/*from_logits=*/true)});
  const History history =
      model.Fit(Features(), Labels(),
                {.batch_size = 16, .epochs = 2, .verbose = Verbosity::kSilent, .shards = 4});
  EXPECT_TRUE(std::isfinite(history.history.at("loss").back()));
  return model.StateDigest();
}

TEST(OptimizersDevicesTest, EveryRuleGivesOneDigest) {
  for (const std::string& name : optimizers::Names()) {
    const std::string expected = DigestAfterFit(optimizers::Get(name), 1);
    for (int devices : {2, 3, 5}) {
      EXPECT_EQ(DigestAfterFit(optimizers::Get(name), devices), expected)
          << name << " on " << devices << " devices";
    }
  }
}

TEST(OptimizersDevicesTest, EveryOptionGivesOneDigest) {
  const auto schedule = schedules::CosineDecay(
      {.initial_learning_rate = 0.01, .decay_steps = 6, .warmup_target = 0.05, .warmup_steps = 2});
  for (const UpdateOptions& update : EveryUpdateOption()) {
    for (const char* name : {"adam", "lamb"}) {
      const std::string expected = DigestAfterFit(optimizers::Get(name, schedule, update), 1);
      for (int devices : {2, 3, 5})
        EXPECT_EQ(DigestAfterFit(optimizers::Get(name, schedule, update), devices), expected);
    }
  }
}

TEST(OptimizersDevicesTest, LossScalingGivesOneDigest) {
  const auto make = [] {
    return optimizers::LossScaleOptimizer(optimizers::Adam(), {.dynamic_growth_steps = 2});
  };
  const std::string expected = DigestAfterFit(make(), 1);
  for (int devices : {2, 3, 5}) EXPECT_EQ(DigestAfterFit(make(), devices), expected);
}

// Rows of a table by number, averaged: a layer whose gradient is of slices.
class TableLayer : public Layer {
 public:
  TableLayer() : Layer("table") {}

 protected:
  void Build(const std::vector<Shape>&) override { table_ = AddWeight("rows", Shape{7, 5}); }
  Tensor Call(const std::vector<Tensor>& inputs, bool) override {
    return ReduceMean(Gather(table_, inputs[0]), 1);
  }

 private:
  Variable table_;
};

std::string DigestOfTable(const std::string& optimizer, int devices) {
  MirroredStrategy strategy({.devices = devices});
  const auto scope = strategy.scope();
  SetRandomSeed(3);
  Sequential model({std::make_shared<TableLayer>(), Dense(4)});
  model.Compile({.optimizer = optimizers::Get(optimizer, 0.1, {.clipnorm = 0.3}),
                 .loss = losses::SparseCategoricalCrossentropy(/*from_logits=*/true)});
  std::vector<int32_t> numbers(kExamples * 3);
  for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<int32_t>(i * i % 7);
  model.Fit(Constant(numbers, {kExamples, 3}), Labels(),
            {.batch_size = 16, .epochs = 2, .verbose = Verbosity::kSilent, .shards = 4});
  return model.StateDigest();
}

TEST(OptimizersDevicesTest, SlicesGiveOneDigest) {
  for (const char* name : {"sgd", "adam", "adagrad", "adamax", "lamb", "adafactor"}) {
    const std::string expected = DigestOfTable(name, 1);
    for (int devices : {2, 3, 5}) EXPECT_EQ(DigestOfTable(name, devices), expected) << name;
  }
}

}  // namespace
}  // namespace lockstep
