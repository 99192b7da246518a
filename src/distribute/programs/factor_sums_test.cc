#include "distribute/programs/factor_sums.h"

#include <gtest/gtest.h>

#include "distribute/programs/spread_sums.h"
#include "distribute/programs/weight_step_test.h"

namespace lockstep::distribute {
namespace {

SpreadProgram ForOneOfTwo(int64_t examples, bool of_bytes) {
  const Variable weight(
      Tensor::FromVector(std::vector<float>(kInputs * kOutputs), Shape{kInputs, kOutputs}));
  return SpreadSums(WeightStep(weight, examples, of_bytes),
                    {.examples = examples,
                     .has_rows = {true, true},
                     .offsets = MakeLeaves(examples, 1, 2).offsets,
                     .division = collectives::Division::Even(2, 2),
                     .slice_from = 1});
}

// The shape of the first factor of each product that one of two ranks makes of a weight's gradient.
std::vector<Shape> FactorsOf(int64_t examples, bool of_bytes = false) {
  const SpreadProgram program = ForOneOfTwo(examples, of_bytes);
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

TEST(FactorSums, BytesTravelAsBytes) {
  EXPECT_EQ(FactorsOf(8, /*of_bytes=*/true), std::vector<Shape>({{8, kInputs / 2}}));
  const SpreadProgram program = ForOneOfTwo(8, /*of_bytes=*/true);
  int exchanged = 0;
  for (const graph::Node& node : program.graph.nodes()) {
    if (node.spec->name != "_Exchange") continue;
    for (const ops::TensorType& block : node.outputs) {
      const bool is_input = block.shape == Shape({4, kInputs / 2});
      EXPECT_EQ(block.dtype, is_input ? DType::kUInt8 : DType::kFloat32);
      exchanged += is_input ? 1 : 0;
    }
  }
  EXPECT_EQ(exchanged, 2);
}

}  // namespace
}  // namespace lockstep::distribute
