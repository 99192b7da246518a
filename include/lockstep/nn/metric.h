#pragma once

#include <concepts>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "lockstep/runtime/variable.h"
#include "lockstep/tensor/tensor.h"

namespace lockstep {

/// A figure gathered over batches in variables. Updates are ops, eager or in a graph; sums over
/// examples go through the canonical tree, so the result does not know of replicas and devices.
/// Source: keras.metrics.Metric.
class Metric {
 public:
  explicit Metric(std::string name) : name_(std::move(name)) {}
  virtual ~Metric() = default;

  const std::string& name() const { return name_; }
  /// Takes a batch in. Shapes: axis 0 holds the examples; `sample_weight` [n] where defined.
  virtual void Update(const Tensor& y_true, const Tensor& y_pred,
                      const Tensor& sample_weight = {}) = 0;
  /// The same for the logits behind `y_pred`, as `Loss::OfLogits`. false, and nothing is done,
  /// where the metric has no such form.
  virtual bool UpdateOfLogits(const Tensor& y_true, const Tensor& logits,
                              const Tensor& sample_weight = {}) {
    return false;
  }
  /// The figure now; float32.
  virtual Tensor Result() const = 0;
  /// Sets the state back to its first value.
  void Reset();
  const std::vector<Variable>& variables() const { return variables_; }

 protected:
  Variable AddState(const std::string& name, const Shape& shape = {},
                    DType dtype = DType::kFloat32);

 private:
  std::string name_;
  std::vector<Variable> variables_;
};
using MetricPtr = std::shared_ptr<Metric>;

namespace metrics {
/// The weighted mean of values. Source: keras.metrics.Mean.
class Mean : public Metric {
 public:
  explicit Mean(std::string name = "mean");
  /// Adds sum(values * weight) and sum(weight). Values with more axes than the weights (or than
  /// one) are averaged over those first; a scalar counts as one value.
  void UpdateValues(const Tensor& values, const Tensor& sample_weight = {});
  void Update(const Tensor& y_true, const Tensor& y_pred,
              const Tensor& sample_weight = {}) override;
  Tensor Result() const override;
  const Variable& total() const { return total_; }
  const Variable& count() const { return count_; }

 private:
  Variable total_;
  Variable count_;
};
/// The weighted sum of values. Source: keras.metrics.Sum.
class Sum : public Metric {
 public:
  explicit Sum(std::string name = "sum");
  void UpdateValues(const Tensor& values, const Tensor& sample_weight = {});
  void Update(const Tensor& y_true, const Tensor& y_pred,
              const Tensor& sample_weight = {}) override;
  Tensor Result() const override;

 private:
  Variable total_;
};
/// The mean of a function of (y_true, y_pred) with a value (or several) for each example. Source:
/// keras.metrics.MeanMetricWrapper.
MetricPtr FromFunction(const std::string& name,
                       std::function<Tensor(const Tensor&, const Tensor&)> function);

// How often predictions are right. Source: the Keras metrics of the same names.

/// How often y_pred equals y_true.
MetricPtr Accuracy(std::string name = "accuracy");
/// How often y_pred > threshold agrees with y_true.
MetricPtr BinaryAccuracy(std::string name = "binary_accuracy", double threshold = 0.5);
struct BinaryAccuracyOptions {
  double threshold = 0.5;
  std::string name = "binary_accuracy";
};
inline MetricPtr BinaryAccuracy(const BinaryAccuracyOptions& options) {
  return BinaryAccuracy(options.name, options.threshold);
}
/// How often the largest prediction is at the largest of y_true. Shapes: both [n, classes].
MetricPtr CategoricalAccuracy(std::string name = "categorical_accuracy");
/// How often the largest prediction is at the label. Shapes: labels [n] or [n, 1].
MetricPtr SparseCategoricalAccuracy(std::string name = "sparse_categorical_accuracy");
/// How often fewer than k predictions are larger than the right class's.
MetricPtr TopKCategoricalAccuracy(int64_t k = 5, std::string name = "top_k_categorical_accuracy");
MetricPtr SparseTopKCategoricalAccuracy(int64_t k = 5,
                                        std::string name = "sparse_top_k_categorical_accuracy");
/// The binary, sparse or categorical accuracy, as the shapes of the first batch tell: one
/// prediction an example; labels without classes; both with classes. Source: Keras's "accuracy".
MetricPtr AccuracyByShape(std::string name = "accuracy");

// Of predictions in [0, 1] above thresholds (0.5 where none are given). Labels are 0 or 1. The
// result is a scalar for one threshold, else [thresholds]; 0 where nothing counts.

struct PositivesOptions {
  std::vector<double> thresholds = {};
  /// Only the so many largest predictions of the last axis may be positive; each of them is,
  /// where no threshold is given.
  std::optional<int64_t> top_k = {};
  /// Only this class of the last axis counts.
  std::optional<int64_t> class_id = {};
  std::string name = {};  // Keras's where empty
};
/// Errors: InvalidArgument for a class_id or a top_k that is not of the last axis. Source:
/// keras.metrics.Precision, Recall.
MetricPtr Precision(const PositivesOptions& options = {});
MetricPtr Recall(const PositivesOptions& options = {});
MetricPtr TruePositives(std::vector<double> thresholds = {}, std::string name = "true_positives");
MetricPtr TrueNegatives(std::vector<double> thresholds = {}, std::string name = "true_negatives");
MetricPtr FalsePositives(std::vector<double> thresholds = {}, std::string name = "false_positives");
MetricPtr FalseNegatives(std::vector<double> thresholds = {}, std::string name = "false_negatives");
// Thresholds alone, or one of them, as Keras takes them first.
template <std::same_as<std::vector<double>> T>
MetricPtr Precision(T thresholds, std::string name = {}) {
  return Precision(PositivesOptions{.thresholds = std::move(thresholds), .name = std::move(name)});
}
template <std::floating_point T>
MetricPtr Precision(std::initializer_list<T> thresholds, std::string name = {}) {
  return Precision(std::vector<double>(thresholds.begin(), thresholds.end()), std::move(name));
}
template <std::floating_point T>
MetricPtr Precision(T threshold, std::string name = {}) {
  return Precision({threshold}, std::move(name));
}
template <std::same_as<std::vector<double>> T>
MetricPtr Recall(T thresholds, std::string name = {}) {
  return Recall(PositivesOptions{.thresholds = std::move(thresholds), .name = std::move(name)});
}
template <std::floating_point T>
MetricPtr Recall(std::initializer_list<T> thresholds, std::string name = {}) {
  return Recall(std::vector<double>(thresholds.begin(), thresholds.end()), std::move(name));
}
template <std::floating_point T>
MetricPtr Recall(T threshold, std::string name = {}) {
  return Recall({threshold}, std::move(name));
}

enum class Curve { kRoc, kPrecisionRecall };
enum class Summation { kInterpolation, kMinoring, kMajoring };
struct AucOptions {
  int64_t num_thresholds = 200;
  Curve curve = Curve::kRoc;
  Summation summation = Summation::kInterpolation;
  std::string name = "auc";
};
/// The area under a curve, by sums over evenly spread thresholds. Source: keras.metrics.AUC.
MetricPtr AUC(const AucOptions& options = {});

// Means of errors and likenesses over the last axis. Source: the Keras metrics of the same names.

MetricPtr MeanSquaredError(std::string name = "mean_squared_error");
MetricPtr RootMeanSquaredError(std::string name = "root_mean_squared_error");
MetricPtr MeanAbsoluteError(std::string name = "mean_absolute_error");
MetricPtr MeanAbsolutePercentageError(std::string name = "mean_absolute_percentage_error");
MetricPtr MeanSquaredLogarithmicError(std::string name = "mean_squared_logarithmic_error");
MetricPtr LogCoshError(std::string name = "logcosh");
/// The mean of the products of unit vectors: no minus sign, unlike the loss.
MetricPtr CosineSimilarity(std::string name = "cosine_similarity", int axis = -1);
MetricPtr KLDivergence(std::string name = "kl_divergence");
MetricPtr Poisson(std::string name = "poisson");
MetricPtr Hinge(std::string name = "hinge");
MetricPtr SquaredHinge(std::string name = "squared_hinge");
MetricPtr CategoricalHinge(std::string name = "categorical_hinge");
struct CrossentropyOptions {
  std::string name = {};  // Keras's where empty
  bool from_logits = false;
  double label_smoothing = 0;
};
struct SparseCrossentropyOptions {
  std::string name = {};  // Keras's where empty
  bool from_logits = false;
};
MetricPtr BinaryCrossentropy(const CrossentropyOptions& options = {});
template <std::convertible_to<std::string> T>
MetricPtr BinaryCrossentropy(T name, bool from_logits = false, double label_smoothing = 0) {
  return BinaryCrossentropy(CrossentropyOptions{std::move(name), from_logits, label_smoothing});
}
MetricPtr CategoricalCrossentropy(const CrossentropyOptions& options = {});
template <std::convertible_to<std::string> T>
MetricPtr CategoricalCrossentropy(T name, bool from_logits = false, double label_smoothing = 0) {
  return CategoricalCrossentropy(
      CrossentropyOptions{std::move(name), from_logits, label_smoothing});
}
MetricPtr SparseCategoricalCrossentropy(const SparseCrossentropyOptions& options = {});
template <std::convertible_to<std::string> T>
MetricPtr SparseCategoricalCrossentropy(T name, bool from_logits = false) {
  return SparseCategoricalCrossentropy(SparseCrossentropyOptions{std::move(name), from_logits});
}

enum class ClassAggregation { kUniformAverage, kVarianceWeightedAverage, kNone };
/// 1 - sum (t - p)^2 / sum (t - mean t)^2. Shapes: [n, outputs]. Source: keras.metrics.R2Score.
MetricPtr R2Score(ClassAggregation aggregation = ClassAggregation::kUniformAverage,
                  std::string name = "r2_score");

enum class Average { kNone, kMicro, kMacro, kWeighted };
struct FBetaOptions {
  Average average = Average::kNone;
  double beta = 1;
  /// Predictions above it are positive; the largest one of a row where not given.
  std::optional<double> threshold = {};
  std::string name = "fbeta_score";
};
/// (1 + beta^2) precision recall / (beta^2 precision + recall), a value a class or their average.
/// Shapes: [n, classes]. Source: keras.metrics.FBetaScore.
MetricPtr FBetaScore(const FBetaOptions& options = {});
/// FBetaScore with beta 1.
MetricPtr F1Score(FBetaOptions options = {.name = "f1_score"});

struct MeanIoUOptions {
  /// Whether labels and predictions are class numbers; else the largest of the last axis counts.
  bool sparse_y_true = true;
  bool sparse_y_pred = true;
  std::string name = "mean_io_u";
};
/// The mean over classes of right / (predicted + true - right), classes that never occur left out.
/// Weights lose their fraction, as in Keras. Source: keras.metrics.MeanIoU.
MetricPtr MeanIoU(int64_t num_classes, const MeanIoUOptions& options = {});

/// The metric with Keras's name for it ("accuracy", "acc", "mse", "AUC", ...), which it keeps as
/// its own. NotFound, with all names, for another one.
MetricPtr Get(const std::string& name);
}  // namespace metrics

}  // namespace lockstep
