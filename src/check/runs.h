#pragma once

#include <set>
#include <string>
#include <vector>

#include "graph/graph_def.h"
#include "lockstep/check/static_races.h"

namespace lockstep::check {

/// What is carried out together: nodes by their numbers in the graph, ascending.
struct RunNodes {
  bool initializes = false;    // gives variables their first values, before anything else runs
  std::vector<int> nodes;      // all, with those of `elsewhere`
  std::vector<int> fetched;    // those that are asked for by name
  std::vector<int> elsewhere;  // those that another run carries out: what gives iterators datasets
  std::set<std::string> born = {};  // variables that initializers give their first values
};

/// The runs of a graph. Where the options name none, there are two: the initializers (`v/Assign`
/// and what an `init` groups), and everything else but the ops of a `Saver`, and but reads that a
/// variable was born with and that nobody takes. InvalidArgument for names that are not there.
Result<std::vector<RunNodes>> RunsOf(const graph::ReadGraph& read,
                                     const StaticRaceOptions& options);

/// The functions of the library that no node and no other function names.
std::vector<int> FunctionsNobodyCalls(const graph::ReadGraph& read);

}  // namespace lockstep::check
