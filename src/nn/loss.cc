#include "lockstep/nn/loss.h"

#include "lockstep/ops/array.h"
#include "lockstep/ops/broadcast.h"
#include "lockstep/ops/math.h"

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
  const Tensor weight = Weights(values, sample_weight, mask);
  const Tensor weighted = weight.defined() ? values * weight : values;
  switch (reduction_) {
    case Reduction::kNone:
      return weighted;
    case Reduction::kSum:
      return ReduceSum(weighted);
    case Reduction::kMeanWithSampleWeight:
      if (weight.defined())
        return DivideNoNan(ReduceSum(weighted), ReduceSum(BroadcastLike(weight, values)));
      [[fallthrough]];
    case Reduction::kSumOverBatchSize:
      // Nothing has the mean 0, not NaN.
      if (values.shape().fully_known() && values.num_elements() == 0) return ReduceSum(weighted);
      return ReduceMean(weighted);
  }
  return weighted;
}

Tensor Loss::operator()(const Tensor& y_true, const Tensor& y_pred,
                        const Tensor& sample_weight) const {
  return Reduce(PerExample(y_true, y_pred), sample_weight, Mask(y_true, y_pred));
}

}  // namespace lockstep
