#include "distribute/workers/change_workers.h"

#include <algorithm>

#include "base/log.h"
#include "base/probe.h"
#include "checkpoint/packed_state.h"

namespace lockstep::distribute {

namespace {

constexpr char kLeavesToOthers[] = "leaves to those who come";

// Nobody is left to go on: the program hears of it, and who looks on.
bool EndBeforeTheEnd(Communicator& ranks, int64_t steps) {
  const std::string how =
      "[multi_worker] all workers that were left were asked to leave: the training ends after "
      "step " +
      std::to_string(steps) + ", whatever was asked for";
  if (ranks.heeds_termination() && base::ToldToEnd()) {
    ranks.journal().GiveUp();
    throw AllLeft(how);
  }
  if (ranks.rank() == 0) base::Log(base::Severity::kWarning, how);
  return false;
}

}  // namespace

bool ChangeWorkers(Communicator& ranks, int64_t steps,
                   const std::function<SavedState()>& snapshot) {
  // What the others were told counts: who is asked later leaves at the end of a later step.
  bool leaves = false;
  const std::vector<std::string> told = ranks.journal().Exchange([&]() -> std::string {
    leaves = ranks.leaving();
    if (!leaves) return "";
    return ranks.roster()->change_waiting() ? kLeavesToOthers : "leaves";
  });
  const auto says = [&told](const char* text) {
    return std::find(told.begin(), told.end(), text) != told.end();
  };
  ranks.notes().Lower(kChangeNote);
  if (ranks.leaving() && !leaves) ranks.notes().Raise(kChangeNote);
  // Who goes last ends the job, unless others wait to go on with it.
  const bool all_leave = !says("");
  if (all_leave && !says(kLeavesToOthers)) return EndBeforeTheEnd(ranks, steps);
  const SavedState state = snapshot();
  if (leaves && !all_leave) {
    ranks.journal().Leave();
    throw Left("[multi_worker] this worker was asked to leave, and has left after step " +
               std::to_string(steps) + "; the others go on");
  }
  const int before = ranks.num_ranks();
  ranks.journal().Admit([state] { return checkpoint::PackState(state); });
  if (!all_leave) return true;
  if (ranks.num_ranks() <= before) return EndBeforeTheEnd(ranks, steps);  // nobody came
  LOCKSTEP_PROBE("the last workers let others in, and then leave");
  ranks.notes().Raise(kChangeNote);
  return true;
}

}  // namespace lockstep::distribute
