#include "runtime/compiled.h"

#include "graph/passes.h"

namespace lockstep::runtime {

Compiled::Compiled(const graph::Graph& traced, const ExecutionOptions& options) {
  const graph::Graph graph = graph::Prune(traced);
  if (NeedsProgram(graph)) {
    program_ = std::make_unique<Program>(graph, options);
  } else if (options.eager) {
    interpreter_ = std::make_unique<Interpreter>(graph);
  } else {
    plan_ = CompilePlan(graph, options);
  }
}

std::vector<Tensor> Compiled::Run(std::span<const Tensor> arguments, base::Team& team) {
  if (plan_ != nullptr) return plan_->Run(arguments, team);
  if (interpreter_ != nullptr) return interpreter_->Run(arguments);
  return program_->Run({arguments.begin(), arguments.end()}, team);
}

PlanSummary Compiled::Summary() const {
  return plan_ != nullptr ? plan_->Summary() : PlanSummary{};
}

std::string Compiled::Describe() const {
  if (plan_ != nullptr) return plan_->Describe();
  return interpreter_ != nullptr ? "op by op:\n" + interpreter_->graph().ToString()
                                 : program_->Describe();
}

}  // namespace lockstep::runtime
