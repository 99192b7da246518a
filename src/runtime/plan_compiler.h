#pragma once

#include <unordered_map>
#include <vector>

#include "runtime/plan.h"

namespace lockstep::runtime {

/// Makes a `Plan`: places for values, one step a node, phases (plan_schedule.cc), memory
/// (plan_memory.cc).
class PlanCompiler {
 public:
  PlanCompiler(const graph::Graph& graph, const PlanOptions& options);
  std::unique_ptr<Plan> Compile();

 private:
  void AddNode(const graph::Node& node);
  void AddStep(const graph::Node& node);
  void AddRead(const graph::Node& node);
  void AddWindow(const graph::Node& node);
  int AddSlot(Slot slot);
  int SlotOf(graph::Endpoint endpoint) const { return slot_of_.at(Key(endpoint)); }
  int VariableOf(const Tensor& handle);
  void FindLastUses();
  void FindMirror(Step& step);
  void FindTakenSlots(Step& step, const std::vector<ops::TensorType>& inputs);
  void AddResults();
  /// Makes every step wait for the accesses of its variables that came before it in the program.
  void OrderEffects();

  // plan_failures.cc
  /// Finds the steps that may fail before any step has written; those that write wait for them.
  void FindFailures();
  bool RepeatsCheck(int step) const;

  // plan_depth.cc
  void DivideByDepth();
  bool MayDivideByDepth(int step) const;
  int OnlyWriterOfRows(int variable, int64_t rows) const;
  void DivideFactor(int product);

  // plan_schedule.cc
  void Schedule();
  void WeighRows();
  bool Divisible(const kernels::Kernel& kernel) const;
  double DividedCost() const;
  bool Place(int step);
  bool PlaceByDepth(int step);
  /// Notes that the last phase's group `target` does `step`.
  void PutInGroup(int step, int target);
  void StartPhase();

  // plan_memory.cc
  void SplitGroups();
  /// Groups with equally many rows are divided in the same way, in any phase: what a lane has
  /// written it may then read without a barrier, and it finds it in its cache.
  void FindRowDomains();
  void MarkChunkSlots();
  void ChooseChunks();
  void PlanArena();
  void PlanPointers();

  static int64_t Key(graph::Endpoint e) { return (int64_t{e.node} << 20) + e.index; }
  ops::TensorType KernelType(const ops::TensorType& type) const;

  const graph::Graph& graph_;
  const PlanOptions& options_;
  std::unique_ptr<Plan> plan_;
  std::unordered_map<int64_t, int> slot_of_;
  std::unordered_map<const VariableCell*, int> variable_index_;
  std::unordered_map<int64_t, int> last_use_;  // node id of the last consumer, by endpoint
  std::unordered_map<int, int> step_of_node_;
  std::vector<int> producer_;                // step that writes a slot, by slot; -1: none
  std::vector<std::vector<int>> writes_of_;  // node ids that write a variable, ascending
  // scheduling
  struct SlotInPhase {
    int phase = -1;
    int group = -1;
  };
  std::vector<SlotInPhase> written_in_;  // by slot
  struct AccessInPhase {
    int group;
    int slot;  // two windows of a variable have rows of their own
    bool aligned;
    bool write;
  };
  std::vector<std::vector<AccessInPhase>> accesses_;  // by variable, of the current phase
  std::unordered_map<int64_t, double> cost_of_rows_;  // of all steps with so many rows
  std::vector<int> group_of_step_, phase_of_step_;
  std::vector<char> fails_early_;  // by step
  int unplaced_failures_ = 0;      // early ones that have no phase yet
  int last_failure_phase_ = -1;    // of an early one
  int next_owner_ = 0;
};

}  // namespace lockstep::runtime
