#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

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

// Images of bytes, flattened for a layer whose weight is updated.
struct ImageLayer {
  enum class Reader { kNone, kResult, kSum };

  Variable weight{Random({70, 40}, 1)}, bias{Random({40}, 2)}, m{Random({70, 40}, 3)},
      v{Abs(Random({70, 40}, 4)), {.trainable = false}};
  Reader reader = Reader::kNone;
  bool fused_product = true;
  float scale = 1.0f / 255;

  graph::Graph Trace(const Tensor& table, const Tensor& rows) const {
    graph::Tracer tracer;
    const Tensor from = tracer.AddParameter(ops::TensorType::Of(table));
    const Tensor which = tracer.AddParameter(ops::TensorType::Of(rows));
    ops::BuilderScope scope(&tracer);
    const Tensor images = Cast(Gather(from, which), DType::kFloat32) * scale;
    const Tensor x = Reshape(images, {rows.shape()[0], 70});
    Tensor y = MatMul(x, weight.value());
    if (fused_product) y = Relu(BiasAdd(y, bias.value()));
    ops::Emit("ResourceApplyAdam",
              {weight.handle(), m.handle(), v.handle(), MatMul(x, y, /*transpose_a=*/true),
               Scalar(0.01f)},
              {{"beta_1", 0.9}, {"beta_2", 0.999}, {"epsilon", 1e-7}, {"extras", int64_t{0}}});
    tracer.graph()->results().push_back(tracer.EndpointOf(y));
    if (reader != Reader::kNone) {
      const Tensor read = reader == Reader::kResult ? images : ReduceSum(images);
      tracer.graph()->results().push_back(tracer.EndpointOf(read));
    }
    return *tracer.graph();
  }
};

// Of ten bytes so many are zero.
Tensor Images(int zeros) {
  std::vector<uint8_t> bytes;
  for (int i = 0; i < 30 * 70; ++i)
    bytes.push_back(i * 7919 % 1009 % 10 < zeros ? 0 : static_cast<uint8_t>(i * 37));
  return Tensor::FromVector(bytes, Shape({30, 7, 10}));
}

Tensor SomeRows() {
  std::vector<int32_t> rows;
  for (int i = 0; i < 50; ++i) rows.push_back(i * 7 % 30);
  return Tensor::FromVector(rows, Shape({50}));
}

int CountOf(const graph::Graph& graph, std::string_view op) {
  int count = 0;
  for (const graph::Node& node : graph.nodes()) count += node.spec->name == op;
  return count;
}

// What a step leaves, on so many lanes, with passes or without.
std::vector<Tensor> ValuesAfterStep(ImageLayer layer, const Tensor& table, bool passes, int lanes) {
  const Tensor rows = SomeRows();
  graph::Graph graph = layer.Trace(table, rows);
  graph::CutIntoLeaves(graph, graph::AnalyzeRows(graph, 50, {false, true}), {0, 13, 30, 50});
  if (passes) graph = graph::Simplify(graph);
  for (const char* op : {"_ScaledMatMul", "_ProductResourceApplyAdam"})
    EXPECT_EQ(CountOf(graph, op), passes ? 1 : 0) << op;
  EXPECT_EQ(CountOf(graph, "Cast"), passes ? 0 : 1);
  base::Team team(lanes);
  const Tensor y = Plan::Compile(graph, {})->Run({{table, rows}}, team)[0];
  return {y, layer.weight.value(), layer.m.value(), layer.v.value()};
}

// Equal bits, but for which NaN a NaN is.
void ExpectSame(const Tensor& got, const Tensor& want) {
  const auto g = got.ToVector<float>(), w = want.ToVector<float>();
  for (size_t i = 0; i < g.size(); ++i) {
    if (std::isnan(g[i]) && std::isnan(w[i])) continue;
    ASSERT_EQ(std::memcmp(&g[i], &w[i], sizeof(float)), 0) << "element " << i;
  }
}

void CheckFusedBytes(const Tensor& table, float scale, bool fused_product) {
  SCOPED_TRACE(::testing::Message() << "scale " << scale << ", fused " << fused_product);
  const auto layer = [&] {
    ImageLayer result;
    result.scale = scale;
    result.fused_product = fused_product;
    return result;
  };
  const std::vector<Tensor> expected = ValuesAfterStep(layer(), table, /*passes=*/false, 1);
  for (const int lanes : {1, 2, 3}) {
    const std::vector<Tensor> values = ValuesAfterStep(layer(), table, /*passes=*/true, lanes);
    for (size_t i = 0; i < values.size(); ++i) ExpectSame(values[i], expected[i]);
  }
}

TEST(FuseBytes, GivesTheBitsOfProductsOfFloats) {
  for (const int zeros : {0, 8}) {
    for (const float scale : {1.0f / 255, -2.0f, std::numeric_limits<float>::infinity()}) {
      for (const bool fused_product : {false, true})
        CheckFusedBytes(Images(zeros), scale, fused_product);
    }
  }
}

TEST(FuseBytes, LeavesExamplesAloneThatOthersTake) {
  for (const auto reader : {ImageLayer::Reader::kResult, ImageLayer::Reader::kSum}) {
    ImageLayer layer;
    layer.reader = reader;
    const graph::Graph graph = graph::Simplify(layer.Trace(Images(5), SomeRows()));
    EXPECT_EQ(CountOf(graph, "_GatherScaled"), 1);
    EXPECT_EQ(CountOf(graph, "_ScaledMatMul"), 0);
    EXPECT_EQ(CountOf(graph, "_FusedMatMul"), 1);
  }
}

TEST(FuseBytes, NamesAnIndexThatIsNoRow) {
  ImageLayer layer;
  const Tensor table = Images(5), rows = Tensor::FromVector(std::vector<int32_t>(50, 30), {50});
  base::Team team(1);
  const auto plan = Plan::Compile(graph::Simplify(layer.Trace(table, rows)), {});
  try {
    plan->Run({{table, rows}}, team);
    ADD_FAILURE() << "no error";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("30"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace lockstep::runtime
