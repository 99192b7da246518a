#pragma once

#include <nlohmann/json.hpp>

#include "cli/options.h"
#include "cli/tasks.h"
#include "lockstep/nn/model.h"

namespace lockstep::cli {

/// What `lockstep train --json` prints: what was trained and how, its losses, times and digests.
/// `test`: what Evaluate gave. Times of a step leave the first one out. Called on all workers, as
/// the digests take their parts from each.
nlohmann::ordered_json TrainReport(const TrainOptions& options, Task& task, const History& history,
                                   const Logs& test);

}  // namespace lockstep::cli
