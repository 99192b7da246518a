#pragma once

#include <map>
#include <memory>
#include <vector>

#include "distribute/leaves.h"
#include "graph/graph.h"
#include "lockstep/nn/model.h"
#include "nn/progress.h"
#include "nn/step_input.h"
#include "runtime/plan.h"

namespace lockstep {

/// How a compiled model trains: a traced step for each size of a batch, and the loops around it.
class Model::Training {
 public:
  Training(Model& model, CompileOptions options);

  History FitArrays(const Tensor& x, const Tensor& y, const FitOptions& fit);
  History FitDataset(const Dataset& batches, const FitOptions& fit);
  Logs Evaluate(const Dataset& batches, int64_t steps);
  Tensor Predict(const Dataset& batches, int64_t steps);

  Model& model;
  CompileOptions options;
  std::shared_ptr<metrics::Mean> loss_metric;

 private:
  enum class Kind { kTrain, kTest, kPredict };
  /// A traced step for batches of one form.
  struct StepPlan {
    Kind kind;
    bool gathered;
    int64_t examples;
    int shards;
    std::vector<ops::TensorType> types;  // of the arguments
    std::unique_ptr<runtime::Plan> plan;
    bool Fits(Kind kind, const nn::StepData& step, int shards) const;
  };
  runtime::Plan& PlanFor(Kind kind, const nn::StepData& step, int shards);
  std::unique_ptr<runtime::Plan> Compile(Kind kind, const nn::StepData& step, int shards);
  void Trace(Kind kind, const std::vector<Tensor>& batch, graph::Graph& graph);
  void TraceTrainStep(const std::vector<Tensor>& batch);
  void TraceTestStep(const std::vector<Tensor>& batch);
  /// What the loss has to be made small of, and its running mean.
  Tensor TrackLoss(const std::vector<Tensor>& batch, const Tensor& predictions, bool training);
  Tensor MeansOfReplicas(const Tensor& values) const;
  void UpdateMetrics(const std::vector<Tensor>& batch, const Tensor& predictions);

  History Fit(nn::StepInput& input, nn::StepInput* validation, const FitOptions& fit);
  void TrainEpoch(nn::StepInput& input, const FitOptions& fit, Progress& progress,
                  History& history);
  void TrainStep(const nn::StepInput& input, const nn::StepData& step, const FitOptions& fit);
  Logs Test(nn::StepInput& input, int shards);
  void ResetMetrics();
  Logs Results() const;

  std::vector<StepPlan> plans_;
  int64_t classes_ = 0;  // the size of the predictions' last axis
  bool told_uncut_ = false;
  bool measure_steps_ = false;
};

}  // namespace lockstep
