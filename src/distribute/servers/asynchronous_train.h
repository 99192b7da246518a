#pragma once

#include <cstdint>
#include <memory>
#include <vector>

#include "distribute/servers/asynchronous_epoch.h"
#include "distribute/train_steps.h"
#include "lockstep/distribute/parameter_server.h"

namespace lockstep::distribute {

/// The batches of passes one after the other, by number: a worker reads all, and leaves out those
/// of others.
class NumberedBatches {
 public:
  explicit NumberedBatches(const BatchSourceFactory& make) : make_(make), source_(make()) {}
  /// OutOfRange where a pass is empty, or shorter than another one.
  std::vector<Tensor> At(int64_t number);
  /// Of a pass, as far as it has been read to its end; else 0.
  int64_t pass() const { return pass_; }
  void set_pass(int64_t batches) { pass_ = batches; }

 private:
  void Restart();

  const BatchSourceFactory& make_;
  BatchSource source_;
  int64_t next_ = 0;  // in this pass
  int64_t pass_ = 0;
};

/// `Strategy::Train` where each worker takes batches for itself. Results of the body go through
/// variables, which the servers assign with each update.
class AsynchronousTrain {
 public:
  AsynchronousTrain(ParameterServerStrategy& strategy, const BatchSourceFactory& batches,
                    const TrainSteps::Body& body, const TrainOptions& options);

  TrainSteps& programs() { return programs_; }
  /// Trains for a pass, or for what is left of `steps` (-1: one pass); false: that was the last
  /// part.
  bool TrainPart(int64_t steps, TrainResult* result);

 private:
  std::vector<Tensor> RunBody(const TrainSteps::Body& body, const std::vector<Tensor>& batch);
  void Scan(int64_t steps);
  static void RequireWholeResults(const StepProgram& program);
  void AddForm(const std::vector<Tensor>& batch);
  std::shared_ptr<AsynchronousStep> Step();
  AsynchronousBatches Batches(int64_t first, int64_t count);
  std::vector<Tensor> Results() const;

  ParameterServerStrategy& strategy_;
  const BatchSourceFactory& make_;
  const TrainOptions& options_;
  TrainSteps programs_;
  NumberedBatches batches_;
  std::vector<Variable> results_;                    // what the body gives
  std::vector<std::vector<ops::TensorType>> forms_;  // of batches
  std::vector<std::vector<Tensor>> examples_;        // one of each form
  int64_t part_ = 0;                                 // batches between two meetings of all tasks
  std::shared_ptr<AsynchronousStep> step_;
  uint64_t layout_ = 0;
};

/// Nothing where `strategy` trains in step.
std::unique_ptr<AsynchronousTrain> MakeAsynchronousTrain(Strategy& strategy,
                                                         const BatchSourceFactory& batches,
                                                         const TrainSteps::Body& body,
                                                         const TrainOptions& options);

}  // namespace lockstep::distribute
