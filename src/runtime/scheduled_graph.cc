#include "runtime/scheduled_graph.h"

#include "graph/rewrite.h"
#include "graph/segments.h"
#include "runtime/variable_cell.h"

namespace lockstep::runtime {

namespace {

// The accesses of variables by one op.
void AddAccesses(const graph::Graph& graph, const graph::Node& node,
                 std::vector<ScheduledOp>* accesses) {
  for (size_t i = 0; i < node.inputs.size(); ++i) {
    if (graph.type(node.inputs[i]).dtype != DType::kResource) continue;
    const Tensor* handle = graph::ResourceOf(graph, node.inputs[i]);
    if (handle == nullptr) continue;
    const auto* cell = dynamic_cast<const VariableCell*>(handle->object().get());
    if (cell == nullptr) continue;
    const bool writes = ops::HasBit(node.spec->effects.writes, i);
    const bool reads = ops::HasBit(node.spec->effects.reads, i);
    if (reads || writes) accesses->push_back({cell->name(), writes, node.name});
  }
}

}  // namespace

graph::Graph InScheduledOrder(const graph::Graph& graph, Schedule& schedule) {
  std::vector<int> waits(graph.num_nodes(), 0);
  std::vector<std::vector<int>> after(graph.num_nodes());
  for (const graph::Node& node : graph.nodes()) {
    std::vector<int> before = node.control_inputs;
    for (graph::Endpoint input : node.inputs) before.push_back(input.node);
    waits[node.id] = static_cast<int>(before.size());
    for (int id : before) after[id].push_back(node.id);
  }
  graph::Rewriter rewriter(graph);
  std::vector<int> ready;
  const auto keep = [&](int id) {
    rewriter.Keep(graph.node(id));
    for (int next : after[id]) {
      if (--waits[next] == 0) ready.push_back(next);
    }
  };
  // Parameters keep their order, which is the arguments'.
  for (const graph::Node& node : graph.nodes()) {
    if (node.spec->name != "Arg" && waits[node.id] == 0) ready.push_back(node.id);
  }
  for (graph::Endpoint parameter : graph.parameters()) keep(parameter.node);
  std::vector<ScheduledOp> accesses;
  while (!ready.empty()) {
    const int chosen = schedule.Choose(static_cast<int>(ready.size()));
    const int id = ready[chosen];
    ready.erase(ready.begin() + chosen);
    AddAccesses(graph, graph.node(id), &accesses);
    keep(id);
  }
  schedule.Note(accesses);
  return rewriter.Finish();
}

}  // namespace lockstep::runtime
