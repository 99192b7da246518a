#pragma once

#include <atomic>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "graph/extract.h"
#include "lockstep/runtime/session.h"
#include "runtime/compiled.h"
#include "runtime/run_control.h"
#include "runtime/session_target.h"
#include "runtime/variable_hold.h"

namespace lockstep::runtime {

/// A copy of `graph` and all bodies in it, in which `replace` has given another resource for some;
/// an undefined tensor leaves one as it is.
graph::Graph WithResources(const graph::Graph& graph,
                           const std::function<Tensor(const Tensor&)>& replace);

/// Whether a run may have that consistency: FailedPrecondition for an op that waits for others, and
/// for writes under kSnapshot.
void RequireRunnable(const graph::Graph& graph, Consistency consistency);

/// A variable whose value a run needs when it begins, and the op that needs it.
struct ValueNeed {
  std::shared_ptr<VariableCell> cell;
  std::string op;
};
/// Those of the cells that may be without a value, but those that the graph asks whether they have
/// one.
std::vector<ValueNeed> NeededValues(const graph::Graph& graph);
/// FailedPrecondition: the variable has no value.
Status NoValue(const ValueNeed& need);

/// One thing that a session has been asked for, compiled for one set of types and one consistency.
/// Variables that it only reads are parameters, which get their values of one moment when a run
/// begins; those that it writes are held from begin to end, and are as they were after a failure.
/// Threads: any number of runs at a time.
class SessionCallable : public SessionRun {
 public:
  /// `graph`: what is to be run, bound to cells. The first results are `num_fetches` tensors.
  SessionCallable(const graph::Graph& graph, size_t num_fetches, SessionMode mode);

  std::vector<Tensor> Run(std::span<const Tensor> feeds, RunControl& control,
                          RunMetadata* metadata) override;
  std::vector<RunMetadata::PartitionGraph> PartitionGraphs() const override;
  size_t bytes() const override;

 private:
  struct Access {
    std::shared_ptr<VariableCell> cell;
    int parameter = -1;  // of a variable that is only read
    bool held = false;   // until the end
    bool writes = false;
  };
  class Locks;
  void ReadSnapshots(const graph::Graph& bound);
  void RequireValues();

  const size_t num_fetches_;
  graph::Graph graph_;
  std::vector<Access> accesses_;   // by address
  std::vector<VariableUse> held_;  // by address
  std::vector<ValueNeed> needs_;
  std::atomic<bool> has_values_{false};
  size_t num_snapshots_ = 0;
  std::unique_ptr<Compiled> compiled_;
  std::unique_ptr<Program> relaxed_;
};

}  // namespace lockstep::runtime
