#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lockstep/runtime/execution_options.h"
#include "runtime/interpreter.h"
#include "runtime/program.h"
#include "runtime/variable_hold.h"

namespace lockstep::runtime {

/// A traced graph made ready to run: as one plan where that is possible, else as a program.
class Compiled {
 public:
  /// Runs all passes on `graph`, whose parameters' types are known; other `options` give the same
  /// bits in other ways.
  explicit Compiled(const graph::Graph& graph, const ExecutionOptions& options = {});

  /// One run after another where they share a variable that one of them writes.
  std::vector<Tensor> Run(std::span<const Tensor> arguments, base::Team& team);
  /// From now on a run that fails leaves all variables as they were, also where it has several
  /// parts; that costs a copy of what such a run writes. A plan does so anyway.
  void UndoFailures() { undoes_ = true; }
  /// The plan where there is one, else nullptr.
  Plan* plan() const { return plan_.get(); }
  PlanSummary Summary() const;
  std::string Describe() const;

 private:
  std::unique_ptr<Plan> plan_;
  std::unique_ptr<Program> program_;
  std::unique_ptr<Interpreter> interpreter_;
  std::vector<VariableUse> uses_;  // where there is no plan, which knows them itself
  bool undoes_ = false;
};

}  // namespace lockstep::runtime
