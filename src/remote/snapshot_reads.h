#pragma once

#include <memory>
#include <vector>

#include "graph/graph.h"
#include "runtime/variable_cell.h"

namespace lockstep::remote {

/// A graph in which reads of variables have become parameters behind its own. They get the values
/// of one moment, and nobody copies these.
struct SnapshotReads {
  graph::Graph graph;
  std::vector<std::shared_ptr<runtime::VariableCell>> cells;  // by parameter
};

/// Reads of variables that `graph` never writes. `late`: those before its first write, too, where
/// an op `_Hold` is put.
SnapshotReads ReadSnapshots(const graph::Graph& graph, bool late);

}  // namespace lockstep::remote
