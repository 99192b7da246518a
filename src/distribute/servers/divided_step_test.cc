#include "distribute/servers/divided_step.h"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "distribute/programs/traced_step.h"
#include "lockstep/ops/array.h"
#include "lockstep/ops/linalg.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/reduce.h"
#include "lockstep/runtime/gradient_tape.h"
#include "lockstep/runtime/variable.h"
#include "runtime/compiled.h"

namespace lockstep::distribute {
namespace {

Tensor Values(int64_t rows, int64_t columns) {
  std::vector<float> values(static_cast<size_t>(rows * columns));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = std::sin(static_cast<float>(i * i % 91)) / 3;
  return Tensor::FromVector(values, Shape{rows, columns});
}

std::vector<Tensor> RunGraph(const graph::Graph& graph, const std::vector<Tensor>& arguments) {
  base::Team team(1);
  return runtime::Compiled(graph).Run(arguments, team);
}

std::string BytesOf(const Tensor& tensor) {
  return {static_cast<const char*>(tensor.raw_data()), tensor.num_bytes()};
}

// A batch of x, and steps on it.
class DividedSteps : public testing::Test {
 protected:
  static constexpr int64_t kExamples = 22;

  TracedStep Trace(const StepBody& body, int shards = 5) {
    return TraceStep({ops::TensorType::Of(x)}, body,
                     {.examples = kExamples, .shards = shards, .has_rows = {true}});
  }
  // What remains after the parts have computed their sums, and the rest has taken them.
  std::vector<Tensor> RunDivided(const DividedStep& divided) {
    std::vector<Tensor> sums(divided.rest.parameters().size());
    for (const DividedStep::Part& part : divided.parts) {
      const Tensor rows = Slice(x, {part.first, 0}, {part.examples, x.shape()[1]});
      const std::vector<Tensor> given = RunGraph(part.graph, {rows});
      EXPECT_EQ(given.size(), part.gives.size());
      for (size_t i = 0; i < given.size(); ++i) sums[part.gives[i]] = given[i];
    }
    for (const Tensor& sum : sums) EXPECT_TRUE(sum.defined());
    return RunGraph(divided.rest, sums);
  }

  Tensor x = Values(kExamples, 3);
};

TEST_F(DividedSteps, HaveTheBitsOfTheWhole) {
  const Tensor first = Values(3, 4);
  const Variable w(first, {.name = "w"}), steps(Scalar<int64_t>(0), {.name = "steps"});
  const TracedStep traced = Trace([&](const std::vector<Tensor>& batch) {
    GradientTape tape;
    const Tensor y = MatMul(batch[0], w.value());
    const Tensor loss = ReduceMean(Square(y)) + 0.01f * ReduceSum(Square(w.value()));
    w.AssignSub(tape.Gradient(loss, w) * 0.3f);
    steps.AssignAdd(Scalar<int64_t>(1));
    return std::vector<Tensor>{loss, steps.value(), ReduceSum(y, {0})};
  });
  ASSERT_FALSE(traced.offsets.empty());
  const std::vector<Tensor> whole = RunGraph(traced.graph, {x});
  const Tensor after = w.value();
  for (int workers : {2, 3, 4, 5, 9}) {
    w.Assign(first);
    steps.Assign(Scalar<int64_t>(0));
    const auto divided = DivideStep(traced.graph, traced.offsets, workers);
    ASSERT_TRUE(divided.has_value()) << workers;
    EXPECT_EQ(divided->parts.size(), static_cast<size_t>(std::min(workers, 5)));
    const std::vector<Tensor> results = RunDivided(*divided);
    ASSERT_EQ(results.size(), whole.size());
    for (size_t i = 0; i < whole.size(); ++i)
      EXPECT_EQ(BytesOf(results[i]), BytesOf(whole[i])) << workers << " workers, result " << i;
    EXPECT_EQ(BytesOf(w.value()), BytesOf(after)) << workers;
  }
}

TEST_F(DividedSteps, NeedTwoLeaves) {
  const TracedStep one =
      Trace([](const std::vector<Tensor>& batch) { return std::vector{ReduceSum(batch[0])}; }, 1);
  EXPECT_FALSE(DivideStep(one.graph, one.offsets, 4).has_value());
  const TracedStep five =
      Trace([](const std::vector<Tensor>& batch) { return std::vector{ReduceSum(batch[0])}; });
  EXPECT_TRUE(DivideStep(five.graph, five.offsets, 4).has_value());
  EXPECT_FALSE(DivideStep(five.graph, five.offsets, 1).has_value());
}

TEST_F(DividedSteps, AreNoneWhereExamplesNeedASumOverAll) {
  const TracedStep traced = Trace([](const std::vector<Tensor>& batch) {
    const Tensor centred = batch[0] - ReduceMean(batch[0], {0});
    return std::vector{ReduceSum(Square(centred))};
  });
  ASSERT_FALSE(traced.offsets.empty()) << traced.mixes_in;
  EXPECT_FALSE(DivideStep(traced.graph, traced.offsets, 2).has_value());
}

TEST_F(DividedSteps, AreNoneWhereExamplesNeedWhatWasWritten) {
  const Variable scale(2.f, {.name = "scale"});
  const auto step = [&](bool writes_first) {
    return Trace([&, writes_first](const std::vector<Tensor>& batch) {
      if (writes_first) scale.AssignAdd(Scalar(1.f));
      const Tensor sum = ReduceSum(batch[0] * scale.value());
      if (!writes_first) scale.AssignAdd(Scalar(1.f));
      return std::vector{sum};
    });
  };
  const TracedStep before = step(true), after = step(false);
  EXPECT_FALSE(DivideStep(before.graph, before.offsets, 2).has_value());
  EXPECT_TRUE(DivideStep(after.graph, after.offsets, 2).has_value());
}

}  // namespace
}  // namespace lockstep::distribute
