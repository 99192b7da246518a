#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string>

#include "graph/passes.h"
#include "graph/rows.h"
#include "graph/tracer.h"
#include "lockstep/nn/metric.h"
#include "lockstep/runtime/function.h"

namespace lockstep {
namespace {

// Half-open examples with classes: y_true one-hot, y_pred, and labels.
const Tensor& Hot() {
  static const Tensor t{{0, 1, 0}, {0, 0, 1}, {1, 0, 0}, {0, 1, 0}};
  return t;
}
const Tensor& Scores() {
  static const Tensor p{{.1f, .7f, .2f}, {.3f, .4f, .3f}, {.6f, .3f, .1f}, {.2f, .3f, .5f}};
  return p;
}
Tensor Labels() { return Constant<int32_t>({1, 2, 0, 1}); }

float Once(const MetricPtr& metric, const Tensor& y_true, const Tensor& y_pred,
           const Tensor& weight = {}) {
  metric->Update(y_true, y_pred, weight);
  return metric->Result().scalar<float>();
}

TEST(MetricsTest, MeanWeighsAndAverages) {
  metrics::Mean mean;
  EXPECT_EQ(mean.Result().scalar<float>(), 0.0f);
  mean.UpdateValues(Tensor{1, 3, 5});
  EXPECT_EQ(mean.Result().scalar<float>(), 3.0f);
  mean.UpdateValues(Tensor{{2, 4}, {6, 8}}, Tensor{1, 3});
  EXPECT_EQ(mean.total().value().scalar<float>(), 33.0f);
  EXPECT_EQ(mean.count().value().scalar<float>(), 7.0f);
  mean.Reset();
  mean.UpdateValues(Scalar(4.0f));
  EXPECT_EQ(mean.Result().scalar<float>(), 4.0f);
}

TEST(MetricsTest, SumWeighs) {
  metrics::Sum sum;
  sum.UpdateValues(Tensor{{1, 2}, {3, 4}}, Tensor{1, 10});
  EXPECT_EQ(sum.Result().scalar<float>(), 73.0f);
}

TEST(MetricsTest, Accuracies) {
  EXPECT_EQ(Once(metrics::CategoricalAccuracy(), Hot(), Scores()), 0.5f);
  EXPECT_EQ(Once(metrics::SparseCategoricalAccuracy(), Labels(), Scores()), 0.5f);
  EXPECT_EQ(Once(metrics::TopKCategoricalAccuracy(2), Hot(), Scores()), 1.0f);
  EXPECT_EQ(Once(metrics::SparseTopKCategoricalAccuracy(1), Labels(), Scores()), 0.5f);
  const Tensor binary{1, 0, 1}, probability{.6f, .5f, .4f};
  EXPECT_EQ(Once(metrics::BinaryAccuracy(), binary, probability), 2.0f / 3);
  EXPECT_EQ(Once(metrics::BinaryAccuracy("b", 0.3), binary, probability, Tensor{1, 1, 2}), 0.75f);
  EXPECT_EQ(Once(metrics::Accuracy(), Labels(), Constant<int32_t>({1, 0, 0, 0})), 0.5f);
}

TEST(MetricsTest, TheStringAccuracyPicksByShapes) {
  EXPECT_EQ(Once(metrics::Get("accuracy"), Labels(), Scores()), 0.5f);
  EXPECT_EQ(Once(metrics::Get("acc"), Constant<float>({1, 2, 0, 1}, {4, 1}), Scores()), 0.5f);
  EXPECT_EQ(Once(metrics::Get("accuracy"), Hot(), Scores()), 0.5f);
  const Tensor column = Constant<float>({.6f, .4f}, {2, 1});
  EXPECT_EQ(Once(metrics::Get("accuracy"), Constant<float>({1, 1}, {2, 1}), column), 0.5f);
  EXPECT_EQ(metrics::Get("acc")->name(), "acc");
}

TEST(MetricsTest, PrecisionAndRecallAboveThresholds) {
  const Tensor t{0, 1, 1, 1}, p{1, 0, 1, 1};
  EXPECT_EQ(Once(metrics::Precision(), t, p), 2.0f / 3);
  EXPECT_EQ(Once(metrics::Recall(), t, p), 2.0f / 3);
  EXPECT_EQ(Once(metrics::Precision(), t, p, Tensor{0, 0, 1, 0}), 1.0f);
  EXPECT_EQ(Once(metrics::Precision(), Tensor{0, 0}, Tensor{0, 0}), 0.0f);
  const auto several = metrics::Recall({0.2, 0.7});
  several->Update(Tensor{1, 1, 0}, Tensor{.3f, .8f, .9f});
  EXPECT_EQ(several->Result().ToVector<float>(), (std::vector<float>{1.0f, 0.5f}));
  EXPECT_EQ(Once(metrics::FalseNegatives(), t, p), 1.0f);
  EXPECT_EQ(Once(metrics::TrueNegatives(), Tensor{0, 1}, Tensor{.1f, .1f}), 1.0f);
  EXPECT_THROW(metrics::Precision({1.5}), Error);
}

TEST(MetricsTest, AreaUnderTheCurve) {
  const Tensor t{0, 0, 1, 1}, p{0, .5f, .3f, .9f};
  EXPECT_NEAR(Once(metrics::AUC({.num_thresholds = 3}), t, p), 0.75f, 1e-6);
  EXPECT_NEAR(Once(metrics::AUC({.num_thresholds = 3}), t, p, Tensor{1, 0, 0, 1}), 1.0f, 1e-6);
  EXPECT_NEAR(Once(metrics::AUC(), t, p), 0.75f, 1e-6);
  EXPECT_NEAR(Once(metrics::AUC({.curve = metrics::Curve::kPrecisionRecall}), Tensor{0, 1},
                   Tensor{.2f, .8f}),
              1.0f, 1e-3);
  EXPECT_THROW(metrics::AUC({.num_thresholds = 1}), Error);
}

TEST(MetricsTest, ErrorsAndLikeness) {
  const Tensor t{{0, 1}, {0, 0}}, p{{1, 1}, {0, 0}};
  EXPECT_EQ(Once(metrics::MeanSquaredError(), t, p), 0.25f);
  EXPECT_EQ(Once(metrics::MeanSquaredError(), t, p, Tensor{1, 0}), 0.5f);
  EXPECT_EQ(Once(metrics::RootMeanSquaredError(), t, p), 0.5f);
  EXPECT_EQ(Once(metrics::MeanAbsoluteError(), t, p), 0.25f);
  EXPECT_NEAR(Once(metrics::CosineSimilarity(), Tensor{{0, 1}, {1, 1}}, Tensor{{1, 0}, {1, 1}}),
              0.5f, 1e-6);
}

TEST(MetricsTest, Scores) {
  const Tensor outputs = Constant<float>({1, 4, 3}, {3, 1});
  const Tensor guesses = Constant<float>({2, 4, 4}, {3, 1});
  EXPECT_NEAR(Once(metrics::R2Score(), outputs, guesses), 0.571428f, 1e-5);
  EXPECT_NEAR(Once(metrics::R2Score(), outputs, guesses, Scalar(0.5f)), 0.571428f, 1e-5);
  EXPECT_NEAR(Once(metrics::R2Score(), Tensor{{1, 2}, {3, 5}, {4, 4.5f}, {0, 2}},
                   Tensor{{1.5f, 2}, {2, 4}, {4, 5.5f}, {1, 1}},
                   Tensor{{1, .5f}, {0, 1}, {2, 2}, {.5f, 0}}),
              0.49529f, 1e-5);
  const Tensor t{{1, 1, 1}, {1, 0, 0}, {1, 1, 0}},
      p{{.2f, .6f, .7f}, {.2f, .6f, .6f}, {.6f, .8f, 0}};
  const auto beta = metrics::FBetaScore({.beta = 2, .threshold = 0.5});
  beta->Update(t, p);
  const auto values = beta->Result().ToVector<float>();
  EXPECT_NEAR(values[0], 0.3846154f, 1e-6);
  EXPECT_NEAR(values[1], 0.90909094f, 1e-6);
  EXPECT_NEAR(values[2], 0.8333333f, 1e-6);
  EXPECT_NEAR(Once(metrics::MeanIoU(2), Tensor{0, 0, 1, 1}, Tensor{0, 1, 0, 1}), 0.33333334f, 1e-6);
}

// One update on 8 examples, traced as training traces it.
bool CanBeCut(const MetricPtr& metric, bool sparse, bool vector) {
  graph::Tracer tracer;
  const Shape matrix{8, 3};
  const Tensor t = tracer.AddParameter(sparse   ? ops::TensorType{DType::kInt32, {8}}
                                       : vector ? ops::TensorType{DType::kFloat32, {8}}
                                                : ops::TensorType{DType::kFloat32, matrix});
  const Tensor p = tracer.AddParameter({DType::kFloat32, vector ? Shape{8} : matrix});
  const Tensor weight = tracer.AddParameter({DType::kFloat32, {8}});
  ops::BuilderScope scope(&tracer);
  metric->Update(t, p);
  metric->Update(t, p, weight);
  return graph::AnalyzeRows(graph::Prune(*tracer.graph()), 8, {true, true, true}).can_cut();
}

TEST(MetricsTest, KeepExamplesApart) {
  using namespace metrics;  // NOLINT: the lists are about them
  for (const MetricPtr& metric :
       {CategoricalAccuracy(), TopKCategoricalAccuracy(2), MeanSquaredError(),
        RootMeanSquaredError(), CosineSimilarity(), KLDivergence(), Hinge(), R2Score(), F1Score(),
        FBetaScore({.average = Average::kMicro}), Precision({0.1, 0.5}), AUC()})
    EXPECT_TRUE(CanBeCut(metric, false, false)) << metric->name();
  for (const MetricPtr& metric : {SparseCategoricalAccuracy(), SparseTopKCategoricalAccuracy(2),
                                  AccuracyByShape(), SparseCategoricalCrossentropy()})
    EXPECT_TRUE(CanBeCut(metric, true, false)) << metric->name();
  for (const MetricPtr& metric : {BinaryAccuracy(), Recall(), AUC(), MeanIoU(3)})
    EXPECT_TRUE(CanBeCut(metric, false, true)) << metric->name();
}

TEST(MetricsTest, UpdatesInFunctionsEqualEagerOnes) {
  const auto traced = metrics::AUC(), eager = metrics::AUC();
  const Function update([&](const Tensor& t, const Tensor& p) {
    traced->Update(t, p);
    return traced->Result();
  });
  const Tensor t{0, 1, 1, 0}, p{.2f, .4f, .9f, .6f};
  for (int i = 0; i < 2; ++i) {
    eager->Update(t, p);
    EXPECT_EQ(update(t, p).scalar<float>(), eager->Result().scalar<float>());
  }
}

TEST(MetricsTest, RefuseNamesAndShapes) {
  try {
    metrics::Get("acuracy");
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kNotFound);
    EXPECT_TRUE(error.status().message().starts_with("[metrics] the name must be one of accuracy"));
    EXPECT_TRUE(error.status().message().ends_with("; got 'acuracy'"));
  }
  try {
    metrics::R2Score()->Update(Tensor{1, 2}, Tensor{1, 2});
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.status().message(),
              "[r2_score] y_true and y_pred must be [n, outputs]; got [2] and [2]");
  }
}

// Values of tf.keras.metrics.
TEST(Metrics, PrecisionAndRecallOfTheLargestAndOfOneClass) {
  const Tensor labels = Constant({{0, 1, 0}, {0, 0, 1}});
  const Tensor predictions = Constant({{0.2f, 0.3f, 0.5f}, {0.1f, 0.6f, 0.3f}});
  const auto value = [&](const MetricPtr& metric, const Tensor& weights = {}) {
    metric->Update(labels, predictions, weights);
    return metric->Result().ToVector<float>();
  };
  using Floats = std::vector<float>;
  EXPECT_EQ(value(metrics::Precision({.top_k = 2, .class_id = 1})), Floats{0.5f});
  EXPECT_EQ(value(metrics::Recall({.top_k = 1})), Floats{0});
  EXPECT_EQ(value(metrics::Recall({.top_k = 2})), Floats{1});
  EXPECT_EQ(value(metrics::Precision({.class_id = 1})), Floats{0});
  EXPECT_EQ(value(metrics::Precision({.thresholds = {0.2, 0.4}, .top_k = 2})), (Floats{0.5f, 0}));
  EXPECT_EQ(value(metrics::Precision({.top_k = 2, .class_id = 1}), Constant({3.0f, 1.0f})),
            Floats{0.75f});
  const auto message = [](const std::function<void()>& call) -> std::string {
    try {
      call();
      return "";
    } catch (const Error& error) {
      return error.status().message();
    }
  };
  EXPECT_EQ(message([&] { value(metrics::Precision({.class_id = 3})); }),
            "[precision] top_k and class_id must fit the predictions' last axis; got 3 for "
            "predictions of shape [2,3]");
  EXPECT_EQ(message([&] { value(metrics::Recall({.top_k = 4})); }),
            "[recall] top_k and class_id must fit the predictions' last axis; got 4 for "
            "predictions of shape [2,3]");
  EXPECT_EQ(message([] { metrics::Recall({.top_k = 0}); }),
            "[recall] top_k must be 1 or more and class_id 0 or more; got 0");
}

}  // namespace
}  // namespace lockstep
