#pragma once

#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "base/team.h"
#include "distribute/programs/spread_sums.h"
#include "distribute/workers/communicator.h"
#include "runtime/segmented_program.h"

namespace lockstep::distribute {

/// A rank's program, ready to run with the others.
class RankProgram {
 public:
  RankProgram(SpreadProgram program, Communicator& ranks, const ExecutionOptions& options);
  ~RankProgram();

  /// Runs it with this rank's arguments. An error here ends the epoch for all ranks, with the
  /// error's text. Errors: of the program; of collectives, see docs/collectives.md.
  std::vector<Tensor> Run(std::vector<Tensor> arguments, base::Team& team);
  /// The same as an event handler of the ranks' executor; `done` gets the results or the error.
  void Start(std::vector<Tensor> arguments, base::Team& team, runtime::OnTensors done);

  /// Variables of which a rank has only its rows up to date after a run.
  const std::vector<Communicator::Part>& parts() const { return parts_; }
  runtime::SegmentedProgram& program() { return program_; }
  /// How long its segments took since the last call, where ranks speculate.
  base::Duration TakeBusy() { return std::exchange(busy_, {}); }
  /// How long it has waited for others since the last call, and how long not, up to the end of the
  /// last wait.
  base::Duration TakeWaited() { return std::exchange(waited_, {}); }
  base::Duration TakeWorked() { return std::exchange(worked_, {}); }

 private:
  class Exchanges;
  void NoteWait(const graph::Node& node, base::Time from, base::Time to);
  bool HasOtherRows(const Communicator::Part& part) const;
  bool IsStale(const Communicator::Part& part) const;
  Communicator& ranks_;
  std::vector<Communicator::Part> parts_;
  std::vector<Communicator::Part> told_;  // in a silent run those who rest are behind with it
  std::set<const void*> whole_;           // variables that the program takes whole
  uint64_t left_parts_ = 0;  // the state of the ranks' parts that the last run left, if silent
  uint64_t checked_ = 0;     // which state of the ranks' parts does not touch these
  runtime::SegmentedProgram program_;
  std::unique_ptr<Exchanges> exchanges_;
  base::Duration busy_{};
  base::Duration waited_{}, worked_{};
  base::Time wait_ended_{};
};

/// Gives every rank the rows of all variables of which the ranks have only their own rows up to
/// date; all ranks call it alike. Errors: of collectives.
void GatherParts(Communicator& ranks);

}  // namespace lockstep::distribute
