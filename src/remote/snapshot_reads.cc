#include "remote/snapshot_reads.h"

#include <map>

#include "graph/rewrite.h"
#include "graph/segments.h"
#include "runtime/body_tracer.h"

namespace lockstep::remote {

namespace {

bool Writes(const graph::Graph& graph, const graph::Node& node) {
  std::vector<Tensor> inputs;
  for (graph::Endpoint input : node.inputs) {
    const Tensor* constant = graph.constant(input);
    inputs.push_back(constant == nullptr ? Tensor() : *constant);
  }
  runtime::ResourceSet writes;
  runtime::CollectWrites(*node.spec, node.attributes, inputs, &writes);
  return !writes.empty();
}

}  // namespace

SnapshotReads ReadSnapshots(const graph::Graph& graph, bool late) {
  runtime::ResourceSet written;
  runtime::CollectWrites(graph, &written);
  SnapshotReads result;
  graph::Rewriter rewriter(graph);
  std::map<const TensorObject*, graph::Endpoint> parameters;
  bool holds = !late;
  // The graph's own parameters come before those for snapshots, wherever they are in the program.
  const auto is_parameter = [](const graph::Node& node) { return node.spec->name == "Arg"; };
  for (const graph::Node& node : graph.nodes())
    if (is_parameter(node)) rewriter.Keep(node);
  for (const graph::Node& node : graph.nodes()) {
    if (is_parameter(node)) continue;
    if (!holds && Writes(graph, node)) {
      rewriter.result().AddNode("_Hold", {});
      holds = true;
    }
    const Tensor* handle =
        node.spec->name == "ReadVariableOp" ? graph::ResourceOf(graph, node.inputs[0]) : nullptr;
    const TensorObject* cell = handle == nullptr ? nullptr : handle->object().get();
    if (cell == nullptr || (holds && written.contains(cell))) {
      rewriter.Keep(node);
      continue;
    }
    const auto [place, fresh] = parameters.try_emplace(cell);
    if (fresh) {
      place->second = rewriter.result().AddParameter(node.outputs[0]);
      result.cells.push_back(std::dynamic_pointer_cast<runtime::VariableCell>(handle->object()));
    }
    rewriter.Map({node.id, 0}, place->second);
  }
  result.graph = rewriter.Finish();
  return result;
}

}  // namespace lockstep::remote
