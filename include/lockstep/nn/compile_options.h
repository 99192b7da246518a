#pragma once

#include <concepts>
#include <initializer_list>
#include <string>
#include <utility>
#include <vector>

#include "lockstep/nn/loss.h"
#include "lockstep/nn/metric.h"
#include "lockstep/nn/optimizer.h"
#include "lockstep/runtime/execution_options.h"

namespace lockstep {

/// An optimizer, loss or metric with its defaults, by Keras's name for it. NotFound, with all
/// names, for another one.
template <typename Pointer>
Pointer FromName(const std::string& name);
template <>
OptimizerPtr FromName<OptimizerPtr>(const std::string& name);
template <>
LossPtr FromName<LossPtr>(const std::string& name);
template <>
MetricPtr FromName<MetricPtr>(const std::string& name);

/// The thing itself, or Keras's name for it: `optimizers::Adam(0.01)` or "adam".
template <typename Pointer>
class OrName : public Pointer {
 public:
  OrName() = default;
  template <std::convertible_to<Pointer> T>
  OrName(T value) : Pointer(std::move(value)) {}                               // NOLINT: implicit
  OrName(const std::string& name) : Pointer(FromName<Pointer>(name)) {}        // NOLINT
  OrName(const char* name) : Pointer(FromName<Pointer>(std::string(name))) {}  // NOLINT
};

/// Metrics, some of them perhaps by name: {"accuracy", metrics::AUC()}.
class MetricList : public std::vector<MetricPtr> {
 public:
  MetricList() = default;
  MetricList(std::initializer_list<OrName<MetricPtr>> metrics)
      : std::vector<MetricPtr>(metrics.begin(), metrics.end()) {}
  MetricList(std::vector<MetricPtr> metrics)  // NOLINT: implicit
      : std::vector<MetricPtr>(std::move(metrics)) {}
};

/// What an uneven division of a batch over replicas means for the loss.
enum class UnevenBatches {
  kExact,  // the mean over all examples of the global batch
  kKeras,  // the mean over replicas of their means, as Keras has it
};

/// Options of Model::Compile: `{.optimizer = "adam", .loss = "mse", .metrics = {"mae"}}`.
/// Source: keras.Model.compile.
struct CompileOptions {
  OrName<OptimizerPtr> optimizer = {};
  OrName<LossPtr> loss = {};
  MetricList metrics = {};
  /// Metrics that take the weights of the examples into account.
  MetricList weighted_metrics = {};
  UnevenBatches uneven_batches = UnevenBatches::kExact;
  /// Whether the optimizer is wrapped by LossScaleOptimizer where layers compute in mixed_float16.
  bool auto_scale_loss = true;
  ExecutionOptions execution = {};
};

}  // namespace lockstep
