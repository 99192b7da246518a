#pragma once

#include "cluster/description.h"
#include "cluster/variables.h"

namespace lockstep::cluster {

/// LOCKSTEP_JOBS, as "worker:4,ps:2,evaluator:1": which jobs the tasks are that a launcher only
/// numbers. Whatever the order in the text, the first tasks are chief, then workers, then ps, then
/// evaluator, so that the first task still leads. Where the jobs are known already they must agree.
/// `described`: null where the number of tasks is not known, so that only the entries can be read.
void ApplyJobs(Variables& variables, Description* described);

}  // namespace lockstep::cluster
