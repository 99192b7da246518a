#include "runtime/compiled.h"

#include "graph/passes.h"
#include "runtime/replica.h"

namespace lockstep::runtime {

Compiled::Compiled(const graph::Graph& traced, const ExecutionOptions& options) {
  const graph::Graph graph = graph::Prune(traced);
  if (NeedsProgram(graph)) {
    program_ = std::make_unique<Program>(graph, options);
  } else if (options.eager) {
    interpreter_ = std::make_unique<Interpreter>(graph);
  } else {
    plan_ = CompilePlan(graph, options);
    return;
  }
  // A replica that waits in a meeting must not keep the others from their variables.
  if (!ReplicasMeetIn(graph)) uses_ = UsesOf(graph);
}

std::vector<Tensor> Compiled::Run(std::span<const Tensor> arguments, base::Team& team) {
  if (plan_ != nullptr) return plan_->Run(arguments, team);
  VariableHold hold(uses_, undoes_);
  std::vector<Tensor> results = interpreter_ != nullptr
                                    ? interpreter_->Run(arguments)
                                    : program_->Run({arguments.begin(), arguments.end()}, team);
  hold.Commit();
  return results;
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
