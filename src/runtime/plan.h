#pragma once

#include <atomic>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "base/shared_team.h"
#include "graph/graph.h"
#include "kernels/kernel.h"
#include "lockstep/runtime/execution_options.h"
#include "runtime/lane_choice.h"
#include "runtime/lane_shares.h"
#include "runtime/plan_clock.h"
#include "runtime/plan_sources.h"
#include "runtime/variable_cell.h"

namespace lockstep::runtime {

struct PlanOptions {
  /// Run steps whose rows depend on each other only row by row in chunks that stay in the cache.
  bool fuse = true;
  /// When steps that must wait for a barrier (sums of gradients, updates) would make this many
  /// bytes, the barrier comes at once, so that they run while their inputs are still in the cache
  /// and free them early. 0: they wait until nothing else is left.
  size_t bucket_bytes = 4 << 20;
};

/// `graph`, whose types are all known, as a plan, with or without passes before.
std::unique_ptr<class Plan> CompilePlan(const graph::Graph& graph, const ExecutionOptions& options);

/// Where an endpoint's elements are while a plan runs.
struct Slot {
  enum class Kind { kArena, kChunk, kParameter, kConstant, kVariable, kResult };
  Kind kind = Kind::kArena;
  int index = 0;  // which parameter, variable or result
  size_t bytes = 0;
  size_t offset = 0;     // into the arena, a lane's chunk memory or a variable
  size_t row_bytes = 0;  // kChunk: bytes of one row of the group's domain
  Tensor constant;
};

/// How the lanes divide a step.
enum class Division {
  kRows,     // each takes rows
  kColumns,  // each takes columns of the output
  kDepth,    // each takes steps of the product's chains, and hands the chains on
};

/// A kernel with its places.
struct Step {
  int node = 0;
  Division division = Division::kRows;
  int64_t grain = 1;  // lanes begin at multiples of so many rows, columns or steps of chains
  std::unique_ptr<kernels::Kernel> kernel;
  std::vector<int> inputs;  // slots; -1 where only the shape counts
  std::vector<int> outputs;
  std::vector<int> reads;  // variables
  std::vector<int> writes;
  int mirror = -1;           // it alone writes a variable, to a mirror, too: which of the run's
  int asks = -1;             // for rows of input 1, which is all of this variable
  std::vector<int> depends;  // steps that must come before, besides the producers of inputs
  bool may_fail = false;     // for what it finds in its inputs
};

/// A pointer of a step that has to be set: from where, and its place in a lane's table.
struct Patch {
  int slot;
  int pointer;
};

/// Steps that one lane carries out for its share of `domain` rows without waiting for anybody.
struct Group {
  int64_t domain = 1;
  int owner = -1;         // >= 0: not divided; lane owner % lanes does it all
  int64_t chunk = 0;      // rows of the domain a pass; 0: all at once
  int64_t grain = 1;      // lanes begin at multiples of so many rows
  int share = -1;         // the plan's RowDomain; -1: not divided
  bool by_depth = false;  // the domain is the depth of a product, the last step; see RunDepth
  std::vector<int> steps;
  std::vector<Patch> chunk_patches;
};

/// Groups that any lane may run at the same time; a barrier separates phases.
struct Phase {
  std::vector<Group> groups;
  int dearest_share = -1;  // of the group that costs most; -1: none is divided
};

/// A graph made ready to run: kernels, an order in phases, and a place in memory for every value.
/// Every bit of the results is fixed by the graph and the leaves; the number of lanes only decides
/// who computes what.
/// A run that fails has written no variable.
/// Threads: `Run` may be called from several threads; runs that write a common variable, or one
/// that writes what another reads, take place one after the other.
class Plan {
 public:
  /// All types of `graph` must be fully known. Throws what a kernel's factory throws.
  static std::unique_ptr<Plan> Compile(const graph::Graph& graph, const PlanOptions& options);
  ~Plan();

  /// Takes lanes of `team`: all that are free, or fewer where it is a default team and that is
  /// faster.
  std::vector<Tensor> Run(std::span<const Tensor> arguments, base::Team& team);

  /// From now on every run measures its steps; costs a few nanoseconds a step and pass.
  void MeasureSteps();
  /// Where the time of the measured runs went: microseconds a run, the dearest steps first.
  std::string Breakdown() const;
  /// What writes variables, in the order of the plan.
  struct Writer {
    std::string variable;
    std::string op;  // the node's name
    int phase;
    std::vector<std::string> from;  // the ops that its inputs come from
  };
  std::vector<Writer> Writers() const;
  /// Phases, groups and memory in words.
  std::string Describe() const;
  size_t arena_bytes() const { return arena_bytes_; }
  PlanSummary Summary() const;
  int num_phases() const { return static_cast<int>(phases_.size()); }

 private:
  friend class PlanCompiler;
  struct RunState;
  struct ResultSource {
    int slot = -1;
    ops::TensorType type;
  };

  Plan() = default;
  class Lanes;
  std::vector<Tensor> RunOn(base::Team& team, std::span<const Tensor> arguments);
  std::unique_ptr<RunState> AcquireState(int lanes);
  void ReleaseState(std::unique_ptr<RunState> state);
  void RunLane(RunState& state, int lane, base::Team& team) const;
  void RunPhase(RunState& state, const Phase& phase, int stage, int lane, base::Team& team) const;
  void RunGroup(RunState& state, const Group& group, int lane, int lanes) const;
  void RunDepth(RunState& state, const Group& group, int stage, int lane, base::Team& team) const;
  template <typename Work>
  static void Guard(RunState& state, int stage, int lane, const Work& work);
  void RunRows(RunState& state, const Group& group, int lane, int64_t begin, int64_t end) const;
  void BindLane(RunState& state, int lane) const;
  PlanClock::Watch Watch() const;
  VariableMirror* MirrorOf(const Slot& slot) const;
  bool LeavesDistantRows(size_t variable, int lanes) const;
  void* MemoryOf(size_t variable, int lanes) const;
  kernels::KernelMemory MemoryOf(RunState& state, int lane, int step) const;

  std::vector<Slot> slots_;
  std::vector<Step> steps_;
  std::vector<Phase> phases_;
  std::vector<RowDomain> row_domains_;  // those of the same rows are divided in the same way
  std::vector<std::shared_ptr<VariableCell>> variables_;
  std::vector<int> writes_;        // by variable: how many steps write it
  std::vector<int> mirror_slots_;  // by mirror: the slot that the step writes
  // By variable: the slots that are read or written without being asked for.
  std::vector<std::vector<int>> taken_slots_;
  std::vector<int> lock_order_;    // variables in the order in which their locks are taken
  bool writes_in_copies_ = false;  // some step may fail after another has written
  std::shared_ptr<const std::vector<std::string>> step_names_;
  std::shared_ptr<PlanClock> clock_;  // set while steps are measured
  std::vector<ops::TensorType> parameters_;
  std::vector<ResultSource> results_;
  PlanSources sources_;
  std::vector<ops::TensorType> result_buffers_;  // by kResult index
  std::vector<int> pointer_offsets_;             // by step: where its pointers begin
  int num_pointers_ = 0;
  std::vector<Patch> patches_;        // pointers to parameters, variables and results
  std::vector<Patch> arena_patches_;  // pointers into the arena
  size_t arena_bytes_ = 0;
  size_t chunk_bytes_ = 0;
  std::optional<LaneChoice> lane_choice_;
  std::atomic<RunState*> idle_state_{nullptr};
};

}  // namespace lockstep::runtime
