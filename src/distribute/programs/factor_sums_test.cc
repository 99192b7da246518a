#include "distribute/programs/factor_sums.h"

#include <gtest/gtest.h>

#include "distribute/programs/spread_sums.h"
#include "distribute/programs/weight_step_test.h"

namespace lockstep::distribute {
namespace {

// The shape of the first factor of each product that one of two ranks makes of a weight's gradient.
std::vector<Shape> FactorsOf(int64_t examples) {
  const Variable weight(
      Tensor::FromVector(std::vector<float>(kInputs * kOutputs), Shape{kInputs, kOutputs}));
  const SpreadProgram program =
      SpreadSums(WeightStep(weight, examples), {.examples = examples,
                                                .has_rows = {true, true},
                                                .offsets = MakeLeaves(examples, 1, 2).offsets,
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
