#pragma once

#include <memory>
#include <string>

#include "graph/graph.h"
#include "graph/graph_def.h"

namespace lockstep::graph {

/// Which control edges are added to those that the graph has.
enum class EffectEdges {
  kNone,
  /// From an assignment to the read behind it that is the assignment's result.
  kAssignedReads,
  /// For the order that the program has and that a run keeps: between accesses of one variable of
  /// which one writes, and between ops with effects on the outside; and what a body gives waits for
  /// its effects. Source: TensorFlow's automatic control dependencies.
  kAll,
};

struct ExportOptions {
  EffectEdges effects = EffectEdges::kAll;
  /// The name of the variable that a handle names; handles of other things get the node's name.
  std::string (*variable_name)(const Tensor& handle) = nullptr;
  /// TensorFlow's op that makes what a handle names; empty for a variable.
  std::string (*handle_op)(const Tensor& handle) = nullptr;
};

/// The graph in TensorFlow's form: ops under their names, parameters as Placeholder, variables as
/// VarHandleOp, bodies of `If` and `While` as functions of the library, lines of the program as
/// debug information. Ops and attributes that only Lockstep has keep their names; attributes that
/// are no values are left out.
std::shared_ptr<graph_def::GraphDef> ExportGraphDef(const Graph& graph,
                                                    const ExportOptions& options);

}  // namespace lockstep::graph
