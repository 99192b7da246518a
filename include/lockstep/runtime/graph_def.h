#pragma once

#include <string>
#include <vector>

#include "lockstep/runtime/function.h"
#include "lockstep/runtime/graph.h"

namespace lockstep {

enum class GraphForm { kText, kBinary };

/// A graph in the form of TensorFlow's GraphDef, which TensorBoard shows: ops under their names,
/// variables as VarHandleOp, branches and loops as functions, lines of the program as debug
/// information. Ops that only Lockstep has keep their names. Values of variables are left out.
std::string ToGraphDef(const Graph& graph, GraphForm form = GraphForm::kText);
/// What a function is traced to for `arguments`, with control edges for the order of its effects.
std::string ToGraphDef(const Function& function, const std::vector<Tensor>& arguments,
                       GraphForm form = GraphForm::kText);

}  // namespace lockstep
