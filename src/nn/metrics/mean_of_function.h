#pragma once

#include <functional>

#include "lockstep/nn/metric.h"

namespace lockstep::metrics {

using MetricFunction = std::function<Tensor(const Tensor&, const Tensor&)>;

/// The mean of a function of each example.
class MeanOfFunction : public Mean {
 public:
  MeanOfFunction(std::string name, MetricFunction function, MetricFunction of_logits = nullptr)
      : Mean(std::move(name)), function_(std::move(function)), of_logits_(std::move(of_logits)) {}
  void Update(const Tensor& y_true, const Tensor& y_pred, const Tensor& sample_weight) override {
    UpdateValues(function_(y_true, y_pred), sample_weight);
  }
  bool UpdateOfLogits(const Tensor& y_true, const Tensor& logits,
                      const Tensor& sample_weight) override {
    if (of_logits_ == nullptr) return false;
    UpdateValues(of_logits_(y_true, logits), sample_weight);
    return true;
  }

 private:
  MetricFunction function_;
  MetricFunction of_logits_;
};

// What the accuracies compute: float32, 1 where an example is right.
Tensor BinaryMatches(const Tensor& y_true, const Tensor& y_pred, double threshold);
Tensor CategoricalMatches(const Tensor& y_true, const Tensor& y_pred);
Tensor SparseMatches(const Tensor& y_true, const Tensor& y_pred);

}  // namespace lockstep::metrics
