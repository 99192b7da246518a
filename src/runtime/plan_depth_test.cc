#include <gtest/gtest.h>

#include <cstring>

#include "graph/passes.h"
#include "graph/rows.h"
#include "graph/tracer.h"
#include "lockstep/ops/activation.h"
#include "lockstep/ops/array.h"
#include "lockstep/ops/linalg.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/nn.h"
#include "lockstep/runtime/variable.h"
#include "runtime/op_probe.h"
#include "runtime/plan.h"

namespace lockstep::runtime {
namespace {

using testing::Random;

constexpr int64_t kTable = 90, kDepth = 300, kColumns = 130;

// With `sparse` four of five are zero.
Tensor Bytes(bool sparse = false) {
  std::vector<uint8_t> bytes;
  for (int64_t i = 0; i < kTable * kDepth; ++i) {
    const bool zero = sparse && i * 7919 % 1009 % 5 != 0;
    bytes.push_back(zero ? uint8_t{0} : static_cast<uint8_t>(i * 37 % 251));
  }
  return Tensor::FromVector(bytes, Shape({kTable, kDepth}));
}

Tensor Rows(int64_t count, int64_t last) {
  std::vector<int64_t> rows;
  for (int64_t i = 0; i < count; ++i) rows.push_back(i * 7 % kTable);
  rows.back() = last;
  return Tensor::FromVector(rows, Shape({count}));
}

// A first layer: examples from a table of bytes, a product, and the update of its weight.
struct FirstLayer {
  Variable weight{Random({kDepth, kColumns}, 1)}, bias{Random({kColumns}, 2)};
  Variable momentum{Random({kDepth, kColumns}, 3), {.trainable = false}};

  graph::Graph Trace(const Tensor& table, const Tensor& rows) const {
    graph::Tracer tracer;
    const Tensor from = tracer.AddParameter(ops::TensorType::Of(table));
    const Tensor which = tracer.AddParameter(ops::TensorType::Of(rows));
    ops::BuilderScope scope(&tracer);
    const Tensor x = Cast(Gather(from, which), DType::kFloat32) * (1.0f / 255);
    const Tensor y = Relu(BiasAdd(MatMul(x, weight.value()), bias.value()));
    ops::Emit(
        "ResourceApplyMomentum",
        {weight.handle(), momentum.handle(), MatMul(x, y, /*transpose_a=*/true), Scalar(0.001f)},
        {{"momentum", 0.9}, {"nesterov", false}, {"extras", int64_t{0}}});
    tracer.graph()->results().push_back(tracer.EndpointOf(y));
    return *tracer.graph();
  }
};

graph::Graph WithLeaves(graph::Graph graph, int64_t examples) {
  const std::vector<int64_t> leaves = {0, examples / 3, examples / 2, examples};
  graph::CutIntoLeaves(graph, graph::AnalyzeRows(graph, examples, {false, true}), leaves);
  return graph;
}

void CheckLanes(const Tensor& table) {
  for (const int64_t examples : {16, 33, 150}) {
    const Tensor rows = Rows(examples, 5);
    std::vector<Tensor> expected;
    for (const bool fuse : {false, true}) {
      for (const int lanes : {1, 2, 3, 4, 8}) {
        FirstLayer layer;
        graph::Graph graph = WithLeaves(layer.Trace(table, rows), examples);
        if (fuse) graph = graph::Simplify(graph);
        const auto plan = Plan::Compile(graph, {.fuse = fuse});
        EXPECT_EQ(plan->Describe().find("depth 300") != std::string::npos, fuse)
            << plan->Describe();
        EXPECT_EQ(plan->Describe().find("_ScaledMatMul") != std::string::npos, fuse);
        base::Team team(lanes);
        plan->Run({{table, rows}}, team);
        const std::vector<Tensor> values = {plan->Run({{table, rows}}, team)[0],
                                            layer.weight.value(), layer.momentum.value()};
        if (expected.empty()) expected = values;
        for (size_t i = 0; i < values.size(); ++i) {
          EXPECT_EQ(
              std::memcmp(values[i].raw_data(), expected[i].raw_data(), values[i].num_bytes()), 0)
              << "value " << i << ", " << lanes << " lanes, " << examples << " examples";
        }
      }
    }
  }
}

TEST(PlanDepth, ChainsThatLanesHandOnHaveTheSameBits) { CheckLanes(Bytes()); }

TEST(PlanDepth, ChainsThatLeaveOutZerosHaveTheSameBits) { CheckLanes(Bytes(/*sparse=*/true)); }

TEST(PlanDepth, AnErrorOnTheWayReachesTheCallerAndNobodyWaits) {
  const Tensor table = Bytes(), rows = Rows(40, kTable);
  for (const int lanes : {1, 2, 3, 8}) {
    FirstLayer layer;
    const auto plan =
        Plan::Compile(graph::Simplify(WithLeaves(layer.Trace(table, rows), 40)), PlanOptions());
    base::Team team(lanes);
    const std::vector<std::byte> before(
        static_cast<const std::byte*>(layer.weight.value().raw_data()),
        static_cast<const std::byte*>(layer.weight.value().raw_data()) +
            layer.weight.value().num_bytes());
    try {
      plan->Run({{table, rows}}, team);
      ADD_FAILURE() << "row 90 of 90 must be refused";
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), Code::kInvalidArgument);
      EXPECT_STREQ(error.what(),
                   "InvalidArgument: [GatherV2] an index must be in [0, 90); got indices[39] = 90");
    }
    EXPECT_EQ(std::memcmp(layer.weight.value().raw_data(), before.data(), before.size()), 0);
  }
}

TEST(PlanDepth, NotForAWeightThatOthersRead) {
  FirstLayer layer;
  const Tensor x = Random({32, kDepth}, 4);
  graph::Tracer tracer;
  const Tensor given = tracer.AddParameter(ops::TensorType::Of(x));
  {
    ops::BuilderScope scope(&tracer);
    const Tensor y = MatMul(given, layer.weight.value());
    const Tensor back = MatMul(y, layer.weight.value(), false, /*transpose_b=*/true);
    layer.weight.AssignSub(MatMul(given, y, /*transpose_a=*/true));
    tracer.graph()->results() = {tracer.EndpointOf(back)};
  }
  EXPECT_EQ(Plan::Compile(*tracer.graph(), {})->Describe().find("depth"), std::string::npos);
}

}  // namespace
}  // namespace lockstep::runtime
