#include "distribute/programs/factor_sums.h"

#include <gtest/gtest.h>

#include "distribute/leaves.h"
#include "distribute/programs/spread_sums.h"
#include "graph/passes.h"
#include "graph/rows.h"
#include "graph/tracer.h"
#include "lockstep/ops/linalg.h"
#include "lockstep/runtime/variable.h"
#include "ops/builder.h"

namespace lockstep::distribute {
namespace {

constexpr int64_t kInputs = 96, kOutputs = 64;

// The shape of the first factor of each product that one of two ranks makes of a weight's gradient.
std::vector<Shape> FactorsOf(int64_t examples) {
  const Variable weight(
      Tensor::FromVector(std::vector<float>(kInputs * kOutputs), Shape{kInputs, kOutputs}));
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
  const auto offsets = MakeLeaves(examples, 1, 2).offsets;
  const std::vector<bool> has_rows = {true, true};
  graph::CutIntoLeaves(graph, graph::AnalyzeRows(graph, examples, has_rows), offsets);
  const SpreadProgram program = SpreadSums(graph, {.examples = examples,
                                                   .has_rows = has_rows,
                                                   .offsets = offsets,
                                                   .division = collectives::Division::Even(2, 2),
                                                   .slice_from = 1});
  std::vector<Shape> shapes;
  for (const graph::Node& node : program.graph.nodes()) {
    if (node.spec->name == "MatMul") shapes.push_back(program.graph.type(node.inputs[0]).shape);
  }
  return shapes;
}

TEST(FactorSums, AFewExamplesTravelThemselves) {
  EXPECT_EQ(FactorsOf(8), std::vector<Shape>({{8, kInputs / 2}}));
}

TEST(FactorSums, OfManyTheirSumDoes) {
  EXPECT_EQ(FactorsOf(400), std::vector<Shape>({{200, kInputs}}));
}

}  // namespace
}  // namespace lockstep::distribute
