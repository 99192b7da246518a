#include <gtest/gtest.h>

#include <cmath>

#include "graph/passes.h"
#include "graph/rows.h"
#include "graph/tracer.h"
#include "lockstep/nn/loss.h"
#include "lockstep/ops/broadcast.h"
#include "lockstep/ops/math.h"
#include "lockstep/runtime/gradient_tape.h"

namespace lockstep {
namespace {

const Tensor& T() {
  static const Tensor t{{0, 1, 0}, {0, 0, 1}};
  return t;
}
const Tensor& P() {
  static const Tensor p{{.1f, .7f, .2f}, {.3f, .4f, .3f}};
  return p;
}
Tensor Labels() { return Constant<int32_t>({1, 2}); }

struct Row {
  LossPtr loss;
  float value;
  bool sparse = false;
};

std::vector<Row> AllLosses() {
  using namespace losses;  // NOLINT: the table is about them
  return {
      {MeanSquaredError(), 0x1.2c5f94p-3f},
      {MeanAbsoluteError(), 0x1.555556p-2f},
      {MeanAbsolutePercentageError(), 0x1.3de436p+27f},
      {MeanSquaredLogarithmicError(), 0x1.29e36cp-4f},
      {CosineSimilarity(), -0x1.77923cp-1f},
      {Huber({.delta = 0.5}), 0x1.1eb852p-4f},
      {LogCosh(), 0x1.1de08p-4f},
      {Hinge(), 1.0f},
      {SquaredHinge(), 0x1.258bfp+0f},
      {CategoricalHinge(), 0x1.99999ap-1f},
      {KLDivergence(), 0x1.8f863cp-1f},
      {Poisson(), 0x1.2fd788p-1f},
      {BinaryCrossentropy(), 0x1.d677fcp-2f},
      {BinaryCrossentropy({.from_logits = true}), 0x1.6c27dp-1f},
      {BinaryCrossentropy({.label_smoothing = 0.1}), 0x1.ffbdp-2f},
      {BinaryFocalCrossentropy(), 0x1.fd2c68p-4f},
      {CategoricalCrossentropy(), 0x1.8f869cp-1f},
      {CategoricalCrossentropy({.from_logits = true}), 0x1.e6a924p-1f},
      {CategoricalCrossentropy({.label_smoothing = 0.1}), 0x1.a85dc8p-1f},
      {CategoricalFocalCrossentropy(), 0x1.3e7cfep-4f},
      {SparseCategoricalCrossentropy(), 0x1.8f869cp-1f, true},
      {SparseCategoricalCrossentropy(true), 0x1.e6a924p-1f, true},
      {CategoricalGeneralizedCrossEntropy(), 0x1.3b3234p-1f, true},
      {Dice(), 0.5f},
      {Tversky(), 0.5f},
  };
}

TEST(LossesTest, HaveKerasValues) {
  for (const Row& row : AllLosses()) {
    const float value = (*row.loss)(row.sparse ? Labels() : T(), P()).scalar<float>();
    EXPECT_NEAR(value, row.value, 2e-6 * std::max(1.0f, std::fabs(row.value))) << row.loss->name();
  }
}

TEST(LossesTest, FocalLossesOfLogitsTellHowWrongTheyAre) {
  const Tensor t = Constant<float>({1, 0}), logits = Constant<float>({-100, 50});
  const float value =
      (*losses::BinaryFocalCrossentropy({.from_logits = true}))(t, logits).scalar<float>();
  EXPECT_FLOAT_EQ(value, 75);
}

// A batch of 8 examples, traced as training traces it.
bool CanBeCut(const Loss& loss, bool sparse) {
  graph::Tracer tracer;
  const Tensor t = tracer.AddParameter(sparse ? ops::TensorType{DType::kInt32, {8}}
                                              : ops::TensorType{DType::kFloat32, {8, 3}});
  const Tensor p = tracer.AddParameter({DType::kFloat32, {8, 3}});
  ops::BuilderScope scope(&tracer);
  GradientTape tape;
  tape.Watch(p);
  const Tensor gradient = tape.Gradient(loss(t, p), p);
  tracer.graph()->results() = {tracer.EndpointOf(gradient)};
  return graph::AnalyzeRows(graph::Prune(*tracer.graph()), 8, {true, true}).can_cut();
}

TEST(LossesTest, KeepExamplesApart) {
  for (const Row& row : AllLosses())
    EXPECT_TRUE(CanBeCut(*row.loss, row.sparse)) << row.loss->name();
  EXPECT_TRUE(CanBeCut(
      *losses::SparseCategoricalCrossentropy({.from_logits = true, .ignore_class = 1}), true));
}

TEST(LossesTest, ReductionsWeighAndDivide) {
  const Tensor t = Constant<float>({0, 0, 0}, {3, 1});
  const Tensor p = Constant<float>({1, 2, 3}, {3, 1});
  const Tensor weight{1, 0, 2};
  const auto value = [&](Reduction reduction) {
    return (*losses::MeanSquaredError({.reduction = reduction}))(t, p, weight).ToVector<float>();
  };
  EXPECT_EQ(value(Reduction::kNone), (std::vector<float>{1, 0, 18}));
  EXPECT_EQ(value(Reduction::kSum), (std::vector<float>{19}));
  EXPECT_EQ(value(Reduction::kSumOverBatchSize), (std::vector<float>{19.0f / 3}));
  EXPECT_EQ(value(Reduction::kMeanWithSampleWeight), (std::vector<float>{19.0f / 3}));
  const auto weighted = losses::MeanSquaredError({.reduction = Reduction::kMeanWithSampleWeight});
  EXPECT_EQ((*weighted)(t, p, Tensor{0, 0, 4}).scalar<float>(), 9.0f);
  EXPECT_EQ((*weighted)(t, p, Tensor{0, 0, 0}).scalar<float>(), 0.0f);
  // One example and one weight for all: a value of the whole batch, which nothing divides.
  const Tensor zero = Constant<float>({0}, {1, 1}), two = Constant<float>({2}, {1, 1});
  EXPECT_EQ((*weighted)(zero, two, Scalar(0.5f)).scalar<float>(), 2.0f);
  EXPECT_EQ((*weighted)(t, p, Scalar(0.5f)).scalar<float>(), 14.0f);
}

TEST(LossesTest, NothingHasTheLossZero) {
  const Tensor none = Zeros({0, 3});
  EXPECT_EQ((*losses::MeanSquaredError())(none, none).scalar<float>(), 0.0f);
  EXPECT_EQ((*losses::Dice())(none, none, Zeros({0, 1})).scalar<float>(), 0.0f);
}

TEST(LossesTest, RanksThatDifferByAnAxisOfOneAgree) {
  const auto loss = losses::MeanSquaredError();
  const Tensor column = Constant<float>({1, 2, 3}, {3, 1});
  EXPECT_EQ(loss->PerExample(Tensor{1, 2, 5}, column).ToVector<float>(),
            (std::vector<float>{0, 0, 4}));
  EXPECT_EQ(loss->PerExample(column, Tensor{1, 2, 5}).shape(), Shape{3});
  const auto sparse = losses::SparseCategoricalCrossentropy();
  EXPECT_EQ(sparse->PerExample(Constant<int64_t>({1, 2}, {2, 1}), P()).ToVector<float>(),
            sparse->PerExample(Labels(), P()).ToVector<float>());
}

TEST(LossesTest, IgnoredLabelsDropOutOfTheMean) {
  const auto loss = losses::SparseCategoricalCrossentropy({.ignore_class = -1});
  const auto plain = losses::SparseCategoricalCrossentropy();
  const Tensor labels = Constant<int32_t>({-1, 2});
  EXPECT_EQ(loss->PerExample(labels, P()).ToVector<float>()[0], 0.0f);
  EXPECT_EQ((*loss)(labels, P()).scalar<float>(),
            plain->PerExample(Labels(), P()).ToVector<float>()[1]);
  const Tensor all = Constant<int32_t>({-1, -1});
  EXPECT_EQ((*loss)(all, P()).scalar<float>(), 0.0f);
}

TEST(LossesTest, HingeLeavesOtherLabelsAlone) {
  const auto hinge = losses::Hinge({.reduction = Reduction::kNone});
  const Tensor p = Constant<float>({0.5f, 0.5f}, {2, 1});
  EXPECT_EQ((*hinge)(Constant<float>({0, 1}, {2, 1}), p).ToVector<float>(),
            (std::vector<float>{1.5f, 0.5f}));
  EXPECT_EQ((*hinge)(Constant<float>({0, -1}, {2, 1}), p).ToVector<float>(),
            (std::vector<float>{1, 1.5f}));
}

TEST(LossesTest, OverlapAlongAxesHasAValueAnExample) {
  const auto dice = losses::Dice({.axis = Axes(1), .reduction = Reduction::kNone});
  EXPECT_EQ((*dice)(T(), P()).shape(), Shape{2});
  EXPECT_FALSE(dice->whole_batch());
  EXPECT_TRUE(losses::Dice()->whole_batch());
}

TEST(LossesTest, NamesAreKerass) {
  EXPECT_EQ(losses::Get("mse")->name(), "mean_squared_error");
  EXPECT_EQ(losses::Get("KLDivergence")->name(), "kl_divergence");
  try {
    losses::Get("mean_square");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kNotFound);
    EXPECT_TRUE(error.status().message().starts_with("[losses] the name must be one of mean_"));
    EXPECT_TRUE(error.status().message().ends_with("; got 'mean_square'"));
  }
  EXPECT_THROW(losses::CategoricalGeneralizedCrossEntropy({.q = 1}), Error);
}

}  // namespace
}  // namespace lockstep
