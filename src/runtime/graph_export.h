#pragma once

#include <memory>
#include <vector>

#include "graph/export_graph_def.h"
#include "lockstep/runtime/function.h"
#include "lockstep/runtime/graph.h"
#include "lockstep/runtime/session.h"

namespace lockstep::runtime {

/// The graph in TensorFlow's form, with the control edges that were asked for alone: a `Graph`
/// promises no other order.
std::shared_ptr<graph_def::GraphDef> ExportGraph(const Graph& graph);
/// What one device runs of a graph, in both forms.
RunMetadata::PartitionGraph ExportPartition(const std::string& device, const graph::Graph& part);
/// What `function` is traced to for `arguments`; without `order_effects`, as if automatic control
/// dependencies were off.
std::shared_ptr<graph_def::GraphDef> ExportFunction(const Function& function,
                                                    const std::vector<Tensor>& arguments,
                                                    bool order_effects);

}  // namespace lockstep::runtime
