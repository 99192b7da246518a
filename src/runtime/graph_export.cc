#include "runtime/graph_export.h"

#include "graph/tracer.h"
#include "lockstep/runtime/graph_def.h"
#include "ops/builder.h"
#include "runtime/graph_builder.h"
#include "runtime/graph_dot.h"
#include "runtime/shared_object.h"
#include "runtime/variable_cell.h"

namespace lockstep {

namespace runtime {
namespace {

std::string NameOfHandle(const Tensor& handle) {
  if (const auto* own = dynamic_cast<const GraphResource*>(handle.object().get())) {
    return own->name;
  }
  const auto* cell = dynamic_cast<const VariableCell*>(handle.object().get());
  return cell == nullptr ? "" : cell->name();
}

std::string OpOfHandle(const Tensor& handle) {
  const auto* object = dynamic_cast<const NamedObject*>(handle.object().get());
  if (object == nullptr) return "";
  if (object->kind == "queue") {
    constexpr const char* kOps[] = {"FIFOQueueV2", "PaddingFIFOQueueV2", "RandomShuffleQueueV2",
                                    "PriorityQueueV2"};
    return kOps[object->spec.GetOr<int64_t>("order", 0)];
  }
  return object->spec.GetOr("sparse", false) ? "SparseConditionalAccumulator"
                                             : "ResourceConditionalAccumulator";
}

std::string Written(const graph_def::GraphDef& graph, GraphForm form) {
  return form == GraphForm::kText ? graph::GraphDefText(graph) : graph::GraphDefBinary(graph);
}

}  // namespace

std::shared_ptr<graph_def::GraphDef> ExportGraph(const Graph& graph) {
  const std::lock_guard lock(graph.state()->mutex);
  return graph::ExportGraphDef(graph.state()->graph(),
                               {graph::EffectEdges::kNone, NameOfHandle, OpOfHandle});
}

RunMetadata::PartitionGraph ExportPartition(const std::string& device, const graph::Graph& part) {
  const auto exported =
      graph::ExportGraphDef(part, {graph::EffectEdges::kNone, NameOfHandle, OpOfHandle});
  return {device, GraphToDot(part, device), graph::GraphDefBinary(*exported)};
}

std::shared_ptr<graph_def::GraphDef> ExportFunction(const Function& function,
                                                    const std::vector<Tensor>& arguments,
                                                    bool order_effects) {
  graph::Tracer tracer;
  std::vector<Tensor> parameters;
  for (const Tensor& argument : arguments) {
    parameters.push_back(tracer.AddParameter(ops::TensorType::Of(argument)));
  }
  {
    const ops::RecordingPause pause;
    const ops::BuilderScope scope(&tracer);
    for (const Tensor& result : function.Call(parameters)) {
      tracer.graph()->results().push_back(tracer.EndpointOf(result));
    }
  }
  const auto edges = order_effects ? graph::EffectEdges::kAll : graph::EffectEdges::kAssignedReads;
  return graph::ExportGraphDef(*tracer.graph(), {edges, NameOfHandle});
}

}  // namespace runtime

std::string ToGraphDef(const Graph& graph, GraphForm form) {
  return runtime::Written(*runtime::ExportGraph(graph), form);
}

std::string ToGraphDef(const Function& function, const std::vector<Tensor>& arguments,
                       GraphForm form) {
  return runtime::Written(*runtime::ExportFunction(function, arguments, true), form);
}

}  // namespace lockstep
