#include "runtime/interpreter.h"

#include "base/check.h"
#include "runtime/eager.h"
#include "runtime/run_control.h"

namespace lockstep::runtime {

namespace {

// For a session's run, which may be ended between two ops, and names the op that fails.
std::vector<Tensor> EmitFor(RunControl& control, const graph::Node& node,
                            const std::vector<Tensor>& inputs) {
  control.Check().OrThrow();
  const auto begin =
      control.trace != nullptr ? RunControl::Clock::now() : RunControl::Clock::time_point{};
  try {
    auto outputs = EagerBuilder::Instance().Emit(*node.spec, inputs, node.attributes);
    control.Record(node, begin, outputs);
    return outputs;
  } catch (const Error& error) {
    throw WithOp(error, node.name);
  }
}

}  // namespace

Interpreter::Interpreter(graph::Graph graph) : graph_(std::move(graph)) {
  std::vector<std::vector<int>> last_use(graph_.num_nodes());
  for (const graph::Node& node : graph_.nodes()) {
    last_use[node.id].assign(node.outputs.size(), node.id);
    for (graph::Endpoint input : node.inputs) last_use[input.node][input.index] = node.id;
  }
  for (graph::Endpoint result : graph_.results())
    last_use[result.node][result.index] = graph_.num_nodes();
  last_used_.resize(graph_.num_nodes() + 1);
  for (const graph::Node& node : graph_.nodes()) {
    for (int i = 0; i < static_cast<int>(node.outputs.size()); ++i)
      last_used_[last_use[node.id][i]].push_back({node.id, i});
  }
}

std::vector<Tensor> Interpreter::Run(std::span<const Tensor> arguments) const {
  LOCKSTEP_CHECK_EQ(arguments.size(), graph_.parameters().size());
  std::vector<std::vector<Tensor>> values(graph_.num_nodes());
  for (size_t i = 0; i < arguments.size(); ++i)
    values[graph_.parameters()[i].node] = {arguments[i]};
  for (const graph::Node& node : graph_.nodes()) {
    if (node.spec->name == "Arg") continue;
    if (node.spec->name == "Const") {
      values[node.id] = {node.attributes.Get<Tensor>("value")};
      continue;
    }
    std::vector<Tensor> inputs;
    for (graph::Endpoint input : node.inputs) inputs.push_back(values[input.node][input.index]);
    RunControl* const control = RunControl::Current();
    if (control == nullptr) {
      values[node.id] = EagerBuilder::Instance().Emit(*node.spec, inputs, node.attributes);
    } else {
      values[node.id] = EmitFor(*control, node, inputs);
    }
    inputs.clear();
    for (graph::Endpoint e : last_used_[node.id]) {
      const bool made = graph_.node(e.node).spec->name != "Arg" && !graph_.constant(e);
      if (control != nullptr && made) control->Drop(values[e.node][e.index]);
      values[e.node][e.index] = Tensor();
    }
  }
  std::vector<Tensor> results;
  for (graph::Endpoint result : graph_.results())
    results.push_back(values[result.node][result.index]);
  return results;
}

}  // namespace lockstep::runtime
