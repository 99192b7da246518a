#include "lockstep/nn/loss.h"

#include "lockstep/distribute/strategy.h"
#include "lockstep/ops/array.h"
#include "lockstep/ops/broadcast.h"
#include "lockstep/ops/comparison.h"
#include "lockstep/ops/math.h"
#include "runtime/autocast.h"

namespace lockstep {

namespace {

// Axes of size 1 behind, so that weights of examples meet values with inner axes.
Tensor WithRank(const Tensor& weight, const Tensor& values) {
  Tensor result = weight.dtype() == values.dtype() ? weight : Cast(weight, values.dtype());
  if (result.rank() == values.rank() + 1 && result.shape().dim(-1) == 1)
    return Squeeze(result, {-1});
  while (result.rank() > 0 && result.rank() < values.rank()) result = ExpandDims(result, -1);
  return result;
}

// As Keras fits values to weights: without their last axis where that is of size 1 and weights lack
// it, so that one value with one weight for all is a value of the whole batch.
Tensor ForWeights(const Tensor& values, const Tensor& weight) {
  const bool longer = weight.defined() && weight.rank() != 1 &&
                      values.rank() == weight.rank() + 1 && values.shape().dim(-1) == 1;
  return longer ? Squeeze(values, {-1}) : values;
}

}  // namespace

Tensor Loss::Weights(const Tensor& values, const Tensor& sample_weight, const Tensor& mask) const {
  Tensor weight = sample_weight.defined() ? WithRank(sample_weight, values) : Tensor();
  if (!mask.defined()) return weight;
  Tensor valid = WithRank(mask, values);
  if (reduction_ == Reduction::kSumOverBatchSize) {
    valid = valid * DivideNoNan(ReduceSum(OnesLike(valid)), ReduceSum(valid));
  }
  return weight.defined() ? weight * valid : valid;
}

Tensor Loss::Reduce(const Tensor& values, const Tensor& sample_weight, const Tensor& mask) const {
  const Tensor fitted = ForWeights(values, sample_weight);
  const Tensor weight = Weights(fitted, sample_weight, mask);
  const Tensor weighted = weight.defined() ? fitted * weight : fitted;
  // Of the whole batch: Keras has nothing to reduce.
  if (weighted.shape() == Shape{}) return weighted;
  switch (reduction_) {
    case Reduction::kNone:
      return weighted;
    case Reduction::kSum:
      return ReduceSum(weighted);
    case Reduction::kMeanWithSampleWeight:
      // By the sum of the weights as they are given, as Keras.
      if (weight.defined()) return DivideNoNan(ReduceSum(weighted), ReduceSum(weight));
      [[fallthrough]];
    case Reduction::kSumOverBatchSize:
      // Nothing has the mean 0, not NaN.
      if (!weighted.shape().fully_known())
        return Where(Equal(SizeOf(weighted), 0), ReduceSum(weighted), ReduceMean(weighted));
      return weighted.num_elements() == 0 ? ReduceSum(weighted) : ReduceMean(weighted);
  }
  return weighted;
}

namespace {

int64_t ReplicasFor(const char* where) {
  if (InCrossReplicaContext()) {
    throw Error(Code::kFailedPrecondition,
                std::string("[") + where +
                    "] a replica's loss is scaled in the replica; got a call in cross-replica "
                    "context; call it inside of Strategy::Run");
  }
  return GetStrategy().num_replicas_in_sync();
}

}  // namespace

Tensor ComputeAverageLoss(const Tensor& per_example, const Tensor& sample_weight,
                          std::optional<int64_t> global_batch_size) {
  const char* where = "compute_average_loss";
  if (per_example.rank() == 0 || global_batch_size.value_or(1) < 1) {
    throw Error(Code::kInvalidArgument,
                std::string("[") + where +
                    "] a loss for each example and a positive global_batch_size are needed; got " +
                    std::string(DTypeName(per_example.dtype())) + per_example.shape().ToString() +
                    " and " + (global_batch_size ? std::to_string(*global_batch_size) : "no size") +
                    "; make the loss with Reduction::kNone");
  }
  const Tensor weighted =
      sample_weight.defined() ? per_example * WithRank(sample_weight, per_example) : per_example;
  const Tensor sum = ReduceSum(weighted);
  if (global_batch_size) return sum / static_cast<double>(*global_batch_size);
  const int64_t replicas = ReplicasFor(where);
  std::vector<int64_t> inner;
  for (int axis = 1; axis < per_example.rank(); ++axis) inner.push_back(axis);
  const Tensor rows = inner.empty() ? per_example : ReduceSum(per_example, inner);
  return DivideNoNan(sum, ReduceSum(OnesLike(rows)) * static_cast<double>(replicas));
}

Tensor ScaleRegularizationLoss(const Tensor& regularization_loss) {
  return ReduceSum(regularization_loss) /
         static_cast<double>(ReplicasFor("scale_regularization_loss"));
}

Tensor Loss::operator()(const Tensor& y_true, const Tensor& y_pred,
                        const Tensor& sample_weight) const {
  const Tensor predicted = runtime::WidenHalf(y_pred);
  return Reduce(PerExample(y_true, predicted), sample_weight, Mask(y_true, predicted));
}

}  // namespace lockstep
