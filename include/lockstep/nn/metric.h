#pragma once

#include <memory>
#include <string>
#include <vector>

#include "lockstep/runtime/variable.h"
#include "lockstep/tensor/tensor.h"

namespace lockstep {

/// A figure gathered over batches in variables. Updates are ops, eager or in a graph; sums over
/// examples go through the canonical tree, so the result does not know of replicas and devices.
/// Source: keras.metrics.Metric.
class Metric {
 public:
  explicit Metric(std::string name) : name_(std::move(name)) {}
  virtual ~Metric() = default;

  const std::string& name() const { return name_; }
  virtual void Update(const Tensor& y_true, const Tensor& y_pred,
                      const Tensor& sample_weight = {}) = 0;
  /// The figure now; float32.
  virtual Tensor Result() const = 0;
  /// Sets the state back to its first value.
  void Reset();
  const std::vector<Variable>& variables() const { return variables_; }

 protected:
  Variable AddState(const std::string& name, const Shape& shape = {});

 private:
  std::string name_;
  std::vector<Variable> variables_;
};
using MetricPtr = std::shared_ptr<Metric>;

namespace metrics {
/// The weighted mean of values. Source: keras.metrics.Mean.
class Mean : public Metric {
 public:
  explicit Mean(std::string name = "mean");
  /// Adds sum(values * weight) and sum(weight); `values` [n].
  void UpdateValues(const Tensor& values, const Tensor& sample_weight = {});
  void Update(const Tensor& y_true, const Tensor& y_pred,
              const Tensor& sample_weight = {}) override;
  Tensor Result() const override;

 private:
  Variable total_;
  Variable count_;
};
/// How often the largest prediction is at the label. Source:
/// keras.metrics.SparseCategoricalAccuracy.
MetricPtr SparseCategoricalAccuracy(std::string name = "sparse_categorical_accuracy");
}  // namespace metrics

}  // namespace lockstep
