#pragma once

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "distribute/rank_program.h"
#include "ops/op.h"
#include "runtime/compiled.h"

namespace lockstep::distribute {

/// What a step program is traced from and cut by.
struct StepOptions {
  int64_t examples = 0;  // of the batch
  int replicas = 1;
  int shards = 0;  // a replica; 0: follows from the batch
  /// Which parameters have an example a row along axis 0.
  std::vector<bool> has_rows;
  ExecutionOptions execution;
  /// The ranks over which leaves and updates are spread; nullptr: this process does it all.
  Communicator* ranks = nullptr;
};

/// A traced step that is ready to run: on the whole batch here, or on a rank's leaves of it.
class StepProgram {
 public:
  /// The arguments of the whole batch, of which a rank takes its rows.
  std::vector<Tensor> Run(std::span<const Tensor> arguments, base::Team& team);

  /// The op in which examples influence each other, so that the batch is not cut; empty: it is cut.
  const std::string& mixes_in() const { return mixes_in_; }
  /// Why every rank computes the whole; empty: the ranks share the work.
  const std::string& not_spread() const { return not_spread_; }

  /// The plan where one carries out the whole step, else nullptr.
  runtime::Plan* plan() const { return compiled_ == nullptr ? nullptr : compiled_->plan(); }
  std::string Describe() const;
  PlanSummary Summary() const;
  /// From now on every run measures its steps, where there is a plan.
  void MeasureSteps();
  std::string Breakdown() const;

 private:
  friend StepProgram MakeStepProgram(
      const std::vector<ops::TensorType>& types,
      const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& body,
      const StepOptions& options);
  void Spread(graph::Graph graph, const StepOptions& options, const std::vector<int64_t>& offsets);

  Communicator* ranks_ = nullptr;
  std::unique_ptr<runtime::Compiled> compiled_;
  std::unique_ptr<RankProgram> of_rank_;
  /// The rank's rows of each argument that has rows.
  struct Rows {
    bool cut = false;
    int64_t begin = 0;
    int64_t end = 0;
  };
  std::vector<Rows> rows_;
  std::string mixes_in_;
  std::string not_spread_;
};

/// Traces `body`, called with one symbolic tensor a type, cuts the batch into replicas and shards
/// where the examples can be followed, and compiles the result.
StepProgram MakeStepProgram(
    const std::vector<ops::TensorType>& types,
    const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& body,
    const StepOptions& options);

}  // namespace lockstep::distribute
