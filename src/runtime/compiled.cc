#include "runtime/compiled.h"

#include "graph/passes.h"
#include "runtime/fold.h"

namespace lockstep::runtime {

Compiled::Compiled(const graph::Graph& traced) {
  const graph::Graph graph = FoldConstants(graph::Prune(traced));
  if (NeedsProgram(graph)) {
    program_ = std::make_unique<Program>(graph);
  } else {
    plan_ = Plan::Compile(graph::Simplify(graph), {});
  }
}

std::vector<Tensor> Compiled::Run(const std::vector<Tensor>& arguments, base::Team& team) {
  return plan_ != nullptr ? plan_->Run(arguments, team) : program_->Run(arguments, team);
}

std::string Compiled::Describe() const {
  return plan_ != nullptr ? plan_->Describe() : program_->Describe();
}

}  // namespace lockstep::runtime
