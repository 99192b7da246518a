#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "lockstep/distribute/strategy.h"
#include "lockstep/runtime/function.h"
#include "lockstep/runtime/random.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::FloatNear;

class ReplicaRandom : public ::testing::Test {
 protected:
  Generator Scoped(int64_t seed) {
    const auto scope = strategy.scope();
    return Generator::FromSeed(seed);
  }
  std::vector<int64_t> StateOf(const Generator& generator) {
    const auto scope = strategy.scope();
    return generator.state().value().ToVector<int64_t>();
  }
  MirroredStrategy strategy{{.devices = 2, .replicas = 2}};
};

TEST_F(ReplicaRandom, AGeneratorOfTheScopeHasAStreamForEachReplica) {
  const Generator generator = Scoped(1);
  const PerReplica drawn = strategy.Run([&] { return generator.Normal({2}); });
  EXPECT_THAT(drawn.value(0).ToVector<float>(),
              ElementsAre(FloatNear(-0.87930447f, 1e-6), FloatNear(1.4680789f, 1e-6)));
  EXPECT_THAT(drawn.value(1).ToVector<float>(),
              ElementsAre(FloatNear(0.02066157f, 1e-6), FloatNear(1.9473345f, 1e-6)));
  EXPECT_THAT(StateOf(generator), ElementsAre(513, 0, 0));
}

TEST_F(ReplicaRandom, TracedReplicasDrawWhatEagerOnesDraw) {
  const Generator eager = Scoped(1), traced = Scoped(1);
  const Function draw([&](const std::vector<Tensor>&) {
    return strategy.Run([&] { return traced.Uniform({3}); }).values();
  });
  for (int call = 0; call < 2; ++call) {
    const PerReplica expected = strategy.Run([&] { return eager.Uniform({3}); });
    const std::vector<Tensor> got = draw.Call({});
    for (int r = 0; r < 2; ++r)
      EXPECT_EQ(got.at(r).ToVector<float>(), expected.value(r).ToVector<float>()) << call << r;
  }
  EXPECT_EQ(StateOf(traced), StateOf(eager));
}

TEST_F(ReplicaRandom, AGeneratorFromOutsideIsDrawnFromInTurn) {
  const Generator shared = Generator::FromSeed(1), alone = Generator::FromSeed(1);
  const PerReplica drawn = strategy.Run([&] { return shared.Uniform({3}); });
  for (int r = 0; r < 2; ++r)
    EXPECT_EQ(drawn.value(r).ToVector<float>(), alone.Uniform({3}).ToVector<float>());
}

TEST_F(ReplicaRandom, OpsWithoutASeedDifferBetweenReplicas) {
  SetSeed(5);
  const PerReplica drawn = strategy.Run([] { return RandomUniform({3}); });
  SetSeed(5);
  for (int r = 0; r < 2; ++r)
    EXPECT_EQ(drawn.value(r).ToVector<float>(), RandomUniform({3}).ToVector<float>());
}

TEST_F(ReplicaRandom, AssigningPartsWithoutAggregationGivesTheFirst) {
  Variable variable;
  {
    const auto scope = strategy.scope();
    variable = Variable(Scalar(1.0f), {.synchronization = VariableSynchronization::kOnRead});
    EXPECT_EQ(variable.Assign(6.0).scalar<float>(), 6);
    EXPECT_EQ(variable.AssignAdd(1.0).scalar<float>(), 7);
    EXPECT_THROW(variable.value(), Error);
  }
  const PerReplica parts = strategy.Run([&] { return variable.value(); });
  EXPECT_EQ(parts.value(1).scalar<float>(), 7);
}

}  // namespace
}  // namespace lockstep
