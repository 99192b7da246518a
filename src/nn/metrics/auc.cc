// The area under the curve of a classifier, from counts at evenly spread thresholds.

#include "lockstep/ops/activation.h"
#include "lockstep/ops/array.h"
#include "lockstep/ops/broadcast.h"
#include "lockstep/ops/clip.h"
#include "lockstep/ops/comparison.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/reduce.h"
#include "nn/metrics/confusion.h"

namespace lockstep::metrics {

namespace {

// All but the last and all but the first of the thresholds.
Tensor Head(const Tensor& x) { return Slice(x, {0}, {x.shape()[0] - 1}); }
Tensor Tail(const Tensor& x) { return Slice(x, {1}, {x.shape()[0] - 1}); }

class AucMetric : public Metric {
 public:
  explicit AucMetric(const AucOptions& options) : Metric(options.name), options_(options) {
    if (options.num_thresholds < 2) {
      throw Error(Code::kInvalidArgument, "[auc] num_thresholds must be at least 2; got " +
                                              std::to_string(options.num_thresholds));
    }
    const Shape shape{options.num_thresholds};
    true_positives_ = AddState("true_positives", shape);
    false_positives_ = AddState("false_positives", shape);
    true_negatives_ = AddState("true_negatives", shape);
    false_negatives_ = AddState("false_negatives", shape);
  }

  // A prediction p lies above the thresholds 0, ..., ceil(p (n - 1)) - 1, and above the first in
  // any case, as that lies below 0.
  void Update(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight) override {
    const Elements elements = Flatten(y_true, y_pred, sample_weight);
    const Tensor clipped = ClipByValue(elements.y_pred, 0.0, 1.0);
    const Tensor scaled = clipped * static_cast<double>(options_.num_thresholds - 1);
    const Tensor bucket = Relu(Ceil(scaled) - 1.0);
    std::vector<float> numbers(options_.num_thresholds);
    for (size_t i = 0; i < numbers.size(); ++i) numbers[i] = static_cast<float>(i);
    const Tensor thresholds = Constant(numbers, {1, options_.num_thresholds});
    const Counts counts = CountAbove(
        elements, Cast(GreaterEqual(ExpandDims(bucket, -1), thresholds), DType::kFloat32));
    true_positives_.AssignAdd(counts.true_positives);
    false_positives_.AssignAdd(counts.false_positives);
    true_negatives_.AssignAdd(counts.true_negatives);
    false_negatives_.AssignAdd(counts.false_negatives);
  }

  Tensor Result() const override {
    const bool precision_recall = options_.curve == Curve::kPrecisionRecall;
    if (precision_recall && options_.summation == Summation::kInterpolation) return Interpolated();
    const Tensor tp = true_positives_.value(), fp = false_positives_.value();
    const Tensor recall = DivideNoNan(tp, tp + false_negatives_.value());
    const Tensor x = precision_recall ? recall : DivideNoNan(fp, fp + true_negatives_.value());
    const Tensor y = precision_recall ? DivideNoNan(tp, tp + fp) : recall;
    return ReduceSum((Head(x) - Tail(x)) * Heights(Head(y), Tail(y)));
  }

 private:
  Tensor Heights(const Tensor& left, const Tensor& right) const {
    switch (options_.summation) {
      case Summation::kMinoring:
        return Minimum(left, right);
      case Summation::kMajoring:
        return Maximum(left, right);
      case Summation::kInterpolation:
        break;
    }
    return (left + right) * 0.5;
  }

  // True positives linear in all positives between thresholds. Source: Davis & Goadrich 2006.
  Tensor Interpolated() const {
    const Tensor tp = true_positives_.value();
    const Tensor p = tp + false_positives_.value();
    const Tensor dtp = Head(tp) - Tail(tp);
    const Tensor slope = DivideNoNan(dtp, Maximum(Head(p) - Tail(p), 0.0));
    const Tensor intercept = Tail(tp) - slope * Tail(p);
    const Tensor both = LogicalAnd(Greater(Head(p), 0.0), Greater(Tail(p), 0.0));
    const Tensor ratio =
        Where(both, DivideNoNan(Head(p), Maximum(Tail(p), 0.0)), OnesLike(Tail(p)));
    const Tensor all = Maximum(Tail(tp) + Tail(false_negatives_.value()), 0.0);
    return ReduceSum(DivideNoNan(slope * (dtp + intercept * Log(ratio)), all));
  }

  AucOptions options_;
  Variable true_positives_, false_positives_, true_negatives_, false_negatives_;
};

}  // namespace

MetricPtr AUC(const AucOptions& options) { return std::make_shared<AucMetric>(options); }

}  // namespace lockstep::metrics
