#pragma once

#include <vector>

#include "graph/graph.h"

namespace lockstep::remote {

/// A part of a run that takes place in one go: on the servers, or here. Values have numbers: first
/// the run's parameters, then what stages hand on.
struct Stage {
  bool here = false;
  graph::Graph graph;
  std::vector<int> feeds;    // value by parameter of `graph`
  std::vector<int> results;  // value by result of `graph`
};

struct Stages {
  std::vector<Stage> stages;
  std::vector<Tensor> constants;  // by value; undefined where a stage or the caller gives it
  std::vector<int> results;       // value by result of the run
};

/// Whether ops of the graph can be carried out by this process alone: functions of Python, and what
/// else has attributes that no message can say.
bool NeedsThisProcess(const graph::Graph& graph);

/// Cuts a run at such ops. As few stages as the dependencies allow take place one after the other;
/// what is needed late is computed late, so that variables do not travel to this process and back.
/// Errors: FailedPrecondition for a branch, a loop or a function that must be carried out here and
/// touches variables of servers.
Stages CutIntoStages(const graph::Graph& graph);

}  // namespace lockstep::remote
