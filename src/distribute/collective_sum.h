#pragma once

#include "collectives/group.h"
#include "collectives/plan.h"
#include "runtime/segmented_program.h"

namespace lockstep::distribute {

/// Carries out the op CollectiveSum with the ranks of a group: `step` names the run among all runs
/// of the program, equally on all ranks. `group` must outlive the runs.
runtime::AsynchronousOp MakeCollectiveSum(collectives::Group& group,
                                          const collectives::Division& division, uint64_t step,
                                          base::Duration timeout);

}  // namespace lockstep::distribute
