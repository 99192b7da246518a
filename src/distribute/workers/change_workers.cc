#include "distribute/workers/change_workers.h"

#include <algorithm>

#include "checkpoint/packed_state.h"

namespace lockstep::distribute {

bool ChangeWorkers(Communicator& ranks, int64_t steps,
                   const std::function<SavedState()>& snapshot) {
  // What the others were told counts: who is asked later leaves at the end of a later step.
  bool leaves = false;
  const std::vector<std::string> leaving = ranks.journal().Exchange([&] {
    leaves = ranks.leaving();
    return leaves ? "leaves" : "";
  });
  ranks.Lower(kChangeNote);
  if (ranks.leaving() && !leaves) ranks.Raise(kChangeNote);
  // Who goes last ends the job.
  if (std::find(leaving.begin(), leaving.end(), "") == leaving.end()) return false;
  const SavedState state = snapshot();
  if (leaves) {
    ranks.journal().Leave();
    throw Left("[multi_worker] this worker was asked to leave, and has left after step " +
               std::to_string(steps) + "; the others go on");
  }
  ranks.journal().Admit([state] { return checkpoint::PackState(state); });
  return true;
}

}  // namespace lockstep::distribute
