// Counts of right and wrong predictions above thresholds, and what is made of them.

#include "nn/metrics/confusion.h"

#include <algorithm>

#include "lockstep/ops/array.h"
#include "lockstep/ops/broadcast.h"
#include "lockstep/ops/comparison.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/reduce.h"
#include "lockstep/ops/structure.h"
#include "nn/loss_functions.h"

namespace lockstep::metrics {

Elements Flatten(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight) {
  const nn::Pair pair = nn::Align(y_true, nn::InFloat32(y_pred));
  const Tensor positive = nn::InFloat32(Cast(pair.y_true, DType::kBool));
  Tensor weight;
  if (sample_weight.defined()) {
    weight = nn::AlignRanks(pair.y_pred, nn::InFloat32(sample_weight)).y_pred;
    while (weight.rank() < positive.rank()) weight = ExpandDims(weight, -1);
    weight = BroadcastLike(weight, positive);
  } else {
    weight = OnesLike(positive);
  }
  return {Reshape(positive, {-1}), Reshape(pair.y_pred, {-1}), Reshape(weight, {-1})};
}

Counts CountAbove(const Elements& elements, const Tensor& above) {
  const Tensor weighted_positive = ExpandDims(elements.positive * elements.weight, -1);
  const Tensor weighted_negative = ExpandDims((1.0 - elements.positive) * elements.weight, -1);
  const Tensor below = 1.0 - above;
  return {ReduceSum(above * weighted_positive, 0), ReduceSum(above * weighted_negative, 0),
          ReduceSum(below * weighted_positive, 0), ReduceSum(below * weighted_negative, 0)};
}

namespace {

enum class Figure {
  kPrecision,
  kRecall,
  kTruePositives,
  kTrueNegatives,
  kFalsePositives,
  kFalseNegatives
};

// Below all predictions that may be positive, and what the others become. Source: Keras NEG_INF.
constexpr float kLowest = -1e10f;

class CountsMetric : public Metric {
 public:
  CountsMetric(Figure figure, const PositivesOptions& options)
      : Metric(options.name), figure_(figure), top_k_(options.top_k), class_id_(options.class_id) {
    if (options.thresholds.empty()) thresholds_ = {top_k_ ? kLowest : 0.5f};
    if (top_k_.value_or(1) < 1 || class_id_.value_or(0) < 0) {
      throw Error(Code::kInvalidArgument,
                  "[" + this->name() + "] top_k must be 1 or more and class_id 0 or more; got " +
                      std::to_string(top_k_.value_or(1) < 1 ? *top_k_ : *class_id_));
    }
    for (const double threshold : options.thresholds) {
      if (!(threshold >= 0 && threshold <= 1)) {
        throw Error(Code::kInvalidArgument, "[" + this->name() +
                                                "] a threshold must lie in [0, 1]; got " +
                                                std::to_string(threshold));
      }
      thresholds_.push_back(static_cast<float>(threshold));
    }
    const Shape shape{static_cast<int64_t>(thresholds_.size())};
    first_ = AddState(FirstName(), shape);
    if (figure_ == Figure::kPrecision) second_ = AddState("false_positives", shape);
    if (figure_ == Figure::kRecall) second_ = AddState("false_negatives", shape);
  }

  void Update(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight) override {
    const Elements elements = top_k_ || class_id_ ? Chosen(y_true, y_pred, sample_weight)
                                                  : Flatten(y_true, y_pred, sample_weight);
    const Tensor thresholds = Constant(thresholds_, {1, static_cast<int64_t>(thresholds_.size())});
    const Tensor above = nn::InFloat32(Greater(ExpandDims(elements.y_pred, -1), thresholds));
    const Counts counts = CountAbove(elements, above);
    switch (figure_) {
      case Figure::kPrecision:
        second_.AssignAdd(counts.false_positives);
        break;
      case Figure::kRecall:
        second_.AssignAdd(counts.false_negatives);
        break;
      default:
        break;
    }
    first_.AssignAdd(First(counts));
  }

  Tensor Result() const override {
    const Tensor first = first_.value();
    const Tensor result = second_.defined() ? DivideNoNan(first, first + second_.value()) : first;
    return thresholds_.size() == 1 ? Squeeze(result, {0}) : result;
  }

 private:
  // What may be positive of the classes that count.
  Elements Chosen(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight) const {
    const nn::Pair pair = nn::Align(y_true, nn::InFloat32(y_pred));
    const int64_t classes = pair.y_pred.rank() == 0 ? 1 : pair.y_pred.shape().dim(-1);
    const int64_t last = std::max(top_k_.value_or(1), class_id_.value_or(0) + 1);
    if (pair.y_pred.rank() == 0 || (classes >= 0 && last > classes)) {
      throw Error(Code::kInvalidArgument,
                  "[" + name() + "] top_k and class_id must fit the predictions' last axis; got " +
                      std::to_string(last == top_k_.value_or(0) ? last : *class_id_) +
                      " for predictions of shape " + y_pred.shape().ToString());
    }
    Tensor of_classes = pair.y_pred;
    if (top_k_) {
      const Tensor top = OneHot(TopK(of_classes, *top_k_).indices, classes);
      const Tensor may = ReduceSum(top, -2);
      of_classes = of_classes * may + kLowest * (1.0 - may);
    }
    if (!class_id_) return Flatten(pair.y_true, of_classes, sample_weight);
    return Flatten(Gather(pair.y_true, *class_id_, {.axis = -1}),
                   Gather(of_classes, *class_id_, {.axis = -1}), sample_weight);
  }

  const char* FirstName() const {
    switch (figure_) {
      case Figure::kTrueNegatives:
        return "true_negatives";
      case Figure::kFalsePositives:
        return "false_positives";
      case Figure::kFalseNegatives:
        return "false_negatives";
      default:
        return "true_positives";
    }
  }
  const Tensor& First(const Counts& counts) const {
    switch (figure_) {
      case Figure::kTrueNegatives:
        return counts.true_negatives;
      case Figure::kFalsePositives:
        return counts.false_positives;
      case Figure::kFalseNegatives:
        return counts.false_negatives;
      default:
        return counts.true_positives;
    }
  }

  Figure figure_;
  std::optional<int64_t> top_k_, class_id_;
  std::vector<float> thresholds_;
  Variable first_;
  Variable second_;
};

MetricPtr Make(Figure figure, PositivesOptions options, const char* name) {
  if (options.name.empty()) options.name = name;
  return std::make_shared<CountsMetric>(figure, options);
}

MetricPtr Make(Figure figure, std::vector<double>&& thresholds, std::string&& name) {
  return Make(figure, {.thresholds = std::move(thresholds), .name = std::move(name)}, "");
}

}  // namespace

MetricPtr Precision(const PositivesOptions& options) {
  return Make(Figure::kPrecision, options, "precision");
}
MetricPtr Recall(const PositivesOptions& options) {
  return Make(Figure::kRecall, options, "recall");
}

MetricPtr TruePositives(std::vector<double> thresholds, std::string name) {
  return Make(Figure::kTruePositives, std::move(thresholds), std::move(name));
}
MetricPtr TrueNegatives(std::vector<double> thresholds, std::string name) {
  return Make(Figure::kTrueNegatives, std::move(thresholds), std::move(name));
}
MetricPtr FalsePositives(std::vector<double> thresholds, std::string name) {
  return Make(Figure::kFalsePositives, std::move(thresholds), std::move(name));
}
MetricPtr FalseNegatives(std::vector<double> thresholds, std::string name) {
  return Make(Figure::kFalseNegatives, std::move(thresholds), std::move(name));
}

}  // namespace lockstep::metrics
