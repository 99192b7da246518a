#pragma once

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "distribute/programs/leaf_blocks.h"
#include "distribute/programs/rank_program.h"
#include "distribute/programs/traced_step.h"
#include "distribute/workers/journal.h"
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

/// A traced step that is ready to run: on the whole batch here, or on a rank's leaves of it. With
/// each epoch it is spread over the ranks anew.
class StepProgram final : public Repeatable, public std::enable_shared_from_this<StepProgram> {
 public:
  /// The arguments of the whole batch, of which a rank takes its rows. With ranks it is a call of
  /// their journal.
  std::vector<Tensor> Run(std::span<const Tensor> arguments, base::Team& team);

  std::vector<Tensor> RunOnce(std::span<const Tensor> arguments, base::Team& team) override;
  const Snapshot::Cells& cells() const override { return cells_; }

  /// The op in which examples influence each other, so that the batch is not cut; empty: it is cut.
  const std::string& mixes_in() const { return mixes_in_; }
  /// Why every rank computes the whole; empty: the ranks share the work.
  const std::string& not_spread() const { return not_spread_; }

  /// The whole step, its sums cut into leaves, and what it was made from.
  const graph::Graph& graph() const { return graph_; }
  const StepOptions& options() const { return options_; }

  /// The plan where one carries out the whole step, else nullptr.
  runtime::Plan* plan() const { return compiled_ == nullptr ? nullptr : compiled_->plan(); }
  std::string Describe() const;
  PlanSummary Summary() const;
  /// From now on every run measures its steps, where there is a plan.
  void MeasureSteps();
  std::string Breakdown() const;

 private:
  friend std::shared_ptr<StepProgram> MakeStepProgram(const std::vector<ops::TensorType>& types,
                                                      const StepBody& body,
                                                      const StepOptions& options);
  StepProgram(TracedStep step, const StepOptions& options);
  /// For the present ranks.
  void Make();
  void Spread(const Roles& roles);
  /// Whether the ranks can share the work so; if not, `not_spread` says why.
  bool TrySpread(const Roles& roles);
  /// Who is to have leaves and rows.
  const Roles& SharersNow() const;

  const StepOptions options_;
  graph::Graph graph_;  // cut into leaves
  std::vector<int64_t> offsets_;
  Snapshot::Cells cells_;
  Communicator* ranks_ = nullptr;
  uint64_t generation_ = 0;   // of the ranks that it was made for
  Roles sharers_;             // who was to have leaves and rows
  uint64_t compared_in_ = 0;  // the generation of the ranks that have compared it
  bool measures_ = false;
  std::unique_ptr<runtime::Compiled> compiled_;
  std::unique_ptr<RankProgram> of_rank_;
  std::optional<BlockTrial> trial_;              // of even blocks, in this generation
  std::optional<collectives::Division> blocks_;  // what came of it
  /// The rank's rows of each argument that has rows.
  struct Rows {
    bool cut = false;
    int64_t begin = 0;
    int64_t end = 0;
  };
  std::vector<Rows> rows_;
  int64_t own_examples_ = 0;
  std::string mixes_in_;
  std::string not_spread_;
};

/// Traces `body`, called with one symbolic tensor a type, cuts the batch into replicas and shards
/// where the examples can be followed, and compiles the result.
std::shared_ptr<StepProgram> MakeStepProgram(const std::vector<ops::TensorType>& types,
                                             const StepBody& body, const StepOptions& options);

}  // namespace lockstep::distribute
