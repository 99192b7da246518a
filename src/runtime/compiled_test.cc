// However a traced program is carried out, its bits are the same.
#include "runtime/compiled.h"

#include <gtest/gtest.h>

#include <cstring>

#include "graph/rows.h"
#include "lockstep/ops/activation.h"
#include "lockstep/ops/comparison.h"
#include "lockstep/ops/linalg.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/reduce.h"
#include "lockstep/ops/structure.h"
#include "lockstep/runtime/control_flow.h"
#include "lockstep/runtime/variable.h"
#include "runtime/function_trace_test.h"
#include "runtime/op_probe.h"

namespace lockstep::runtime {
namespace {

using testing::Random;
using Body = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;

void ExpectSameBytes(const std::vector<Tensor>& got, const std::vector<Tensor>& want) {
  ASSERT_EQ(got.size(), want.size());
  for (size_t i = 0; i < got.size(); ++i) {
    ASSERT_EQ(got[i].shape(), want[i].shape());
    EXPECT_EQ(std::memcmp(got[i].raw_data(), want[i].raw_data(), want[i].num_bytes()), 0)
        << "result " << i;
  }
}

std::vector<ExecutionOptions> AllOptions() {
  std::vector<ExecutionOptions> all{{.eager = true}};
  for (const bool passes : {false, true}) {
    for (const bool fuse : {false, true}) {
      for (const int64_t bucket : {0, 256, 1 << 20})
        all.push_back({.passes = passes, .fuse = fuse, .bucket_bytes = bucket});
    }
  }
  return all;
}

// A step that reads and writes a variable, with sums over the examples of a[0] and a[1].
std::vector<Tensor> TrainStep(Variable& w, const std::vector<Tensor>& a) {
  const Tensor hidden = Relu(MatMul(a[0], w.value()));
  const Tensor error = hidden - a[1];
  const Tensor gradient = MatMul(a[0], error, /*transpose_a=*/true);
  const Tensor before = w.value();
  w.AssignSub(gradient * (Scalar(1.0f) / Scalar(64.0f)));
  return {ReduceMean(error * error), before, w.value()};
}

graph::Graph CutStep(Variable& w, const std::vector<Tensor>& arguments,
                     const std::vector<int64_t>& offsets) {
  graph::Graph graph =
      TracedGraph([&](const std::vector<Tensor>& a) { return TrainStep(w, a); }, arguments);
  const graph::RowAnalysis analysis =
      graph::AnalyzeRows(graph, arguments[0].shape()[0], {true, true});
  EXPECT_TRUE(analysis.can_cut());
  graph::CutIntoLeaves(graph, analysis, offsets);
  return graph;
}

TEST(Compiled, OptionsNeverChangeABitOfACutStep) {
  const std::vector<Tensor> arguments{Random({100, 40}, 1), Random({100, 24}, 2)};
  const Tensor start = Random({40, 24}, 3);
  std::vector<Tensor> want;
  const auto run = [&](const ExecutionOptions& options, int lanes,
                       const std::vector<int64_t>& offsets) {
    Variable w(start, {.name = "w"});
    const graph::Graph graph = CutStep(w, arguments, offsets);
    base::Team team(lanes);
    Compiled compiled(graph, options);
    compiled.Run(arguments, team);
    return compiled.Run(arguments, team);  // the second step sees the first one's weights
  };
  want = run({}, 1, {0, 13, 50, 77, 100});
  for (const ExecutionOptions& options : AllOptions()) {
    for (const int lanes : {1, 3}) {
      SCOPED_TRACE(::testing::Message()
                   << "passes " << options.passes << ", fuse " << options.fuse << ", eager "
                   << options.eager << ", bucket " << options.bucket_bytes << ", lanes " << lanes);
      ExpectSameBytes(run(options, lanes, {0, 13, 50, 77, 100}), want);
    }
  }
  const Tensor other = run({.eager = true}, 1, {0, 100})[2];
  EXPECT_NE(std::memcmp(other.raw_data(), want[2].raw_data(), other.num_bytes()), 0)
      << "op by op, too, the leaves must show in the bits";
}

TEST(Compiled, OptionsNeverChangeABitOfAProgramWithControlFlow) {
  const Body body = [](const std::vector<Tensor>& a) {
    const auto loop = WhileLoop(
        [](const std::vector<Tensor>& v) { return Less(v[0], Scalar<int32_t>(3)); },
        [&](const std::vector<Tensor>& v) {
          return std::vector<Tensor>{v[0] + Scalar<int32_t>(1), Relu(MatMul(v[1], a[1])) * 0.5f};
        },
        {Scalar<int32_t>(0), a[0]});
    const Tensor larger = Greater(ReduceSum(loop[1]), Scalar(0.0f));
    return std::vector<Tensor>{
        Cond(
            larger, [&] { return loop[1] + 1.0f; }, [&] { return loop[1] - 1.0f; }),
        loop[0]};
  };
  const std::vector<Tensor> arguments{Random({37, 20}, 4), Random({20, 20}, 5)};
  const graph::Graph graph = TracedGraph(body, arguments);
  base::Team team(2);
  const std::vector<Tensor> want = Compiled(graph).Run(arguments, team);
  for (const ExecutionOptions& options : AllOptions())
    ExpectSameBytes(Compiled(graph, options).Run(arguments, team), want);
}

TEST(Compiled, OptionsReallyChangeHowAStepIsCarriedOut) {
  const std::vector<Tensor> arguments{Random({100, 40}, 1), Random({100, 24}, 2)};
  Variable w(Random({40, 24}, 3), {.name = "w"});
  const graph::Graph graph = CutStep(w, arguments, {0, 50, 100});
  const auto summary = [&](const ExecutionOptions& options) {
    return Compiled(graph, options).Summary();
  };
  EXPECT_GT(summary({.passes = false}).kernels, summary({}).kernels);
  EXPECT_GT(summary({}).chunked, 0);
  EXPECT_EQ(summary({.fuse = false}).chunked, 0);
  EXPECT_EQ(summary({.eager = true}).phases, 0);
  EXPECT_GT(summary({}).phases, 1);
}

}  // namespace
}  // namespace lockstep::runtime
