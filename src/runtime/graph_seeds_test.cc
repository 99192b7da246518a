// The seed of a graph, and what a session has for itself.

#include <gtest/gtest.h>

#include <optional>

#include "lockstep/runtime/graph.h"
#include "lockstep/runtime/random.h"
#include "lockstep/runtime/session.h"
#include "ops/builder.h"
#include "runtime/element_types.h"
#include "runtime/graph_builder.h"
#include "runtime/op_seed.h"
#include "runtime/shared_object.h"

namespace lockstep {
namespace {

TEST(GraphSeed, IsTheGraphsAlone) {
  SetSeed(5);
  const Graph graph;
  {
    const auto scope = graph.AsDefault();
    EXPECT_EQ(graph.seed(), std::nullopt);
    EXPECT_EQ(runtime::NextSeedPair({}), std::nullopt);
    EXPECT_EQ(runtime::NextSeedPair(3)->seed, 87654321);
    SetSeed(17);
    EXPECT_EQ(graph.seed(), 17);
    EXPECT_EQ(runtime::NextSeedPair({})->seed2, 0);
    EXPECT_EQ(runtime::NextSeedPair(3)->seed, 17);
  }
  EXPECT_EQ(GlobalSeed(), 5);
  graph.SetSeed(std::nullopt);
  EXPECT_EQ(graph.seed(), std::nullopt);
}

// TensorFlow 2.21: tf.compat.v1.set_random_seed(1) in a graph.
TEST(GraphSeed, GivesTensorFlowsNumbers) {
  const Graph graph;
  const auto scope = graph.AsDefault();
  SetSeed(1);
  const Tensor first = RandomNormal(Shape{2}), second = RandomNormal(Shape{2});
  Session session(graph);
  const auto values = session.Run({first, second});
  EXPECT_NEAR(values[0].data<float>()[0], 0.3052047f, 1e-6);
  EXPECT_NEAR(values[1].data<float>()[1], 2.3878284f, 1e-6);
}

TEST(SessionObjects, EachSessionHasItsOwn) {
  const Graph graph;
  const auto scope = graph.AsDefault();
  ops::Attributes spec{{"capacity", int64_t{3}}};
  runtime::SetElementTypes({{DType::kFloat32, Shape(), DType::kFloat32}}, &spec);
  const Tensor queue = runtime::MakeNamedObject("queue", "q", spec);
  const Tensor again = runtime::MakeNamedObject("queue", "q", spec);  // the same in a session
  const Tensor put = ops::Emit1("QueueEnqueue", {queue, Scalar(1.f)});
  const Tensor size = ops::Emit1("QueueSize", {again});
  Session one(graph), other(graph);
  one.Run({put});
  EXPECT_EQ(one.Run({size})[0].scalar<int32_t>(), 1);
  EXPECT_EQ(other.Run({size})[0].scalar<int32_t>(), 0);
}

TEST(FinalizedGraph, IsOpenedAgain) {
  const Graph graph;
  graph.Finalize();
  const auto scope = graph.AsDefault();
  EXPECT_THROW(NamedConstant(Scalar(1.f)), runtime::FinalizedGraphError);
  graph.Reopen();
  NamedConstant(Scalar(1.f));
  EXPECT_EQ(graph.operations().size(), 1u);
}

}  // namespace
}  // namespace lockstep
