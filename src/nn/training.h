#pragma once

#include <map>
#include <memory>
#include <vector>

#include "distribute/leaves.h"
#include "lockstep/nn/model.h"
#include "runtime/plan.h"

namespace lockstep {

/// How a compiled model trains: a traced step for each size of a batch, and the loops around it.
class Model::Training {
 public:
  Training(Model& model, CompileOptions options);

  History Fit(const Tensor& x, const Tensor& y, const FitOptions& fit);
  Logs Evaluate(const Tensor& x, const Tensor& y, int64_t batch_size);
  Tensor Predict(const Tensor& x, int64_t batch_size);

  Model& model;
  CompileOptions options;
  std::shared_ptr<metrics::Mean> loss_metric;

 private:
  enum class Kind { kTrain, kTest, kPredict };
  struct PlanKey {
    Kind kind;
    int64_t examples;
    int shards;
    std::vector<ops::TensorType> sources;
    bool operator==(const PlanKey&) const = default;
  };
  /// The plan of one step on `examples` rows that are gathered from `sources`.
  runtime::Plan& PlanFor(Kind kind, const std::vector<Tensor>& sources, int64_t examples,
                         int shards);
  std::unique_ptr<runtime::Plan> Compile(Kind kind, const std::vector<Tensor>& sources,
                                         int64_t examples, int shards);
  void TraceTrainStep(const Tensor& x, const Tensor& y);
  void TraceTestStep(const Tensor& x, const Tensor& y);
  void ResetMetrics();
  Logs Results() const;
  void CheckSources(const Tensor& x, const Tensor& y) const;
  void Build(const Tensor& x);

  std::vector<std::pair<PlanKey, std::unique_ptr<runtime::Plan>>> plans_;
  bool told_uncut_ = false;
  bool measure_steps_ = false;
};

}  // namespace lockstep
