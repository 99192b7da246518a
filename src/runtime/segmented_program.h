#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "base/executor.h"
#include "base/team.h"
#include "graph/segments.h"
#include "lockstep/base/status.h"
#include "runtime/plan.h"

namespace lockstep::runtime {

/// Carries out an asynchronous op: starts it and calls `done` later, as new work of the executor.
using OnTensors = std::function<void(Result<std::vector<Tensor>>)>;
using AsynchronousOp =
    std::function<void(const graph::Node& node, const std::vector<Tensor>& inputs, OnTensors done)>;

/// A program cut at its asynchronous ops: a plan for each segment. Without such ops it is one plan,
/// and running it costs what the plan costs.
class SegmentedProgram {
 public:
  /// All types of `program` must be known.
  explicit SegmentedProgram(graph::Graph program);

  int num_segments() const { return static_cast<int>(segments_.size()); }
  const Plan& plan(int segment) const { return *segments_[segment].plan; }

  /// Runs a program of one segment.
  std::vector<Tensor> Run(std::span<const Tensor> arguments, base::Team& team);

  struct Context {
    base::Executor& executor;
    base::Team& team;
    /// Who carries out which asynchronous op, by its name.
    std::map<std::string, AsynchronousOp> asynchronous;
  };
  /// Starts a run: an event handler on the context's executor, which must outlive it, as must the
  /// program. `done` gets the results, or the first error; after an error later segments don't run.
  void Start(std::vector<Tensor> arguments, Context& context, OnTensors done);

 private:
  class Execution;
  struct Part {
    graph::Segment segment;
    std::unique_ptr<Plan> plan;
  };
  graph::Graph program_;
  std::vector<Part> segments_;
};

}  // namespace lockstep::runtime
