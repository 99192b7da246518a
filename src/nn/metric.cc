#include "lockstep/nn/metric.h"

#include "lockstep/ops/comparison.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/reduce.h"
#include "ops/builder.h"

namespace lockstep {

void Metric::Reset() {
  for (const Variable& variable : variables_)
    variable.Assign(ops::Emit1("ZerosLike", {variable.value()}));
}

Variable Metric::AddState(const std::string& name, const Shape& shape) {
  const std::vector<float> zeros(shape.num_elements(), 0.0f);
  variables_.emplace_back(Tensor::FromVector(zeros, shape),
                          VariableOptions{.name = name_ + "/" + name,
                                          .trainable = false,
                                          .synchronization = VariableSynchronization::kOnRead,
                                          .aggregation = VariableAggregation::kSum});
  return variables_.back();
}

namespace metrics {

Mean::Mean(std::string name)
    : Metric(std::move(name)), total_(AddState("total")), count_(AddState("count")) {}

void Mean::UpdateValues(const Tensor& values, const Tensor& sample_weight) {
  Tensor per_example = values;
  if (values.rank() > 1) {
    std::vector<int64_t> axes;
    for (int i = 1; i < values.rank(); ++i) axes.push_back(i);
    per_example = ReduceMean(values, axes);
  }
  const Tensor weight =
      sample_weight.defined() ? sample_weight : ops::Emit1("OnesLike", {per_example});
  total_.AssignAdd(ReduceSum(per_example * weight));
  count_.AssignAdd(ReduceSum(weight));
}

void Mean::Update(const Tensor& y_true, const Tensor&, const Tensor& sample_weight) {
  UpdateValues(y_true, sample_weight);
}

Tensor Mean::Result() const { return DivideNoNan(total_.value(), count_.value()); }

namespace {

class SparseAccuracy : public Mean {
 public:
  using Mean::Mean;
  void Update(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight) override {
    const Tensor best = ArgMax(y_pred, -1);
    const Tensor labels = Cast(y_true, DType::kInt64);
    UpdateValues(Cast(Equal(best, labels), DType::kFloat32), sample_weight);
  }
};

}  // namespace

MetricPtr SparseCategoricalAccuracy(std::string name) {
  return std::make_shared<SparseAccuracy>(std::move(name));
}

}  // namespace metrics
}  // namespace lockstep
