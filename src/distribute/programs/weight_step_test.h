#pragma once

#include <vector>

#include "distribute/leaves.h"
#include "graph/graph.h"
#include "graph/passes.h"
#include "graph/rows.h"
#include "graph/tracer.h"
#include "lockstep/ops/array.h"
#include "lockstep/ops/linalg.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/structure.h"
#include "lockstep/runtime/variable.h"
#include "ops/builder.h"

/// What tests of spread and pushed steps cut: one update of a weight by its gradient.
namespace lockstep::distribute {

inline constexpr int64_t kInputs = 96, kOutputs = 64;

/// weight [kInputs, kOutputs] -= inputᵀ gradient over `examples` rows of both, in two leaves; the
/// input is made of bytes or given.
inline graph::Graph WeightStep(const Variable& weight, int64_t examples, bool of_bytes = false) {
  graph::Tracer tracer;
  const auto parameter = [&](DType dtype, const Shape& shape) {
    return tracer.AddParameter({dtype, shape, dtype});
  };
  Tensor input = of_bytes ? parameter(DType::kUInt8, Shape{examples, 8, kInputs / 8})
                          : parameter(DType::kFloat32, Shape{examples, kInputs});
  const Tensor gradient = parameter(DType::kFloat32, Shape{examples, kOutputs});
  {
    ops::BuilderScope scope(&tracer);
    if (of_bytes) input = Reshape(Cast(input, DType::kFloat32) * 0.5f, {examples, kInputs});
    weight.AssignSub(MatMul(input, gradient, /*transpose_a=*/true));
  }
  graph::Graph graph = graph::Prune(*tracer.graph());
  graph::CutIntoLeaves(graph, graph::AnalyzeRows(graph, examples, {true, true}),
                       MakeLeaves(examples, 1, 2).offsets);
  return graph;
}

}  // namespace lockstep::distribute
