#pragma once

#include <atomic>
#include <chrono>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "distribute/leaves.h"
#include "distribute/programs/step_program.h"
#include "lockstep/distribute/step_boundary.h"
#include "lockstep/nn/model.h"
#include "nn/dump.h"
#include "nn/progress.h"
#include "nn/step_input.h"
#include "nn/step_metrics.h"

namespace lockstep {

namespace runtime {
class VariableCell;
}
namespace distribute {
class AsynchronousEpoch;
class AsynchronousStep;
class CoordinatorState;
class ScheduledStep;
struct AsynchronousBatches;
}  // namespace distribute

/// How a compiled model trains: a traced step for each size of a batch, and the loops around it.
class Model::Training {
 public:
  Training(Model& model, CompileOptions options);

  /// Whether a Fit is going on, on any thread.
  bool is_fitting() const { return fitting_; }
  History FitArrays(const Tensor& x, const Tensor& y, const FitOptions& fit);
  History FitDataset(const Dataset& batches, const FitOptions& fit);
  Logs Evaluate(const Dataset& batches, int64_t steps);
  Tensor Predict(const Dataset& batches, int64_t steps);

  /// Makes all variables whole on every worker; all call it alike.
  void GatherState() const;
  /// All that decides how training goes on; all workers call it alike.
  SavedState Snapshot() const;
  void SaveTo(const std::string& directory);

  Model& model;
  CompileOptions options;
  std::shared_ptr<metrics::Mean> loss_metric;
  TrainingPosition position;
  std::vector<std::string> advice;
  /// Of the newest epoch's updates, where training is asynchronous.
  std::map<int64_t, int64_t> staleness;
  /// A save that the next Fit starts from.
  std::optional<SavedState> resumed;

 private:
  enum class Kind { kTrain, kTest, kPredict };
  /// A traced step for batches of one form.
  struct StepPlan {
    Kind kind;
    bool gathered;
    int64_t examples;
    int shards;
    std::vector<ops::TensorType> types;  // of the arguments
    std::shared_ptr<distribute::StepProgram> program;
    bool gradient_norms;
    bool Fits(Kind kind, const nn::StepData& step, int shards) const;
  };
  distribute::StepProgram& ProgramFor(Kind kind, const nn::StepData& step, int shards);
  std::shared_ptr<distribute::StepProgram> Compile(Kind kind, const nn::StepData& step, int shards);
  std::vector<Tensor> Trace(Kind kind, const std::vector<Tensor>& batch);
  void TraceTrainStep(const std::vector<Tensor>& batch);
  void TraceTestStep(const std::vector<Tensor>& batch);
  /// What the loss has to be made small of, and its running mean.
  Tensor TrackLoss(const std::vector<Tensor>& batch, const Tensor& predictions, bool training);
  struct LossInput {
    LossPtr loss;
    Tensor predictions;
  };
  LossInput InputOfLoss(const Tensor& predictions) const;
  Tensor MeansOfReplicas(const Tensor& values) const;
  void UpdateMetrics(const std::vector<Tensor>& batch, const Tensor& predictions);

  History Fit(nn::StepInput& input, nn::StepInput* validation, const FitOptions& fit);
  /// Builds, so that advice comes before the first step, and takes over a save.
  void BeginTraining(nn::StepInput& input, const FitOptions& fit);
  bool TrainToTheEnd(nn::StepInput& input, nn::StepInput* validation, const FitOptions& fit);
  void EndTraining(const FitOptions& fit);
  void RunEpoch(nn::StepInput& input, nn::StepInput* validation, const FitOptions& fit);
  /// Whether the epoch came to its end; else it was stopped inside.
  bool TrainEpoch(nn::StepInput& input, const FitOptions& fit, Progress& progress);
  bool IsBehind() const;
  Logs RunningResults() const;
  std::optional<double> RunningLoss() const;
  void AgreeOnReads(distribute::Communicator& ranks, const FitOptions& fit);
  bool ReadsFollow(const nn::StepInput& input, const FitOptions& fit) const;
  void CatchUp();
  void AgreeWithWorkers(const FitOptions& fit);
  /// Refuses workers that were started with other flags, data or first values.
  void CompareBeginnings(distribute::Communicator& ranks, nn::StepInput& input,
                         const FitOptions& fit) const;
  /// The same where workers train each for itself.
  bool IsAsynchronous() const;
  bool TrainEpochAsynchronously(nn::StepInput& input, const FitOptions& fit, Progress& progress);
  std::shared_ptr<distribute::AsynchronousStep> AsynchronousStepFor(nn::StepInput& input,
                                                                    int64_t steps,
                                                                    const FitOptions& fit);
  distribute::AsynchronousBatches BatchesOfEpoch(nn::StepInput& input, int64_t steps,
                                                 const FitOptions& fit, Progress& progress);
  /// The same where a coordinator gives each step to a worker that only serves; nullptr where none
  /// does. FailedPrecondition when it has gone.
  std::shared_ptr<distribute::CoordinatorState> Coordinator() const;
  struct ServersScope;
  std::shared_ptr<distribute::ScheduledStep> ScheduledStepFor(distribute::CoordinatorState& state,
                                                              Kind kind,
                                                              const std::vector<Tensor>& batch,
                                                              int shards);
  void PrepareScheduledStep(const nn::StepData& first, int shards);
  bool TrainEpochOnWorkers(nn::StepInput& input, const FitOptions& fit, Progress& progress);
  void TestOnWorkers(distribute::CoordinatorState& state, nn::StepInput& input, int shards,
                     const std::vector<CallbackPtr>& callbacks);
  std::vector<Tensor> PredictOnWorkers(distribute::CoordinatorState& state, nn::StepInput& input);
  void NoteStaleness(const std::map<int64_t, int64_t>& counts);
  /// `done` steps since `start`, which nobody has timed one by one.
  void NoteMeanStep(int64_t done, std::chrono::steady_clock::time_point start);
  /// The mean and the largest of the epoch.
  void AddStaleness(Logs& logs) const;
  void AgreeAfterEpoch(const FitOptions& fit, bool stopped);
  /// FailedPrecondition for what all tasks must do together.
  void RefuseInsideOfEpoch(const char* what) const;
  /// Takes over from those who have trained so far; false if the job begins with this worker.
  bool EnterTraining(nn::StepInput& input, const FitOptions& fit);
  bool TakeOverTraining(nn::StepInput& input, const FitOptions& fit);
  void CompareWeights(distribute::Communicator& ranks) const;
  void TrainStep(const nn::StepInput& input, const nn::StepData& step, const FitOptions& fit);
  void Look(const std::function<void()>& looks);
  /// The metrics go on afterwards from where they were.
  Logs Test(nn::StepInput& input, int shards, const std::vector<CallbackPtr>& callbacks);
  std::vector<Variable> MetricVariables() const;
  void ResetMetrics();
  Logs Results() const;
  std::vector<std::pair<std::string, Variable>> StateVariables() const;
  /// What else the traced steps of training use, such as the random streams of a call of one's own:
  /// by name, in an order that is the program's.
  std::vector<std::pair<std::string, std::shared_ptr<runtime::VariableCell>>> OtherCells() const;
  /// Gives those of them that are there and have none yet the values that were taken over.
  void RestoreOthers();
  /// Takes over where a save stood, and its values, once all is built.
  void RestorePosition(const SavedState& state);
  void RestoreValues(const SavedState& state);
  /// Puts an ended epoch's logs into `history`.
  static void Record(int epoch, const Logs& logs, History& history);
  /// The epochs that a save counts as done: with one that has just ended, without one that was
  /// stopped inside and is gone on with.
  History WholeEpochs() const;
  /// Keeps and logs a line, once.
  void Advise(std::string line);
  void AdviseOnDivision(int64_t examples, int shards, bool cut);

  /// Writes the state after this step if the environment asks for it.
  void DumpIfAsked();

  std::vector<StepPlan> plans_;
  int64_t classes_ = 0;  // the size of the predictions' last axis
  // Of the Fit in progress, or the last one.
  std::map<std::string, int64_t> recipe_;  // what a resumed training must agree with
  nn::StepCursor cursor_;                  // of the next step's data
  std::vector<CallbackPtr> callbacks_;
  std::optional<nn::DumpRequest> dump_;
  std::set<int64_t> reads_every_;  // after so many steps somebody looks at values, on any worker
  bool reads_followed_ = true;     // the last step: what workers that rest have is up to date
  std::atomic<bool> fitting_{false};
  std::optional<StepBoundary> boundary_;
  History history_;
  // The last epoch that has ended, whether whole or stopped inside; not in `history_` while its
  // callbacks may still add to its logs.
  int ended_epoch_ = -1;
  bool recorded_ = true;
  Logs epoch_logs_;
  std::map<std::string, Tensor> others_;  // taken over, for steps that are traced later, too
  bool measure_steps_ = false;
  std::shared_ptr<base::Metrics> metrics_;
  std::optional<nn::StepMetrics> step_metrics_;
  uint64_t layout_ = 0;  // of variables, when the steps were traced
  // Where training is asynchronous.
  std::shared_ptr<distribute::AsynchronousStep> asynchronous_step_;
  std::vector<const distribute::StepProgram*> asynchronous_forms_;
  std::shared_ptr<distribute::AsynchronousEpoch> asynchronous_epoch_;  // in progress
  // Where a coordinator schedules the steps.
  struct ScheduledPlan {
    Kind kind;
    int shards;
    std::vector<ops::TensorType> types;
    std::shared_ptr<distribute::ScheduledStep> step;
  };
  bool is_scheduled_ = false;
  std::weak_ptr<distribute::CoordinatorState> coordinator_;
  std::vector<ScheduledPlan> scheduled_plans_;
  int64_t under_way_ = 0;  // steps
};

}  // namespace lockstep
