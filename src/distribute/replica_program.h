#pragma once

#include <memory>
#include <mutex>
#include <vector>

#include "distribute/meeting.h"
#include "graph/graph.h"
#include "runtime/program.h"

namespace lockstep::distribute {

/// A program traced once for all replicas of a strategy: the attribute "program" of "ReplicaRun".
/// Devices take contiguous blocks of replicas and let each run to its next meeting; then the
/// meeting is carried out; and so on. Replicas that write a common variable go one after another
/// instead, in their order, as they do eagerly.
class ReplicaProgram : public TensorObject {
 public:
  /// `varies` says for each argument whether it is given per replica.
  ReplicaProgram(Strategy& strategy, std::shared_ptr<graph::Graph> graph, std::vector<bool> varies);

  /// `inputs`: for each argument one tensor a replica, or one for all; then what was captured.
  /// Gives result by result one tensor a replica.
  std::vector<Tensor> Run(const std::vector<Tensor>& inputs);

 private:
  const runtime::Program& ProgramOf(int replica) const;
  std::vector<Tensor> ArgumentsOf(int replica, const std::vector<Tensor>& inputs) const;
  void AdvanceAll(std::vector<std::unique_ptr<runtime::Execution>>& replicas,
                  std::vector<Standing>& standings);
  void AdvanceOne(int replica, runtime::Execution& execution, Standing& standing, base::Team& team);

  Strategy& strategy_;
  const std::shared_ptr<graph::Graph> graph_;
  const std::vector<bool> varies_;
  bool in_order_ = false;  // replicas write a common variable, or the world
  std::vector<std::unique_ptr<runtime::Program>> programs_;  // one, or one a replica
};

}  // namespace lockstep::distribute
