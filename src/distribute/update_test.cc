// Updates and locks of variables under a strategy.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error_of_test.h"
#include "lockstep/check/races.h"
#include "lockstep/distribute/replica_context.h"
#include "lockstep/distribute/strategy.h"
#include "lockstep/ops/math.h"
#include "lockstep/runtime/function.h"
#include "lockstep/runtime/lock.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Aggregation = VariableAggregation;
using Synchronization = VariableSynchronization;

class UpdateInReplicas : public ::testing::TestWithParam<bool> {
 protected:
  UpdateInReplicas() { SetRaceCheck(RaceCheck::kRaise); }
  ~UpdateInReplicas() override { SetRaceCheck(RaceCheck::kWarn); }

  Variable Make(Synchronization synchronization, Aggregation aggregation) {
    auto scope = strategy.scope();
    return Variable(Scalar(4.0f),
                    {.name = "v", .synchronization = synchronization, .aggregation = aggregation});
  }
  // What each replica gives, eagerly or traced.
  std::vector<float> Run(const std::function<Tensor(const Tensor&)>& body) {
    const std::vector<Tensor> given{Scalar(1.0f), Scalar(3.0f)};
    const auto values = [](const PerReplica& value) {
      std::vector<float> all;
      for (const Tensor& own : value.values()) all.push_back(own.scalar<float>());
      return all;
    };
    if (!GetParam()) return values(strategy.Run(body, PerReplica(given)));
    const Function traced([&](const std::vector<Tensor>& own) {
      return strategy.Run(body, PerReplica(own)).values();
    });
    return values(PerReplica(traced.Call(given)));
  }
  MirroredStrategy strategy{{.devices = 2, .replicas = 2}};
};
INSTANTIATE_TEST_SUITE_P(EagerAndTraced, UpdateInReplicas, ::testing::Bool());

TEST_P(UpdateInReplicas, EachUpdatesItsOwnCopy) {
  const Variable none = Make(Synchronization::kAuto, Aggregation::kNone);
  const Variable sum = Make(Synchronization::kOnRead, Aggregation::kSum);
  for (const Variable& v : {none, sum}) {
    EXPECT_THAT(Run([&](const Tensor& x) {
                  return v.Update([&](const Tensor& value) { return value * x; });
                }),
                ElementsAre(4, 12));
  }
  auto scope = strategy.scope();
  EXPECT_EQ(sum.value().scalar<float>(), 16);
}

TEST_P(UpdateInReplicas, GradientsFlowToTheCopyThatIsUpdated) {
  const Variable v = Make(Synchronization::kAuto, Aggregation::kNone);
  const auto step = [&](const Tensor& x) {
    GradientTape tape;
    const Tensor y = v.value() * v.value() * x;
    v.AssignSub(tape.Gradient(y, v) * 0.25f);
    return v.value();
  };
  EXPECT_THAT(Run(step), ElementsAre(4 - 0.25f * 8, 4 - 0.25f * 24));
}

TEST_P(UpdateInReplicas, WhatReplicasAssignTogetherIsRefused) {
  const Variable v = Make(Synchronization::kAuto, Aggregation::kSum);
  const Error error = ErrorOf([&] {
    Run([&](const Tensor& x) { return v.Update([&](const Tensor& value) { return value * x; }); });
  });
  EXPECT_EQ(error.code(), Code::kUnimplemented);
  EXPECT_THAT(error.what(), HasSubstr("what all replicas assign together; got SUM"));
}

TEST_P(UpdateInReplicas, AroundThemItUpdatesEveryCopy) {
  const Variable mirrored = Make(Synchronization::kAuto, Aggregation::kNone);
  const Variable sum = Make(Synchronization::kOnRead, Aggregation::kSum);
  auto scope = strategy.scope();
  const auto update = [&] {
    return Update({mirrored, sum}, [](const std::vector<Tensor>& v) {
      return std::vector<Tensor>{v[0] + v[1], v[1] * 3};
    });
  };
  const std::vector<Tensor> after =
      GetParam() ? Function([&](const std::vector<Tensor>&) { return update(); }).Call({})
                 : update();
  EXPECT_EQ(after[0].scalar<float>(), 12);  // each of two copies has 4
  EXPECT_EQ(after[1].scalar<float>(), 24);
  EXPECT_EQ(sum.value().scalar<float>(), 24);
}

TEST_P(UpdateInReplicas, ALockIsHeldForAllReplicas) {
  const Variable v = Make(Synchronization::kAuto, Aggregation::kSum);
  auto scope = strategy.scope();
  const Lock lock(v);
  EXPECT_THAT(Run([&](const Tensor& x) { return v.AssignAdd(x); }), ElementsAre(8, 8));
  EXPECT_EQ(v.Assign(v.value() + 1).scalar<float>(), 9);
}

TEST_P(UpdateInReplicas, WhatReplicasDoInTurnIsNoRace) {
  const Variable v = Make(Synchronization::kAuto, Aggregation::kOnlyFirstReplica);
  auto scope = strategy.scope();
  const Tensor before = v.value();
  for (int i = 0; i < 3; ++i) Run([&](const Tensor& x) { return v.Assign(v.value() + x); });
  EXPECT_EQ(v.value().scalar<float>(), 7);
  EXPECT_EQ(v.Assign(before * 2).scalar<float>(), 8);
  EXPECT_TRUE(TakeRaceReports().empty());
}

}  // namespace
}  // namespace lockstep
