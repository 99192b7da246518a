#pragma once

#include <vector>

#include "distribute/leaves.h"
#include "graph/graph.h"
#include "graph/passes.h"
#include "graph/rows.h"
#include "graph/tracer.h"
#include "lockstep/ops/linalg.h"
#include "lockstep/runtime/variable.h"
#include "ops/builder.h"

/// What tests of spread and pushed steps cut: one update of a weight by its gradient.
namespace lockstep::distribute {

inline constexpr int64_t kInputs = 96, kOutputs = 64;

/// weight [kInputs, kOutputs] -= inputᵀ gradient over `examples` rows of both, in two leaves.
inline graph::Graph WeightStep(const Variable& weight, int64_t examples) {
  graph::Tracer tracer;
  const auto parameter = [&](int64_t columns) {
    return tracer.AddParameter({DType::kFloat32, Shape{examples, columns}, DType::kFloat32});
  };
  const Tensor input = parameter(kInputs), gradient = parameter(kOutputs);
  {
    ops::BuilderScope scope(&tracer);
    weight.AssignSub(MatMul(input, gradient, /*transpose_a=*/true));
  }
  graph::Graph graph = graph::Prune(*tracer.graph());
  graph::CutIntoLeaves(graph, graph::AnalyzeRows(graph, examples, {true, true}),
                       MakeLeaves(examples, 1, 2).offsets);
  return graph;
}

}  // namespace lockstep::distribute
