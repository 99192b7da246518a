// The steps that training is made of hold no race: each model, each optimizer.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "cli/models/models.h"
#include "lockstep/check/graph_races.h"
#include "lockstep/nn/loss.h"
#include "lockstep/nn/metric.h"
#include "lockstep/nn/optimizers.h"
#include "lockstep/runtime/gradient_tape.h"

namespace lockstep::cli {
namespace {

Tensor Bytes(const Shape& shape) {
  return Tensor::FromVector(std::vector<uint8_t>(shape.num_elements(), 1), shape);
}

// Forward, backward, update, and the metric that follows it.
Function Step(const std::shared_ptr<Model>& model, const OptimizerPtr& optimizer) {
  const LossPtr loss = losses::SparseCategoricalCrossentropy(true);
  const MetricPtr metric = metrics::SparseCategoricalAccuracy();
  return Function(
      [=](const Tensor& inputs, const Tensor& labels) {
        GradientTape tape;
        const Tensor logits = (*model)(inputs, true);
        const Tensor value = (*loss)(labels, logits);
        const auto weights = model->trainable_variables();
        optimizer->Apply(tape.Gradient(optimizer->ScaleLoss(value), weights), weights);
        metric->Update(labels, logits);
        return value;
      },
      "step");
}

void ExpectSound(const std::shared_ptr<Model>& model, const OptimizerPtr& optimizer,
                 const Tensor& inputs, const Tensor& labels) {
  (*model)(inputs, true);  // weights are made outside of the trace
  const auto races = FindRaces(Step(model, optimizer), {inputs, labels});
  ASSERT_TRUE(races.ok()) << races.status().ToString();
  for (const StaticRace& race : *races) ADD_FAILURE() << race.ToString();
}

TEST(ModelRaces, NoOptimizerHoldsAny) {
  const Tensor images = Bytes({4, 28, 28}), labels = Bytes({4});
  for (const std::string& name : optimizers::Names()) {
    SCOPED_TRACE(name);
    ExpectSound(MakeMlp(), optimizers::Get(name), images, labels);
  }
  ExpectSound(MakeMlp(), optimizers::LossScaleOptimizer(optimizers::Get("adam")), images, labels);
  ExpectSound(MakeMlp(), optimizers::Get("adam", {}, {.global_clipnorm = 1.0, .use_ema = true}),
              images, labels);
}

TEST(ModelRaces, NoModelHoldsAny) {
  ExpectSound(MakeCnn(false), optimizers::Get("adam"), Bytes({4, 28, 28}), Bytes({4}));
  ExpectSound(MakeGpt({.blocks = 2, .width = 32, .heads = 2}), optimizers::Get("adamw"),
              Bytes({2, kGptTokens}), Bytes({2, kGptTokens}));
}

// The check is not blind to these graphs: the counter of steps is read and then counted, which
// only the order of the program keeps apart.
TEST(ModelRaces, WithoutAutomaticControlDependenciesThereAreSome) {
  const std::shared_ptr<Model> model = MakeMlp();
  const Tensor images = Bytes({4, 28, 28}), labels = Bytes({4});
  (*model)(images, true);
  const auto races =
      FindRaces(Step(model, optimizers::Get("adam")), {images, labels}, false).value();
  EXPECT_THAT(races, testing::Contains(
                         testing::Field(&StaticRace::variable, testing::HasSubstr("iteration"))));
}

}  // namespace
}  // namespace lockstep::cli
