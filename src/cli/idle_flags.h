#pragma once

#include <string>
#include <vector>

#include "cli/options.h"

namespace lockstep::cli {

/// Flags of `lockstep train` that change nothing, or make no sense, beside the others that were
/// given: a line each, with what would give them a meaning. They are no errors, as one script may
/// serve several runs.
std::vector<std::string> IdleFlags(const TrainOptions& options);

}  // namespace lockstep::cli
