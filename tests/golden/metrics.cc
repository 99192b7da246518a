#include "case.h"
#include "lockstep/nn/metric.h"

namespace golden {
namespace {

using lockstep::MetricPtr;
using lockstep::Tensor;
namespace metrics = lockstep::metrics;

std::vector<double> Thresholds(const Case& golden) {
  if (!golden.HasParam("thresholds")) return {};
  const Json& value = golden.Value("thresholds");
  return value.is_number() ? std::vector<double>{value.get<double>()}
                           : value.get<std::vector<double>>();
}

Tensor Optional(const Case& golden, const std::string& name) {
  return golden.HasInput(name) ? golden.Input(name) : Tensor();
}

// Update with each batch; then again from the start with weights.
Handler Metric(const std::function<MetricPtr(const Case&)>& make) {
  return [make](const Case& golden, Produced& produced) {
    const MetricPtr metric = make(golden);
    const auto update = [&](const std::string& batch, bool weighted) {
      metric->Update(golden.Input("y_true" + batch), golden.Input("y_pred" + batch),
                     weighted ? Optional(golden, "sw" + batch) : Tensor());
    };
    update("0", false);
    produced["after1"] = metric->Result();
    update("1", false);
    produced["after2"] = metric->Result();
    metric->Reset();
    produced["reset"] = metric->Result();
    update("0", true);
    update("1", true);
    produced["weighted"] = metric->Result();
  };
}

Handler Plain(MetricPtr (*make)(std::string)) {
  return Metric([make](const Case&) { return make("metric"); });
}

MetricPtr Auc(const Case& golden) {
  metrics::AucOptions options{.num_thresholds = golden.Param<int64_t>("num_thresholds", 200)};
  if (golden.Param<std::string>("curve", "ROC") == "PR")
    options.curve = metrics::Curve::kPrecisionRecall;
  const auto summation = golden.Param<std::string>("summation_method", "interpolation");
  if (summation == "minoring") options.summation = metrics::Summation::kMinoring;
  if (summation == "majoring") options.summation = metrics::Summation::kMajoring;
  return metrics::AUC(options);
}

MetricPtr FBeta(const Case& golden) {
  metrics::FBetaOptions options{.beta = golden.Param("beta", 1.0)};
  const auto average = golden.Param<std::string>("average", "none");
  options.average = average == "micro"      ? metrics::Average::kMicro
                    : average == "macro"    ? metrics::Average::kMacro
                    : average == "weighted" ? metrics::Average::kWeighted
                                            : metrics::Average::kNone;
  if (golden.HasParam("threshold")) options.threshold = golden.Param("threshold", 0.5);
  return metrics::FBetaScore(options);
}

// Whether `input` holds class numbers. Where no parameter says so: all but floating numbers with an
// axis of classes, whose largest counts.
bool Sparse(const Case& golden, const std::string& param, const std::string& input) {
  const Tensor values = golden.Input(input);
  const bool scores = lockstep::IsFloating(values.dtype()) && values.rank() > 1;
  return golden.Param(param, !scores);
}

MetricPtr MeanIoU(const Case& golden) {
  return metrics::MeanIoU(golden.Get<int64_t>("num_classes"),
                          {.sparse_y_true = Sparse(golden, "sparse_y_true", "y_true0"),
                           .sparse_y_pred = Sparse(golden, "sparse_y_pred", "y_pred0")});
}

void MeanSequence(const Case& golden, Produced& produced) {
  metrics::Mean mean;
  mean.UpdateValues(ReadNested(golden.Value("first_update")));
  produced["first"] = mean.Result();
  mean.UpdateValues(ReadNested(golden.Value("second_update")),
                    ReadNested(golden.Value("second_sample_weight")));
  produced["second"] = mean.Result();
  produced["total"] = mean.total().value();
  produced["count"] = mean.count().value();
}

bool FromLogits(const Case& golden) { return golden.Param("from_logits", false); }
double Smoothing(const Case& golden) { return golden.Param("label_smoothing", 0.0); }

MetricPtr R2(const Case& golden) {
  if (!golden.MentionsParam("class_aggregation")) return metrics::R2Score();
  const auto name = golden.Param<std::string>("class_aggregation", "none");
  return metrics::R2Score(name == "uniform_average" ? metrics::ClassAggregation::kUniformAverage
                          : name == "none"          ? metrics::ClassAggregation::kNone
                                           : metrics::ClassAggregation::kVarianceWeightedAverage);
}

template <MetricPtr (*Make)(std::vector<double>, std::string)>
Handler Confusion() {
  return Metric([](const Case& c) { return Make(Thresholds(c), "metric"); });
}

const RegisterGroup kMetrics(
    "metrics", {
                   {"metric_Accuracy", Plain(metrics::Accuracy)},
                   {"metric_SparseCategoricalAccuracy", Plain(metrics::SparseCategoricalAccuracy)},
                   {"metric_CategoricalAccuracy", Plain(metrics::CategoricalAccuracy)},
                   {"metric_BinaryAccuracy", Metric([](const Case& c) {
                      return metrics::BinaryAccuracy("metric", c.Param("threshold", 0.5));
                    })},
                   {"metric_TopK", Metric([](const Case& c) {
                      return metrics::TopKCategoricalAccuracy(c.Param<int64_t>("k", 5));
                    })},
                   {"metric_SparseTopK", Metric([](const Case& c) {
                      return metrics::SparseTopKCategoricalAccuracy(c.Param<int64_t>("k", 5));
                    })},
                   {"metric_Precision", Confusion<[](std::vector<double> above, std::string name) {
                      return metrics::Precision(std::move(above), std::move(name));
                    }>()},
                   {"metric_Recall", Confusion<[](std::vector<double> above, std::string name) {
                      return metrics::Recall(std::move(above), std::move(name));
                    }>()},
                   {"metric_TruePositives", Confusion<metrics::TruePositives>()},
                   {"metric_TrueNegatives", Confusion<metrics::TrueNegatives>()},
                   {"metric_FalsePositives", Confusion<metrics::FalsePositives>()},
                   {"metric_FalseNegatives", Confusion<metrics::FalseNegatives>()},
                   {"metric_AUC", Metric(Auc)},
                   {"metric_MSE", Plain(metrics::MeanSquaredError)},
                   {"metric_RMSE", Plain(metrics::RootMeanSquaredError)},
                   {"metric_MAE", Plain(metrics::MeanAbsoluteError)},
                   {"metric_CosineSimilarity", Metric([](const Case& c) {
                      return metrics::CosineSimilarity("metric", c.Param("axis", -1));
                    })},
                   {"metric_MAPE", Plain(metrics::MeanAbsolutePercentageError)},
                   {"metric_MSLE", Plain(metrics::MeanSquaredLogarithmicError)},
                   {"metric_LogCosh", Plain(metrics::LogCoshError)},
                   {"metric_Hinge", Plain(metrics::Hinge)},
                   {"metric_SquaredHinge", Plain(metrics::SquaredHinge)},
                   {"metric_CategoricalHinge", Plain(metrics::CategoricalHinge)},
                   {"metric_BinaryCrossentropy", Metric([](const Case& c) {
                      return metrics::BinaryCrossentropy("metric", FromLogits(c), Smoothing(c));
                    })},
                   {"metric_CategoricalCrossentropy", Metric([](const Case& c) {
                      return metrics::CategoricalCrossentropy("metric", FromLogits(c),
                                                              Smoothing(c));
                    })},
                   {"metric_SparseCategoricalCrossentropy", Metric([](const Case& c) {
                      return metrics::SparseCategoricalCrossentropy("metric", FromLogits(c));
                    })},
                   {"metric_R2", Metric(R2)},
                   {"metric_KLD", Plain(metrics::KLDivergence)},
                   {"metric_Poisson", Plain(metrics::Poisson)},
                   {"metric_F1", Metric(FBeta)},
                   {"metric_FBeta", Metric(FBeta)},
                   {"metric_MeanIoU", Metric(MeanIoU)},
                   {"metric_Mean_sequence", MeanSequence},
               });

}  // namespace
}  // namespace golden
