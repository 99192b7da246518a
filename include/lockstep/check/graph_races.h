#pragma once

#include <vector>

#include "lockstep/check/race_check.h"
#include "lockstep/check/static_races.h"
#include "lockstep/runtime/function.h"
#include "lockstep/runtime/graph.h"

namespace lockstep {

/// The races of a graph that a `Session` runs: what its values and control dependencies order, and
/// no more. (Lockstep's sessions take accesses of one variable in the order in which they were
/// added, so a race is what the program may not rely on elsewhere.) Errors: as for text.
Result<std::vector<StaticRace>> FindRaces(const Graph& graph,
                                          const StaticRaceOptions& options = {});

/// The races of what `function` is traced to for `arguments`. Functions have automatic control
/// dependencies, by which accesses of one variable keep the order of the program; without them
/// (`automatic_control_dependencies` false) only values, `ControlDependencies` and an assignment's
/// own result give an order.
Result<std::vector<StaticRace>> FindRaces(const Function& function,
                                          const std::vector<Tensor>& arguments,
                                          bool automatic_control_dependencies = true);

/// Does with races what `check` says: nothing, a warning in the log for each, or FailedPrecondition
/// with the first, when it is a race by its kind.
void Report(const std::vector<StaticRace>& races, RaceCheck check);

}  // namespace lockstep
