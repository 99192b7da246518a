#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/nn/layers.h"
#include "lockstep/nn/model.h"
#include "lockstep/nn/optimizers.h"
#include "lockstep/ops/array.h"
#include "lockstep/ops/reduce.h"

namespace lockstep {
namespace {

using testing::ElementsAre;
using testing::IsEmpty;

Tensor Inputs(int64_t examples = 32) {
  std::vector<float> values(examples * 4);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 7) / 7;
  return Tensor::FromVector(values, {examples, 4});
}
Tensor Classes(int64_t examples = 32) {
  std::vector<int32_t> labels(examples);
  for (int64_t i = 0; i < examples; ++i) labels[i] = static_cast<int32_t>(i % 3);
  return Tensor::FromVector(labels, {examples});
}
Tensor OneHots() { return OneHot(Classes(), 3); }
Tensor Halves() {
  std::vector<float> labels(32);
  for (size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<float>(i % 2);
  return Tensor::FromVector(labels, {32, 1});
}

std::vector<std::string> AdviceOf(Model& model, LossPtr loss, std::vector<MetricPtr> metrics,
                                  const Tensor& y, FitOptions fit = {}) {
  model.Compile({.optimizer = optimizers::Sgd(), .loss = loss, .metrics = metrics});
  fit.epochs = 1;
  fit.verbose = Verbosity::kSilent;
  model.Fit(Inputs(y.shape()[0]), y, fit);
  return model.advice();
}

std::vector<std::string> AdviceOf(const std::vector<LayerPtr>& layers, LossPtr loss,
                                  std::vector<MetricPtr> metrics, const Tensor& y,
                                  const FitOptions& fit = {}) {
  Sequential model(layers);
  return AdviceOf(model, std::move(loss), std::move(metrics), y, fit);
}

LossPtr Sparse(bool from_logits) { return losses::SparseCategoricalCrossentropy(from_logits); }

TEST(Advice, LogitsAreNotProbabilities) {
  EXPECT_THAT(AdviceOf({Dense(8, relu), Dense(3)}, Sparse(false), {}, Classes()),
              ElementsAre("[advice] sparse_categorical_crossentropy takes probabilities, but "
                          "dense_1 ends without softmax; give the loss from_logits = true, or the "
                          "layer the activation softmax"));
  EXPECT_THAT(AdviceOf({Dense(1)}, losses::BinaryCrossentropy(), {}, Halves()),
              ElementsAre("[advice] binary_crossentropy takes probabilities, but dense ends "
                          "without sigmoid; give the loss from_logits = true, or the layer the "
                          "activation sigmoid"));
  EXPECT_THAT(AdviceOf({Dense(3, softmax)}, Sparse(false), {}, Classes()), IsEmpty());
  EXPECT_THAT(AdviceOf({Dense(3)}, Sparse(true), {}, Classes()), IsEmpty());
  EXPECT_THAT(AdviceOf({Dense(3)}, losses::MeanSquaredError(), {}, OneHots()), IsEmpty());
}

TEST(Advice, ProbabilitiesAreNotLogits) {
  EXPECT_THAT(AdviceOf({Dense(3, softmax), Reshape({3})}, Sparse(true), {}, Classes()),
              ElementsAre("[advice] sparse_categorical_crossentropy with from_logits = true takes "
                          "logits, but reshape ends with softmax; leave softmax out, or give the "
                          "loss from_logits = false"));
}

TEST(Advice, OneUnitIsNoChoiceOfClasses) {
  const std::string softmax_of_one =
      "[advice] dense ends with softmax over one value, which gives 1 whatever comes in; use "
      "sigmoid, or a unit for each class";
  EXPECT_THAT(AdviceOf({Dense(1, softmax)}, losses::MeanSquaredError(), {}, Halves()),
              ElementsAre(softmax_of_one));
  EXPECT_THAT(
      AdviceOf({Dense(1)}, losses::CategoricalCrossentropy({.from_logits = true}), {}, Halves()),
      ElementsAre("[advice] categorical_crossentropy sees one class, as dense has one "
                  "unit, so nothing is learned; use binary_crossentropy, or a unit for "
                  "each class"));
  EXPECT_THAT(
      AdviceOf({Dense(1)}, losses::MeanSquaredError(), {metrics::CategoricalAccuracy()}, Halves()),
      ElementsAre("[advice] the metric categorical_accuracy looks for the largest of "
                  "several predictions, but dense gives one; use binary_accuracy, or for "
                  "a regression mean_absolute_error"));
  EXPECT_THAT(AdviceOf({Dense(1, activations::sigmoid)}, losses::MeanSquaredError(),
                       {metrics::AccuracyByShape()}, Halves()),
              IsEmpty());
}

TEST(Advice, LabelsAreAsWideAsPredictions) {
  EXPECT_THAT(AdviceOf({Dense(3)}, losses::MeanSquaredError(), {}, Halves()),
              ElementsAre("[advice] one label an example is compared with each of the 3 "
                          "predictions of dense; give a label for each, or the layer one unit"));
  EXPECT_THAT(AdviceOf({Dense(1)}, losses::MeanAbsoluteError(), {}, OneHots()),
              ElementsAre("[advice] the one prediction of dense is compared with each of 3 labels "
                          "of an example; give the layer a unit for each"));
  EXPECT_THAT(AdviceOf({Dense(1)}, losses::MeanSquaredError(), {}, Halves()), IsEmpty());
}

TEST(Advice, MetricsFitTheLoss) {
  EXPECT_THAT(AdviceOf({Dense(3)}, Sparse(true), {metrics::MeanSquaredError()},
                       Classes().WithShape(Shape{32, 1})),
              ElementsAre("[advice] the metric mean_squared_error compares each prediction with "
                          "the label, but the labels of sparse_categorical_crossentropy are class "
                          "numbers; use sparse_categorical_accuracy"));
  EXPECT_THAT(AdviceOf({Dense(3)}, Sparse(true), {metrics::CategoricalAccuracy()},
                       Classes().WithShape(Shape{32, 1})),
              ElementsAre("[advice] the metric categorical_accuracy takes one-hot labels, but "
                          "those of sparse_categorical_crossentropy are class numbers; use "
                          "sparse_categorical_accuracy"));
  EXPECT_THAT(AdviceOf({Dense(1)}, losses::BinaryCrossentropy({.from_logits = true}),
                       {metrics::Precision()}, Halves()),
              ElementsAre("[advice] the metric precision takes probabilities, but "
                          "binary_crossentropy with from_logits = true has the model end with "
                          "logits; end with sigmoid and give the loss from_logits = false"));
  EXPECT_THAT(AdviceOf({Dense(3)}, Sparse(true), {metrics::SparseCategoricalAccuracy()}, Classes()),
              IsEmpty());
}

// A model with a layer whose output it forgets.
class Forgetful : public Model {
 public:
  Tensor Call(const Tensor& inputs, bool training) override {
    (*unused_)(inputs, training);
    return (*used_)(inputs, training);
  }

 private:
  LayerPtr unused_ = Track(Dense(2));
  LayerPtr used_ = Track(Dense(3));
};

TEST(Advice, NamesVariablesThatTheLossDoesNotReach) {
  Forgetful model;
  EXPECT_THAT(AdviceOf(model, Sparse(true), {}, Classes()),
              ElementsAre("[advice] the loss does not reach the variable dense/kernel, so it never "
                          "changes; use its layer's output, or make it not trainable",
                          "[advice] the loss does not reach the variable dense/bias, so it never "
                          "changes; use its layer's output, or make it not trainable"));
}

TEST(Advice, NamesIdleDevices) {
  const auto with = [](int devices, int replicas, FitOptions fit) {
    MirroredStrategy strategy({.devices = devices, .replicas = replicas});
    const auto scope = strategy.scope();
    return AdviceOf({Dense(3)}, Sparse(true), {}, Classes(), fit);
  };
  EXPECT_THAT(with(3, 1, {}),
              ElementsAre("[advice] a batch of 32 examples has 2 shards for 3 devices: device 2 "
                          "has none of its own; a batch of 64 has enough, or use 2 devices"));
  EXPECT_THAT(with(4, 1, {.batch_size = 16}),
              ElementsAre("[advice] a batch of 16 examples has 1 shard for 4 devices: devices 1 to "
                          "3 have none of their own; a batch of 64 has enough, or use 1 device"));
  EXPECT_THAT(with(4, 1, {.shards = 2}),
              ElementsAre("[advice] a batch of 32 examples has 2 shards for 4 devices: devices 2 "
                          "to 3 have none of their own; use 2 devices"));
  EXPECT_THAT(with(2, 1, {}), IsEmpty());
  EXPECT_THAT(with(3, 3, {}), IsEmpty());
}

TEST(Advice, NamesABatchThatIsLargerThanTheData) {
  EXPECT_THAT(AdviceOf({Dense(3)}, Sparse(true), {}, Classes(9), {.batch_size = 10}),
              ElementsAre("[advice] batch_size 10 is more than the 9 examples there are, so an "
                          "epoch is one step of 9; give a smaller one"));
}

// A model that sees each example's predecessors.
class Cumulative : public Model {
 public:
  Tensor Call(const Tensor& inputs, bool training) override {
    return Cumsum((*dense_)(inputs, training), 0);
  }

 private:
  LayerPtr dense_ = Track(Dense(3));
};

TEST(Advice, SaysWhatKeepsABatchWhole) {
  Cumulative model;
  const auto advice = AdviceOf(model, Sparse(true), {}, Classes());
  ASSERT_GE(advice.size(), 1u);
  EXPECT_THAT(advice[0], testing::MatchesRegex(
                             "\\[advice\\] the batch is not cut into shards: examples influence "
                             "each other in Cumsum.*; that changes no result, but one device does "
                             "the work of that op"));
}

// Before the first step, and once.
class Asks : public Callback {
 public:
  void OnTrainBegin() override { lines = model->advice().size(); }
  size_t lines = 0;
};

TEST(Advice, ComesBeforeTheFirstStepAndOnce) {
  Sequential model({Dense(3)});
  const auto asks = std::make_shared<Asks>();
  EXPECT_EQ(AdviceOf(model, Sparse(false), {}, Classes(), {.callbacks = {asks}}).size(), 1u);
  EXPECT_EQ(asks->lines, 1u);
  model.Fit(Inputs(), Classes(), {.batch_size = 5, .verbose = Verbosity::kSilent});
  EXPECT_EQ(model.advice().size(), 1u);
}

}  // namespace
}  // namespace lockstep
