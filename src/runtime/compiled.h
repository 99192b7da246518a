#pragma once

#include <memory>
#include <span>
#include <string>
#include <vector>

#include "lockstep/runtime/execution_options.h"
#include "runtime/interpreter.h"
#include "runtime/program.h"

namespace lockstep::runtime {

/// A traced graph made ready to run: as one plan where that is possible, else as a program.
class Compiled {
 public:
  /// Runs all passes on `graph`, whose parameters' types are known; other `options` give the same
  /// bits in other ways.
  explicit Compiled(const graph::Graph& graph, const ExecutionOptions& options = {});

  std::vector<Tensor> Run(std::span<const Tensor> arguments, base::Team& team);
  /// The plan where there is one, else nullptr.
  Plan* plan() const { return plan_.get(); }
  PlanSummary Summary() const;
  std::string Describe() const;

 private:
  std::unique_ptr<Plan> plan_;
  std::unique_ptr<Program> program_;
  std::unique_ptr<Interpreter> interpreter_;
};

}  // namespace lockstep::runtime
