// Losses in loops of one's own, and losses behind a softmax or sigmoid.

#include <cmath>

#include "base/error_of_test.h"
#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lockstep/distribute/strategy.h"
#include "lockstep/nn/layers.h"
#include "lockstep/nn/model.h"
#include "lockstep/nn/optimizers.h"
#include "lockstep/ops/activation.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/reduce.h"
#include "lockstep/runtime/function.h"

namespace lockstep {
namespace {

using ::testing::HasSubstr;

TEST(ComputeAverageLossTest, DividesByTheGlobalBatch) {
  // Without a strategy there is one replica.
  EXPECT_EQ(ComputeAverageLoss(Tensor({1, 2, 6})).scalar<float>(), 3);
  EXPECT_EQ(ComputeAverageLoss(Tensor({1, 2, 6}), Tensor({1, 0, 2})).scalar<float>(), 13 / 3.0f);
  EXPECT_EQ(ComputeAverageLoss(Tensor({1, 2, 6}), {}, 6).scalar<float>(), 1.5f);
  // Examples count, not elements; weights of examples meet inner axes.
  EXPECT_EQ(ComputeAverageLoss(Tensor({{1, 2}, {3, 4}}), Tensor({1, 2})).scalar<float>(), 8.5f);
  EXPECT_EQ(ComputeAverageLoss(Constant<float>({})).scalar<float>(), 0);
}

TEST(ComputeAverageLossTest, SumsOverReplicasToTheMean) {
  MirroredStrategy strategy({.devices = 2, .replicas = 2});
  const auto scope = strategy.scope();
  const PerReplica losses = strategy.Split({Tensor({1, 2, 3, 6})})[0];
  const auto average = [](const Tensor& own) { return ComputeAverageLoss(own); };
  const PerReplica parts = strategy.Run(average, losses);
  EXPECT_EQ(strategy.Reduce(ReduceOp::kSum, parts, {}).scalar<float>(), 3);
  const Function traced([&](const std::vector<Tensor>& own) {
    return strategy.Run(average, PerReplica(own)).values();
  });
  EXPECT_EQ(traced.Call(losses.values())[1].scalar<float>(), parts.value(1).scalar<float>());
  // Of an uneven batch: with its size exact.
  const PerReplica uneven = strategy.Split({Tensor({1, 2, 6})})[0];
  const PerReplica exact =
      strategy.Run([](const Tensor& own) { return ComputeAverageLoss(own, {}, 3); }, uneven);
  EXPECT_EQ(strategy.Reduce(ReduceOp::kSum, exact, {}).scalar<float>(), 3);
  const PerReplica penalty = strategy.Run([] { return ScaleRegularizationLoss(Tensor({1, 3})); });
  EXPECT_EQ(penalty.value(0).scalar<float>(), 2);
}

TEST(ComputeAverageLossTest, RefusesWhatHasNoExamplesOrReplica) {
  const Error scalar = ErrorOf([] { ComputeAverageLoss(Scalar(1.0f)); });
  EXPECT_EQ(scalar.code(), Code::kInvalidArgument);
  EXPECT_THAT(scalar.what(), HasSubstr("got float32[] and no size"));
  const Error size = ErrorOf([] { ComputeAverageLoss(Tensor({1}), {}, 0); });
  EXPECT_THAT(size.what(), HasSubstr("got float32[1] and 0"));
  MirroredStrategy strategy({.devices = 1, .replicas = 2});
  const auto scope = strategy.scope();
  for (const auto& call : std::vector<std::function<void()>>{
           [] { ComputeAverageLoss(Tensor({1})); }, [] { ScaleRegularizationLoss(Tensor({1})); }}) {
    const Error error = ErrorOf(call);
    EXPECT_EQ(error.code(), Code::kFailedPrecondition);
    EXPECT_THAT(error.what(), HasSubstr("call it inside of Strategy::Run"));
  }
  EXPECT_EQ(ComputeAverageLoss(Tensor({1, 2}), {}, 2).scalar<float>(), 1.5f);
}

Tensor One(float value) { return Constant<float>({value}, {1, 1}); }

double EvaluatedLoss(const LayerPtr& last, const LossPtr& loss, const Tensor& x, const Tensor& y) {
  Sequential model{last};
  model.Compile({.optimizer = optimizers::Sgd(), .loss = loss});
  return model.Evaluate(x, y, 32).at("loss");
}

// The probability of class 1 is exp(-50), which probabilities would clip to 1e-7.
TEST(LogitsBehindOutputs, AreWhatTheLossSees) {
  const Tensor x = One(-50), y = One(1), two = Constant<float>({50, 0}, {1, 2});
  EXPECT_FLOAT_EQ(EvaluatedLoss(ActivationLayer(sigmoid), losses::BinaryCrossentropy(), x, y), 50);
  EXPECT_FLOAT_EQ(EvaluatedLoss(ActivationLayer(softmax), losses::CategoricalCrossentropy(), two,
                                Constant<float>({0, 1}, {1, 2})),
                  50);
  EXPECT_FLOAT_EQ(EvaluatedLoss(ActivationLayer(softmax), losses::SparseCategoricalCrossentropy(),
                                two, Constant<int32_t>({1})),
                  50);
  // Keras takes the logits also where from_logits claims that the probabilities are some.
  EXPECT_FLOAT_EQ(
      EvaluatedLoss(ActivationLayer(softmax), losses::SparseCategoricalCrossentropy(true), two,
                    Constant<int32_t>({1})),
      50);
}

TEST(LogitsBehindOutputs, ArePlainProbabilitiesElsewhere) {
  const float clipped = 16.118095f;  // -ln 1e-7
  const Tensor two = Constant<float>({50, 0}, {1, 2});
  const auto shifted = Lambda([](const Tensor& x) { return Sigmoid(x) * 1.0; });
  EXPECT_FLOAT_EQ(EvaluatedLoss(shifted, losses::BinaryCrossentropy(), One(-50), One(1)), clipped);
  EXPECT_FLOAT_EQ((*losses::BinaryCrossentropy())(One(1), Sigmoid(One(-50))).scalar<float>(),
                  clipped);
  // As in Keras, the logits of a softmax are taken for those of a sigmoid.
  EXPECT_FLOAT_EQ(EvaluatedLoss(ActivationLayer(softmax), losses::BinaryCrossentropy(), two,
                                Constant<float>({0, 1}, {1, 2})),
                  (50 + std::log(2.0f)) / 2);
}

TEST(LogitsBehindOutputs, KeepTheLossOptions) {
  const auto loss = losses::BinaryCrossentropy(
      {.label_smoothing = 0.5, .reduction = Reduction::kSum, .name = "mine"});
  const LossPtr of_logits = loss->OfLogits();
  ASSERT_NE(of_logits, nullptr);
  EXPECT_EQ(of_logits->name(), "mine");
  EXPECT_EQ(of_logits->reduction(), Reduction::kSum);
  EXPECT_FLOAT_EQ((*of_logits)(Constant<float>({1, 1}, {2, 1}), Constant<float>({0, 0}, {2, 1}))
                      .scalar<float>(),
                  2 * std::log(2.0f));
  EXPECT_EQ(losses::MeanSquaredError()->OfLogits(), nullptr);
}

}  // namespace
}  // namespace lockstep
