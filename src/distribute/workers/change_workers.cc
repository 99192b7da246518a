#include "distribute/workers/change_workers.h"

#include <algorithm>

#include "checkpoint/packed_state.h"

namespace lockstep::distribute {

bool ChangeWorkers(Communicator& ranks, int64_t steps,
                   const std::function<SavedState()>& snapshot) {
  const std::vector<std::string> leaving =
      ranks.journal().Exchange([&] { return ranks.leaving() ? "leaves" : ""; });
  ranks.Lower(kChangeNote);
  // Who goes last ends the job.
  if (std::find(leaving.begin(), leaving.end(), "") == leaving.end()) return false;
  const SavedState state = snapshot();
  if (ranks.leaving()) {
    ranks.journal().Leave();
    throw Left("[multi_worker] this worker was asked to leave, and has left after step " +
               std::to_string(steps) + "; the others go on");
  }
  ranks.journal().Admit([state] { return checkpoint::PackState(state); });
  return true;
}

}  // namespace lockstep::distribute
