#pragma once

#include <optional>

#include "check/op_accesses.h"

namespace lockstep::graph_def {
class FunctionDefLibrary;
class NodeDef;
}  // namespace lockstep::graph_def

namespace lockstep::check {

/// Whether the op carries out the functions of the dataset that it takes, and its own.
bool RunsDataset(std::string_view op);

/// Whether the op carries out functions that are its attributes, and is none of the calls and
/// datasets that are known as such: MapDefun, SymbolicGradient, XlaLaunch and their like.
bool RunsFunctions(const graph_def::NodeDef& node);

/// What the functions of a node, a dataset or an op that runs one, do to the variable that is its
/// `number`-th handle of `handles`: nothing, a read, or an update, which is also what is not known.
std::optional<OpAccess> AccessOfCaptured(const graph_def::FunctionDefLibrary& library,
                                         const graph_def::NodeDef& node, int number, int handles);

}  // namespace lockstep::check
