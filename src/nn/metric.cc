#include "lockstep/nn/metric.h"

#include "lockstep/ops/array.h"
#include "lockstep/ops/broadcast.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/reduce.h"
#include "nn/loss_functions.h"

namespace lockstep {

void Metric::Reset() {
  for (const Variable& variable : variables_) variable.Assign(ZerosLike(variable.value()));
}

Variable Metric::AddState(const std::string& name, const Shape& shape, DType dtype) {
  const std::vector<float> zeros(shape.num_elements(), 0.0f);
  variables_.emplace_back(Cast(Tensor::FromVector(zeros, shape), dtype),
                          VariableOptions{.name = name_ + "/" + name,
                                          .trainable = false,
                                          .aggregation = VariableAggregation::kSum});
  return variables_.back();
}

namespace metrics {

namespace {

// The mean over the axes from `first` on.
Tensor MeanBehind(const Tensor& x, int first) {
  if (x.rank() <= first) return x;
  std::vector<int64_t> axes;
  for (int i = first; i < x.rank(); ++i) axes.push_back(i);
  return ReduceMean(x, axes);
}

struct Weighted {
  Tensor values;  // times their weights
  Tensor weight;
};

// One value and one weight an example, as Keras's reduce_to_samplewise_values.
Weighted ReduceToExamples(const Tensor& given, const Tensor& sample_weight) {
  const Tensor values = nn::InFloat32(given);
  if (!sample_weight.defined()) {
    const Tensor reduced = MeanBehind(values, 1);
    return {reduced, OnesLike(reduced)};
  }
  const nn::Pair pair = nn::AlignRanks(values, nn::InFloat32(sample_weight));
  const Tensor reduced = MeanBehind(pair.y_true, pair.y_pred.rank());
  const Tensor weight = BroadcastLike(pair.y_pred, reduced);
  return {MeanBehind(reduced * weight, 1), MeanBehind(weight, 1)};
}

}  // namespace

Mean::Mean(std::string name)
    : Metric(std::move(name)), total_(AddState("total")), count_(AddState("count")) {}

void Mean::UpdateValues(const Tensor& values, const Tensor& sample_weight) {
  const Weighted weighted = ReduceToExamples(values, sample_weight);
  total_.AssignAdd(ReduceSum(weighted.values));
  count_.AssignAdd(ReduceSum(weighted.weight));
}

void Mean::Update(const Tensor& y_true, const Tensor&, const Tensor& sample_weight) {
  UpdateValues(y_true, sample_weight);
}

Tensor Mean::Result() const { return DivideNoNan(total_.value(), count_.value()); }

Sum::Sum(std::string name) : Metric(std::move(name)), total_(AddState("total")) {}

void Sum::UpdateValues(const Tensor& given, const Tensor& sample_weight) {
  const Tensor values = nn::InFloat32(given);
  if (!sample_weight.defined()) {
    total_.AssignAdd(ReduceSum(values));
    return;
  }
  nn::Pair pair = nn::AlignRanks(values, nn::InFloat32(sample_weight));
  while (pair.y_pred.rank() < pair.y_true.rank()) pair.y_pred = ExpandDims(pair.y_pred, -1);
  total_.AssignAdd(ReduceSum(pair.y_true * pair.y_pred));
}

void Sum::Update(const Tensor& y_true, const Tensor&, const Tensor& sample_weight) {
  UpdateValues(y_true, sample_weight);
}

Tensor Sum::Result() const { return total_.value(); }

}  // namespace metrics
}  // namespace lockstep
