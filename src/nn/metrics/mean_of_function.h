#pragma once

#include <functional>

#include "lockstep/nn/metric.h"

namespace lockstep::metrics {

using MetricFunction = std::function<Tensor(const Tensor&, const Tensor&)>;

/// The mean of a function of each example.
class MeanOfFunction : public Mean {
 public:
  MeanOfFunction(std::string name, MetricFunction function)
      : Mean(std::move(name)), function_(std::move(function)) {}
  void Update(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight) override {
    UpdateValues(function_(y_true, y_pred), sample_weight);
  }

 private:
  MetricFunction function_;
};

// What the accuracies compute: float32, 1 where an example is right.
Tensor BinaryMatches(const Tensor& y_true, const Tensor& y_pred, double threshold);
Tensor CategoricalMatches(const Tensor& y_true, const Tensor& y_pred);
Tensor SparseMatches(const Tensor& y_true, const Tensor& y_pred);

}  // namespace lockstep::metrics
