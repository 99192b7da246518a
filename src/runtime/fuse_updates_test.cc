#include <gtest/gtest.h>

#include <cstring>

#include "graph/passes.h"
#include "graph/rows.h"
#include "graph/tracer.h"
#include "lockstep/ops/linalg.h"
#include "lockstep/ops/math.h"
#include "lockstep/runtime/variable.h"
#include "ops/training.h"
#include "runtime/op_probe.h"
#include "runtime/plan.h"
#include "runtime/variable_cell.h"

namespace lockstep::runtime {
namespace {

using testing::Random;

enum class Reader { kNone, kResult, kOp };

// weight, m and v after an update by xᵀg, in a plan of `lanes` lanes.
struct Step {
  Variable weight{Random({100, 40}, 1)}, m{Random({100, 40}, 2)},
      v{Abs(Random({100, 40}, 3)), {.trainable = false}};
  Reader reader = Reader::kNone;
  bool is_written_again = false;

  graph::Graph Trace(const Tensor& x, const Tensor& g) {
    graph::Tracer tracer;
    const Tensor a = tracer.AddParameter(ops::TensorType::Of(x));
    const Tensor b = tracer.AddParameter(ops::TensorType::Of(g));
    ops::BuilderScope scope(&tracer);
    const Tensor gradient = MatMul(a, b, /*transpose_a=*/true);
    ops::Emit("ResourceApplyAdam",
              {weight.handle(), m.handle(), v.handle(), gradient, Scalar(0.01f)},
              {{"beta_1", 0.9}, {"beta_2", 0.999}, {"epsilon", 1e-7}, {"extras", int64_t{0}}});
    if (is_written_again) weight.AssignAdd(Random({100, 40}, 6));
    if (reader != Reader::kNone) {
      const Tensor result = reader == Reader::kResult ? gradient : gradient * 2.0f;
      tracer.graph()->results().push_back(tracer.EndpointOf(result));
    }
    return *tracer.graph();
  }
};

int Count(const graph::Graph& graph, std::string_view op) {
  int count = 0;
  for (const graph::Node& node : graph.nodes()) count += node.spec->name == op;
  return count;
}

TEST(FuseUpdates, GivesTheBitsOfProductAndUpdateOnAnyLanes) {
  const Tensor x = Random({50, 100}, 4), g = Random({50, 40}, 5);
  std::vector<Tensor> expected;
  for (const bool fused : {false, true}) {
    for (const int lanes : {1, 2, 3, 8}) {
      Step step;
      graph::Graph graph = step.Trace(x, g);
      graph::CutIntoLeaves(graph, graph::AnalyzeRows(graph, 50, {true, true}), {0, 13, 30, 50});
      if (fused) graph = graph::FuseUpdates(graph);
      EXPECT_EQ(Count(graph, "_ProductResourceApplyAdam"), fused ? 1 : 0);
      EXPECT_EQ(Count(graph, "MatMul"), fused ? 0 : 1);
      base::Team team(lanes);
      const auto plan = Plan::Compile(graph, {});
      plan->Run({{x, g}}, team);
      plan->Run({{x, g}}, team);
      const std::vector<Tensor> values = {step.weight.value(), step.m.value(), step.v.value()};
      if (expected.empty()) expected = values;
      for (size_t i = 0; i < values.size(); ++i) {
        EXPECT_EQ(std::memcmp(values[i].raw_data(), expected[i].raw_data(), values[i].num_bytes()),
                  0)
            << "value " << i << " on " << lanes << " lanes";
      }
    }
  }
}

TEST(FuseUpdates, LeavesAGradientAloneThatOthersTake) {
  const Tensor x = Random({50, 100}, 4), g = Random({50, 40}, 5);
  for (const Reader reader : {Reader::kResult, Reader::kOp}) {
    Step step;
    step.reader = reader;
    EXPECT_EQ(Count(graph::FuseUpdates(step.Trace(x, g)), "ResourceApplyAdam"), 1);
  }
  const Tensor many = Random({600, 100}, 4), of_many = Random({600, 40}, 5);
  EXPECT_EQ(Count(graph::FuseUpdates(Step().Trace(many, of_many)), "ResourceApplyAdam"), 1);
}

// What an update leaves in a mirror of bytes [begin, end) of its weight, and for which version.
struct Mirrored {
  std::vector<std::byte> bytes, expected;
  uint64_t version, written;
};

Mirrored RunWithMirror(size_t begin, size_t end, bool fused, bool is_written_again) {
  const Tensor x = Random({50, 100}, 4), g = Random({50, 40}, 5);
  Step step;
  step.is_written_again = is_written_again;
  graph::Graph graph = step.Trace(x, g);
  if (fused) graph = graph::FuseUpdates(graph);
  VariableCell& cell = CellOf(step.weight.handle());
  auto memory = std::make_shared<std::vector<std::byte>>(end - begin);
  cell.mirror() = {memory, memory->data(), begin, end};
  base::Team team(3);
  Plan::Compile(graph, {})->Run(std::vector<Tensor>{x, g}, team);
  const auto* value = static_cast<const std::byte*>(cell.data());
  return {*memory, {value + begin, value + end}, cell.mirror().version, cell.version()};
}

TEST(FuseUpdates, AnUpdateGoesToTheWeightsMirrorToo) {
  constexpr size_t kBytes = 100 * 40 * sizeof(float);
  for (const bool fused : {false, true}) {
    const Mirrored all = RunWithMirror(0, kBytes, fused, false);
    EXPECT_EQ(all.version, all.written);
    EXPECT_EQ(all.bytes, all.expected);
  }
}

TEST(FuseUpdates, AMirrorOfOtherBytesOrOfAWeightThatIsWrittenTwiceStaysEmpty) {
  constexpr size_t kBytes = 100 * 40 * sizeof(float);
  for (const bool fused : {false, true}) {
    for (const Mirrored& one :
         {RunWithMirror(0, kBytes / 2, fused, false),
          RunWithMirror(kBytes / 2, kBytes, fused, false), RunWithMirror(0, kBytes, fused, true)}) {
      EXPECT_EQ(one.version, 0u);
      EXPECT_EQ(one.bytes, std::vector<std::byte>(one.bytes.size()));
    }
  }
}

}  // namespace
}  // namespace lockstep::runtime
