#include "lockstep/nn/metric.h"
#include "nn/known_names.h"

namespace lockstep::metrics {

namespace {

struct Named {
  std::vector<std::string> names;
  MetricPtr (*make)(std::string name);
};

template <MetricPtr (*kMake)(std::string)>
MetricPtr Plain(std::string name) {
  return kMake(std::move(name));
}

const std::vector<Named>& AllNames() {
  using Name = std::string;
  static const std::vector<Named> all{
      {{"accuracy", "acc"}, Plain<AccuracyByShape>},
      {{"binary_accuracy", "BinaryAccuracy"}, [](Name n) { return BinaryAccuracy(n); }},
      {{"categorical_accuracy", "CategoricalAccuracy"}, Plain<CategoricalAccuracy>},
      {{"sparse_categorical_accuracy", "SparseCategoricalAccuracy"},
       Plain<SparseCategoricalAccuracy>},
      {{"top_k_categorical_accuracy", "TopKCategoricalAccuracy"},
       [](Name n) { return TopKCategoricalAccuracy(5, n); }},
      {{"sparse_top_k_categorical_accuracy", "SparseTopKCategoricalAccuracy"},
       [](Name n) { return SparseTopKCategoricalAccuracy(5, n); }},
      {{"precision", "Precision"}, [](Name n) { return Precision({.name = n}); }},
      {{"recall", "Recall"}, [](Name n) { return Recall({.name = n}); }},
      {{"auc", "AUC"}, [](Name n) { return AUC({.name = n}); }},
      {{"mean_squared_error", "MeanSquaredError", "mse", "MSE"}, Plain<MeanSquaredError>},
      {{"root_mean_squared_error", "RootMeanSquaredError"}, Plain<RootMeanSquaredError>},
      {{"mean_absolute_error", "MeanAbsoluteError", "mae", "MAE"}, Plain<MeanAbsoluteError>},
      {{"mean_absolute_percentage_error", "MeanAbsolutePercentageError", "mape", "MAPE"},
       Plain<MeanAbsolutePercentageError>},
      {{"mean_squared_logarithmic_error", "MeanSquaredLogarithmicError", "msle", "MSLE"},
       Plain<MeanSquaredLogarithmicError>},
      {{"logcosh", "LogCoshError"}, Plain<LogCoshError>},
      {{"cosine_similarity", "CosineSimilarity"}, [](Name n) { return CosineSimilarity(n); }},
      {{"kl_divergence", "KLDivergence", "kld", "KLD"}, Plain<KLDivergence>},
      {{"poisson", "Poisson"}, Plain<Poisson>},
      {{"hinge", "Hinge"}, Plain<Hinge>},
      {{"squared_hinge", "SquaredHinge"}, Plain<SquaredHinge>},
      {{"categorical_hinge", "CategoricalHinge"}, Plain<CategoricalHinge>},
      {{"binary_crossentropy", "BinaryCrossentropy", "bce", "BCE"},
       [](Name n) { return BinaryCrossentropy(n); }},
      {{"categorical_crossentropy", "CategoricalCrossentropy"},
       [](Name n) { return CategoricalCrossentropy(n); }},
      {{"sparse_categorical_crossentropy", "SparseCategoricalCrossentropy"},
       [](Name n) { return SparseCategoricalCrossentropy(n); }},
      {{"r2_score", "R2Score"},
       [](Name n) { return R2Score(ClassAggregation::kUniformAverage, n); }},
      {{"f1_score", "F1Score"}, [](Name n) { return F1Score({.name = n}); }},
  };
  return all;
}

}  // namespace

MetricPtr Get(const std::string& name) {
  std::vector<std::string> known;
  for (const Named& named : AllNames()) {
    for (const std::string& alias : named.names) {
      if (alias == name) return named.make(name);
    }
    known.push_back(named.names.front());
  }
  nn::RefuseName("metrics", name, known);
}

}  // namespace lockstep::metrics
