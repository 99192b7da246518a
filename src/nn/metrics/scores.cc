// Metrics with sums of their own: R2, F-beta, mean intersection over union.

#include "lockstep/nn/metric.h"
#include "lockstep/ops/array.h"
#include "lockstep/ops/broadcast.h"
#include "lockstep/ops/comparison.h"
#include "lockstep/ops/linalg.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/reduce.h"
#include "lockstep/ops/structure.h"
#include "nn/loss_functions.h"

namespace lockstep::metrics {

namespace {

void RequireMatrices(const std::string& name, const Tensor& y_true, const Tensor& y_pred) {
  if (y_true.rank() == 2 && y_pred.rank() == 2 && y_true.shape()[1] == y_pred.shape()[1]) return;
  throw Error(Code::kInvalidArgument,
              "[" + name + "] y_true and y_pred must be [n, outputs]; got " +
                  y_true.shape().ToString() + " and " + y_pred.shape().ToString());
}

// Weights as a column, ones where there are none.
Tensor WeightColumn(const Tensor& sample_weight, const Tensor& like) {
  if (!sample_weight.defined()) return ReduceMean(OnesLike(like), -1, /*keep_dims=*/true);
  const Tensor weight = nn::InFloat32(sample_weight);
  return weight.rank() == 1 ? ExpandDims(weight, -1) : weight;
}

class R2Metric : public Metric {
 public:
  R2Metric(ClassAggregation aggregation, std::string name)
      : Metric(std::move(name)), aggregation_(aggregation) {}

  void Update(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight) override {
    const nn::Pair pair = nn::Align(y_true, nn::InFloat32(y_pred));
    RequireMatrices(name(), pair.y_true, pair.y_pred);
    if (!sum_.defined()) {
      const Shape shape{pair.y_pred.shape()[1]};
      squared_sum_ = AddState("squared_sum", shape);
      sum_ = AddState("sum", shape);
      total_error_ = AddState("residual", shape);
      count_ = AddState("count", shape);
    }
    const Tensor weight = BroadcastLike(WeightColumn(sample_weight, pair.y_pred), pair.y_pred);
    const Tensor weighted = pair.y_true * weight;
    sum_.AssignAdd(ReduceSum(weighted, 0));
    squared_sum_.AssignAdd(ReduceSum(pair.y_true * weighted, 0));
    total_error_.AssignAdd(ReduceSum(Square(pair.y_true - pair.y_pred) * weight, 0));
    count_.AssignAdd(ReduceSum(weight, 0));
  }

  Tensor Result() const override {
    if (!sum_.defined()) return Fill({}, Scalar(0.0f));
    const Tensor mean = sum_.value() / count_.value();
    const Tensor total = squared_sum_.value() - sum_.value() * mean;
    Tensor scores = 1.0 - total_error_.value() / total;
    scores = Where(IsInf(scores), ZerosLike(scores), scores);
    switch (aggregation_) {
      case ClassAggregation::kUniformAverage:
        return ReduceMean(scores);
      case ClassAggregation::kVarianceWeightedAverage:
        return ReduceSum(total * scores) / ReduceSum(total);
      case ClassAggregation::kNone:
        break;
    }
    return scores;
  }

 private:
  ClassAggregation aggregation_;
  Variable squared_sum_, sum_, total_error_, count_;
};

class FBetaMetric : public Metric {
 public:
  explicit FBetaMetric(const FBetaOptions& options) : Metric(options.name), options_(options) {
    if (!(options.beta > 0)) {
      throw Error(Code::kInvalidArgument, "[" + options.name + "] beta must be positive; got " +
                                              std::to_string(options.beta));
    }
  }

  void Update(const Tensor& given_true, const Tensor& given_pred,
              const Tensor& sample_weight) override {
    const Tensor y_true = nn::InFloat32(given_true);
    const Tensor y_pred = Positive(nn::InFloat32(given_pred));
    RequireMatrices(name(), y_true, y_pred);
    if (!true_positives_.defined()) {
      const Shape shape = Micro() ? Shape{} : Shape{y_pred.shape()[1]};
      true_positives_ = AddState("true_positives", shape);
      false_positives_ = AddState("false_positives", shape);
      false_negatives_ = AddState("false_negatives", shape);
      weights_ = AddState("intermediate_weights", shape);
    }
    const Tensor weight = WeightColumn(sample_weight, y_pred);
    const auto sum = [&](const Tensor& x) {
      return ReduceSum(x * weight, Micro() ? Axes() : Axes(0));
    };
    true_positives_.AssignAdd(sum(y_pred * y_true));
    false_positives_.AssignAdd(sum(y_pred * (1.0 - y_true)));
    false_negatives_.AssignAdd(sum((1.0 - y_pred) * y_true));
    weights_.AssignAdd(sum(y_true));
  }

  Tensor Result() const override {
    if (!true_positives_.defined()) return Fill({}, Scalar(0.0f));
    const Tensor tp = true_positives_.value();
    const Tensor precision = DivideNoNan(tp, tp + false_positives_.value());
    const Tensor recall = DivideNoNan(tp, tp + false_negatives_.value());
    const double square = options_.beta * options_.beta;
    const Tensor score =
        DivideNoNan(precision * recall, precision * square + recall) * (1 + square);
    switch (options_.average) {
      case Average::kWeighted:
        return ReduceSum(score * DivideNoNan(weights_.value(), ReduceSum(weights_.value())));
      case Average::kMacro:
        return ReduceMean(score);
      case Average::kMicro:
      case Average::kNone:
        break;
    }
    return score;
  }

 private:
  bool Micro() const { return options_.average == Average::kMicro; }
  Tensor Positive(const Tensor& y_pred) const {
    if (options_.threshold) return nn::InFloat32(Greater(y_pred, *options_.threshold));
    const Tensor largest = ReduceMax(y_pred, -1, /*keep_dims=*/true);
    return nn::InFloat32(LogicalAnd(GreaterEqual(y_pred, largest), Greater(Abs(y_pred), 1e-9)));
  }

  FBetaOptions options_;
  Variable true_positives_, false_positives_, false_negatives_, weights_;
};

class MeanIoUMetric : public Metric {
 public:
  MeanIoUMetric(int64_t num_classes, const MeanIoUOptions& options)
      : Metric(options.name), num_classes_(num_classes), options_(options) {
    if (num_classes < 1) {
      throw Error(Code::kInvalidArgument, "[" + options.name +
                                              "] num_classes must be positive; got " +
                                              std::to_string(num_classes));
    }
    confusion_ = AddState("total_confusion_matrix", {num_classes, num_classes});
  }

  void Update(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight) override {
    const Tensor labels = Classes(y_true, options_.sparse_y_true);
    Tensor hot = OneHot(labels, num_classes_);
    if (sample_weight.defined()) {
      const Tensor weight = nn::InFloat32(Cast(sample_weight, DType::kInt32));
      hot = hot * ExpandDims(Reshape(weight, {-1}), -1);
    }
    const Tensor predicted = OneHot(Classes(y_pred, options_.sparse_y_pred), num_classes_);
    confusion_.AssignAdd(MatMul(hot, predicted, /*transpose_a=*/true));
  }

  Tensor Result() const override {
    const Tensor confusion = confusion_.value();
    std::vector<int64_t> numbers(num_classes_);
    for (int64_t i = 0; i < num_classes_; ++i) numbers[i] = i;
    const Tensor diagonal = ReduceSum(confusion * OneHot(Constant(numbers), num_classes_), 1);
    const Tensor all = ReduceSum(confusion, 0) + ReduceSum(confusion, 1) - diagonal;
    const Tensor occurring = ReduceSum(nn::InFloat32(NotEqual(all, 0.0)));
    return DivideNoNan(ReduceSum(DivideNoNan(diagonal, all)), occurring);
  }

 private:
  static Tensor Classes(const Tensor& given, bool sparse) {
    const Tensor classes = sparse ? Cast(given, DType::kInt64) : ArgMax(given, -1);
    return classes.rank() == 1 ? classes : Reshape(classes, {-1});
  }

  int64_t num_classes_;
  MeanIoUOptions options_;
  Variable confusion_;
};

}  // namespace

MetricPtr R2Score(ClassAggregation aggregation, std::string name) {
  return std::make_shared<R2Metric>(aggregation, std::move(name));
}
MetricPtr FBetaScore(const FBetaOptions& options) { return std::make_shared<FBetaMetric>(options); }
MetricPtr F1Score(FBetaOptions options) {
  options.beta = 1;
  return FBetaScore(options);
}
MetricPtr MeanIoU(int64_t num_classes, const MeanIoUOptions& options) {
  return std::make_shared<MeanIoUMetric>(num_classes, options);
}

}  // namespace lockstep::metrics
