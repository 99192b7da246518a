#pragma once

#include <vector>

#include "graph/graph_def.h"
#include "lockstep/check/static_races.h"

namespace lockstep::check {

Result<std::vector<StaticRace>> FindInGraph(const graph::ReadGraph& read,
                                            const StaticRaceOptions& options);

}  // namespace lockstep::check
