#pragma once

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/executor.h"
#include "base/team.h"
#include "graph/segments.h"
#include "lockstep/base/status.h"
#include "lockstep/runtime/execution_options.h"
#include "runtime/plan.h"
#include "runtime/program.h"

namespace lockstep::runtime {

/// Carries out an asynchronous op: starts it and calls `done` later, as new work of the executor.
using OnTensors = std::function<void(Result<std::vector<Tensor>>)>;
using AsynchronousOp =
    std::function<void(const graph::Node& node, const std::vector<Tensor>& inputs, OnTensors done)>;

/// A program cut at its asynchronous ops: a plan for each segment. An op is under way while later
/// segments run, until one needs what it gives. Without such ops it is one plan, and running it
/// costs what the plan costs.
class SegmentedProgram {
 public:
  /// A segment with control flow, or with shapes that depend on values, is a program.
  explicit SegmentedProgram(graph::Graph program, const ExecutionOptions& options = {});

  int num_segments() const { return static_cast<int>(segments_.size()); }
  Plan& plan(int segment) const { return *segments_[segment].plan; }
  std::string Describe() const;

  /// Runs a program of one segment.
  std::vector<Tensor> Run(std::span<const Tensor> arguments, base::Team& team);

  struct Context {
    base::Executor& executor;
    base::Team& team;
    /// Who carries out which asynchronous op, by its name.
    const std::map<std::string, AsynchronousOp>& asynchronous;
    /// If given, the time that segments take is added to it.
    base::Duration* busy = nullptr;
    /// Told when a run had nothing to do between `from` and `to`, until `node` was done.
    std::function<void(const graph::Node& node, base::Time from, base::Time to)> on_wait;
  };
  /// Starts a run: an event handler on the context's executor, which must outlive it, as must the
  /// program. `done` gets the results, or the first error; after an error later segments don't run.
  void Start(std::vector<Tensor> arguments, Context& context, OnTensors done);

 private:
  class Execution;
  /// A value that passes from one part of the program to another, by its number.
  using Place = int;
  struct Part {
    graph::Segment segment;
    std::unique_ptr<Plan> plan;
    std::unique_ptr<Program> program;  // in place of the plan, where there can be none
    std::vector<Place> inputs;
    std::vector<Place> outputs;
    std::vector<Place> last_uses;  // nobody needs these when the segment has run
  };
  struct Operation {
    std::vector<Place> inputs;
    std::vector<Place> outputs;
  };
  Place PlaceOf(graph::Endpoint endpoint);
  void FindLastUses();

  graph::Graph program_;
  std::vector<Part> segments_;
  std::unordered_map<int, Operation> operations_;  // by node
  std::vector<Place> results_;
  std::unordered_map<int64_t, Place> places_;
  std::vector<Tensor> values_;  // of constants; empty elsewhere
};

}  // namespace lockstep::runtime
