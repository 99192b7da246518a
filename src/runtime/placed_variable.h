#pragma once

#include <functional>
#include <vector>

#include "runtime/graph_builder.h"

namespace lockstep::runtime {

/// A variable whose value is in another process. What eager code does with it, and functions that
/// are called as they stand, run there; a coordinator gives them to workers.
class PlacedVariable : public GraphVariable {
 public:
  /// Runs `graph`, each variable's ops where the variable is and the others beside this one, as if
  /// alone. Errors: what ops throw; Unavailable, naming a task that was lost.
  virtual std::vector<Tensor> Run(const graph::Graph& graph,
                                  const std::vector<Tensor>& arguments) = 0;
  /// `Run` of one graph, to be called often.
  using Call = std::function<std::vector<Tensor>(const std::vector<Tensor>& arguments)>;
  virtual Call Prepare(graph::Graph graph) = 0;
};

/// What `handle` names, or nullptr for another kind of variable.
PlacedVariable* AsPlacedVariable(const Tensor& handle);
/// The first one that `graph`, or a body in it, names; nullptr without any.
PlacedVariable* PlacedVariableIn(const graph::Graph& graph);
/// Runs one op where its first placed variable is; `inputs` has one.
std::vector<Tensor> RunWherePlaced(PlacedVariable& variable, const ops::OpSpec& spec,
                                   const std::vector<Tensor>& inputs,
                                   const ops::Attributes& attributes);

}  // namespace lockstep::runtime
