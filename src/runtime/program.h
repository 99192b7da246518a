#pragma once

#include <memory>
#include <mutex>
#include <span>
#include <utility>
#include <vector>

#include "base/team.h"
#include "graph/graph.h"
#include "lockstep/runtime/execution_options.h"
#include "runtime/plan.h"

namespace lockstep::runtime {

/// Whether `graph` can't be one plan: it has control flow, ops that are carried out on the host, or
/// shapes that depend on values.
bool NeedsProgram(const graph::Graph& graph);

/// A graph that is carried out in steps: segments of ordinary ops, each compiled into a plan when
/// the shapes of its inputs are known, and between them control flow, ops with value-dependent
/// shapes, and ops of the host. Steps follow one another in the order of the program that was
/// traced. Threads: immutable but for the plans, which a lock guards; any number of executions.
class Program {
 public:
  explicit Program(const graph::Graph& graph, const ExecutionOptions& options = {});
  ~Program();

  /// Runs it from begin to end. Meetings are carried out by the host op's function.
  std::vector<Tensor> Run(const std::vector<Tensor>& arguments, base::Team& team) const;
  const graph::Graph& graph() const { return graph_; }
  std::string Describe() const;
  struct Item;  // program_items.h

 private:
  friend class Execution;

  void AddSegment(const std::vector<int>& nodes);
  void AddStep(const graph::Node& node);
  int ValueOf(graph::Endpoint e) const { return first_value_[e.node] + e.index; }

  graph::Graph graph_;
  ExecutionOptions options_;
  std::vector<std::unique_ptr<Item>> items_;
  std::vector<int> first_value_;  // by node
  std::vector<char> used_;        // by value: whether a node takes it, or it is a result
  std::vector<std::pair<int, Tensor>> constants_;
  int num_values_ = 0;
};

/// Where an execution stops, so that its caller carries the op out: nowhere, at ops of the host
/// that meet other replicas, or also at those that may wait for other runs.
enum class Stops : uint8_t { kNowhere, kAtMeetings, kAtMeetingsAndWaits };

/// One run of a program, which can stop where replicas meet and go on from there.
class Execution {
 public:
  Execution(const Program& program, const std::vector<Tensor>& arguments, Stops stops);
  ~Execution();

  /// Runs on until the end (false) or where it stops (true).
  bool Advance(base::Team& team);
  /// The op at which the program has stopped, and what it brings.
  const graph::Node& meeting() const;
  const std::vector<Tensor>& brought() const { return brought_; }
  /// What the op at which the program has stopped gives.
  void Answer(const std::vector<Tensor>& outputs);
  /// After the end.
  const std::vector<Tensor>& results() const { return results_; }

 private:
  struct Frame;
  void Push(const Program& program, const std::vector<Tensor>& arguments, int role);
  bool Step(base::Team& team);
  void RunSegment(Frame& frame, const Program::Item& item, base::Team& team);
  void StartLoop(Frame& frame, const Program::Item& item);
  void Iterate(Frame& frame, const Program::Item& item);
  void EndLoop(Frame& frame, const Program::Item& item);
  static void Remember(Frame& frame, const std::vector<Tensor>& values, size_t begin, size_t end);
  void Return();
  std::vector<Tensor> Inputs(const Frame& frame, const Program::Item& item) const;
  void Store(Frame& frame, const Program::Item& item, const std::vector<Tensor>& outputs);

  const Stops stops_;
  std::vector<std::unique_ptr<Frame>> frames_;
  std::vector<Tensor> brought_;
  std::vector<Tensor> results_;
};

}  // namespace lockstep::runtime
