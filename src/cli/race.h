#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "cli/static_race.h"

namespace CLI {
class App;
}

namespace lockstep::cli {

/// What `lockstep race` was asked for.
struct RaceArguments {
  StaticRaceArguments of_graph;  // --static
  int64_t schedules = 100;
  int64_t first_seed = 0;
  double timeout_seconds = 60;
  std::vector<std::string> program;
  bool json = false;
};

/// `lockstep race --schedules N -- PROGRAM`: runs the program under N orders of its threads
/// (LOCKSTEP_SCHEDULE) and compares how each ends: status, standard output, last values of its
/// variables. Returns 0 if all end alike, 1 if not, naming for each outcome a seed that replays it
/// and the pair of accesses that decides it; 1, too, if it always fails or leaves no trace.
/// `lockstep race --static FILE`: see static_race.h.
CLI::App* AddRace(CLI::App& app, RaceArguments& arguments);
int Race(RaceArguments arguments);

}  // namespace lockstep::cli
