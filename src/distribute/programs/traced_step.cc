#include "distribute/programs/traced_step.h"

#include "distribute/leaves.h"
#include "graph/passes.h"
#include "graph/rows.h"
#include "graph/tracer.h"
#include "ops/builder.h"
#include "runtime/replica.h"
#include "runtime/variable_hold.h"

namespace lockstep::distribute {

namespace {

graph::Graph Trace(const std::vector<ops::TensorType>& types, const StepBody& body,
                   const BatchCut& cut) {
  while (true) {
    const uint64_t layout = runtime::VariableLayout();
    graph::Tracer tracer;
    std::vector<Tensor> parameters;
    for (const auto& type : types) parameters.push_back(tracer.AddParameter(type));
    {
      const ops::BuilderScope scope(&tracer);
      const ReplicaBatchScope batch(cut.examples, cut.replicas);
      for (const Tensor& result : body(parameters)) {
        std::vector<Tensor> one{result};
        ops::ResolveWeak(one, "step");
        tracer.graph()->results().push_back(tracer.EndpointOf(one[0]));
      }
    }
    tracer.RequireNoCaptures("step");
    if (layout == runtime::VariableLayout()) return graph::Prune(*tracer.graph());
  }
}

}  // namespace

TracedStep TraceStep(const std::vector<ops::TensorType>& types, const StepBody& body,
                     const BatchCut& cut) {
  TracedStep step{.graph = Trace(types, body, cut)};
  const graph::RowAnalysis analysis = graph::AnalyzeRows(step.graph, cut.examples, cut.has_rows);
  if (analysis.can_cut()) {
    step.offsets = MakeLeaves(cut.examples, cut.replicas, cut.shards).offsets;
    graph::CutIntoLeaves(step.graph, analysis, step.offsets);
  } else {
    step.mixes_in = step.graph.node(analysis.mixing_node).name;
  }
  return step;
}

}  // namespace lockstep::distribute
