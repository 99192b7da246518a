#include "lockstep/nn/loss.h"

#include "lockstep/ops/math.h"
#include "lockstep/ops/reduce.h"
#include "ops/builder.h"

namespace lockstep {

Tensor Loss::operator()(const Tensor& y_true, const Tensor& y_pred,
                        const Tensor& sample_weight) const {
  Tensor values = PerExample(y_true, y_pred);
  if (sample_weight.defined()) values = values * sample_weight;
  switch (reduction_) {
    case Reduction::kNone:
      return values;
    case Reduction::kSum:
      return ReduceSum(values);
    case Reduction::kMeanWithSampleWeight:
      if (sample_weight.defined()) return DivideNoNan(ReduceSum(values), ReduceSum(sample_weight));
      [[fallthrough]];
    case Reduction::kSumOverBatchSize:
      return ReduceMean(values);
  }
  return values;
}

namespace losses {
namespace {

class SparseCrossentropy : public Loss {
 public:
  explicit SparseCrossentropy(bool from_logits)
      : Loss("sparse_categorical_crossentropy"), from_logits_(from_logits) {}
  Tensor PerExample(const Tensor& y_true, const Tensor& y_pred) const override {
    const Tensor logits =
        from_logits_ ? y_pred : ops::Emit1("Log", {Minimum(Maximum(y_pred, 1e-7f), 1 - 1e-7f)});
    return ops::Emit("SparseSoftmaxCrossEntropyWithLogits", {logits, y_true})[0];
  }
  bool expects_probabilities() const override { return !from_logits_; }

 private:
  bool from_logits_;
};

}  // namespace

LossPtr SparseCategoricalCrossentropy(bool from_logits) {
  return std::make_shared<SparseCrossentropy>(from_logits);
}

}  // namespace losses
}  // namespace lockstep
