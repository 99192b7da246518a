#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace lockstep::cli {

/// What `lockstep race --static` was asked for.
struct StaticRaceArguments {
  std::string file;               // empty: not asked for
  std::vector<std::string> runs;  // each a list of nodes with commas
  int replicas = 1;
  bool json = false;
};

/// Adds the flags of `lockstep race --static FILE` to the command `race`.
void AddStaticRace(CLI::App& race, StaticRaceArguments& arguments);
/// Reads the graph in FILE and prints the races that it allows: a paragraph each, or with --json an
/// object a line. Returns 0 if there is none (of the kind "race"), 1 if there are, 2 for a file
/// that is no graph.
int StaticRace(const StaticRaceArguments& arguments);

}  // namespace lockstep::cli
