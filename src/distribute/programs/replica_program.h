#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "distribute/meeting.h"
#include "distribute/programs/divided_replicas.h"
#include "distribute/workers/journal.h"
#include "graph/graph.h"
#include "runtime/expandable.h"
#include "runtime/program.h"

namespace lockstep::distribute {

/// A program traced once for all replicas of a strategy: the attribute "program" of "ReplicaRun".
/// Devices take contiguous blocks of replicas and let each run to its next meeting; then the
/// meeting is carried out; and so on. Replicas that write a common variable go one after another
/// instead, in their order, as they do eagerly. Over ranks each rank runs its replicas, as a call
/// of their journal, unless they write a common variable: then every rank runs all.
class ReplicaProgram : public TensorObject,
                       public Repeatable,
                       public runtime::Expandable,
                       public std::enable_shared_from_this<ReplicaProgram> {
 public:
  /// `varies` says for each argument whether it is given per replica.
  ReplicaProgram(Strategy& strategy, std::shared_ptr<graph::Graph> graph, std::vector<bool> varies);

  /// `inputs`: for each argument one tensor a replica, or one for all; then what was captured.
  /// Gives result by result one tensor a replica.
  std::vector<Tensor> Run(const std::vector<Tensor>& inputs);

  /// Every rank carries out all replicas then.
  std::vector<Tensor> Expand(const std::vector<Tensor>& inputs) override;
  /// The gradients of `inputs`, by carrying the program out once more: Unimplemented where it
  /// writes something.
  std::vector<Tensor> Gradient(const ops::GradientContext& context);

  std::vector<Tensor> RunOnce(std::span<const Tensor> inputs, base::Team& team) override;
  const Snapshot::Cells& cells() const override { return cells_; }

 private:
  const runtime::Program& ProgramOf(int replica) const;
  std::vector<Tensor> ArgumentsOf(int replica, const std::vector<Tensor>& inputs) const;
  using Executions = std::vector<std::unique_ptr<runtime::Execution>>;
  Executions Begin(const std::vector<Tensor>& inputs, int begin, int end) const;
  // `replicas` are those from `first` on.
  void AdvanceAll(Executions& replicas, std::vector<Standing>& standings, int first);
  std::vector<Tensor> RunHere(const std::vector<Tensor>& inputs);
  std::vector<Tensor> RunDivided(const std::vector<Tensor>& inputs, Communicator& ranks);
  std::vector<Turn> TurnsOf(const Executions& replicas, const std::vector<Standing>& standings,
                            int first) const;
  void TakeCells(const std::vector<Turn>& turns, int begin, int end) const;
  void AdvanceOne(int replica, runtime::Execution& execution, Standing& standing, base::Team& team);

  Strategy& strategy_;
  const std::shared_ptr<const void> owner_;  // of the strategy
  const std::shared_ptr<graph::Graph> graph_;
  const std::vector<bool> varies_;
  uint64_t compared_in_ = 0;  // the generation of the ranks that have compared it
  std::string common_;        // the op that writes what all replicas see, or the world; empty: none
  bool told_ = false;         // that it keeps ranks from dividing the replicas
  std::vector<std::vector<Tensor>>
      written_;  // the handles of copies that replicas write, by variable
  std::vector<std::unique_ptr<runtime::Program>> programs_;  // one, or one a replica
  Snapshot::Cells cells_;                                    // where there are ranks
};

}  // namespace lockstep::distribute
