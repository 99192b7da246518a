#pragma once

#include <functional>
#include <optional>

#include "cli/options.h"
#include "cluster/description.h"

namespace lockstep::cli {

/// The job in which this process is an evaluator; nothing where it is none.
std::optional<cluster::Description> EvaluatorsJob();

/// `lockstep train` in an evaluator's task: evaluates each new save of the directory
/// `options.checkpoint`, the newest one where several have come, and prints a line for each, with
/// `json` an object. Ends when a save says that the training is over, when `asked_to_end` is true,
/// or when nobody of the job can be reached any more; the newest save is evaluated before. A save
/// that is torn or vanishes is waited for, with a warning. Returns the exit status. Errors:
/// InvalidArgument without a directory; FailedPrecondition for the saves of another model.
int FollowSaves(const TrainOptions& options, const cluster::Description& job,
                const std::function<bool()>& asked_to_end);

}  // namespace lockstep::cli
