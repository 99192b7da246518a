#include "distribute/step_program.h"

#include "distribute/leaves.h"
#include "graph/passes.h"
#include "graph/rows.h"
#include "graph/tracer.h"
#include "ops/builder.h"
#include "runtime/replica.h"

namespace lockstep::distribute {

namespace {

graph::Graph Trace(const std::vector<ops::TensorType>& types,
                   const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& body,
                   const StepOptions& options) {
  while (true) {
    const uint64_t layout = runtime::VariableLayout();
    graph::Tracer tracer;
    std::vector<Tensor> parameters;
    for (const auto& type : types) parameters.push_back(tracer.AddParameter(type));
    {
      const ops::BuilderScope scope(&tracer);
      const ReplicaBatchScope batch(options.examples, options.replicas);
      for (const Tensor& result : body(parameters)) {
        std::vector<Tensor> one{result};
        ops::ResolveWeak(one, "step");
        tracer.graph()->results().push_back(tracer.EndpointOf(one[0]));
      }
    }
    if (layout == runtime::VariableLayout()) return graph::Prune(*tracer.graph());
  }
}

}  // namespace

StepProgram MakeStepProgram(
    const std::vector<ops::TensorType>& types,
    const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& body,
    const StepOptions& options) {
  graph::Graph graph = Trace(types, body, options);
  StepProgram program;
  const graph::RowAnalysis analysis = graph::AnalyzeRows(graph, options.examples, options.has_rows);
  if (analysis.can_cut()) {
    graph::CutIntoLeaves(graph, analysis,
                         MakeLeaves(options.examples, options.replicas, options.shards).offsets);
  } else {
    program.mixes_in = graph.node(analysis.mixing_node).name;
  }
  program.compiled = std::make_unique<runtime::Compiled>(graph, options.execution);
  program.compiled->UndoFailures();
  return program;
}

}  // namespace lockstep::distribute
