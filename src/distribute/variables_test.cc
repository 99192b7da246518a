#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error_of_test.h"
#include "lockstep/distribute/strategy.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/structure.h"
#include "lockstep/runtime/function.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using Aggregation = VariableAggregation;
using Synchronization = VariableSynchronization;

std::vector<float> Scalars(const PerReplica& value) {
  std::vector<float> all;
  for (const Tensor& own : value.values()) all.push_back(own.scalar<float>());
  if (value.is_same()) all.resize(2, all[0]);
  return all;
}

// A variable that starts at 4 under two replicas, to which replica r gives r * 2 + 1.
class Replicated : public ::testing::TestWithParam<bool> {
 protected:
  Variable Make(Synchronization synchronization, Aggregation aggregation) {
    auto scope = strategy.scope();
    return Variable(Scalar(4.0f),
                    {.name = "v", .synchronization = synchronization, .aggregation = aggregation});
  }
  // What each replica reads after `body`, eagerly or traced.
  std::vector<float> Run(const std::function<Tensor(const Tensor&)>& body) {
    const PerReplica given(std::vector<Tensor>{Scalar(1.0f), Scalar(3.0f)});
    if (!GetParam()) return Scalars(strategy.Run(body, given));
    const Function traced([&](const std::vector<Tensor>& own) {
      return strategy.Run(body, PerReplica(own)).values();
    });
    return Scalars(PerReplica(traced.Call(given.values())));
  }
  MirroredStrategy strategy{{.devices = 2, .replicas = 2}};
};
INSTANTIATE_TEST_SUITE_P(EagerAndTraced, Replicated, ::testing::Bool());

TEST_P(Replicated, OnWriteNoneLetsReplicasDiverge) {
  const Variable v = Make(Synchronization::kAuto, Aggregation::kNone);
  EXPECT_THAT(v.ToString(),
              HasSubstr("MirroredVariable 'v' float32[], aggregation NONE, of mirrored "
                        "with 2 replicas: one copy"));
  const uint64_t id = v.handle().id();
  EXPECT_EQ(v.handle().id(), id);
  EXPECT_THAT(Run([&](const Tensor& t) { return v.Assign(t); }), ElementsAre(1, 3));
  EXPECT_EQ(v.value().scalar<float>(), 1);  // component 0
  EXPECT_THAT(v.ToString(), HasSubstr("2 copies in this process, one a replica, since replicas "
                                      "assigned values of their own"));
  EXPECT_THAT(Run([&](const Tensor& t) { return v.AssignAdd(t); }), ElementsAre(2, 6));
  EXPECT_THAT(Run([&](const Tensor&) { return v.Assign(9.0); }), ElementsAre(9, 9));
  EXPECT_EQ(v.Assign(7.0).scalar<float>(), 7);
  EXPECT_EQ(v.AssignAdd(Scalar(1.0f)).scalar<float>(), 8);
  EXPECT_THAT(Run([&](const Tensor&) { return v.value(); }), ElementsAre(8, 8));
  const Error error = ErrorOf([&] { v.handle(); });
  EXPECT_EQ(error.code(), Code::kFailedPrecondition);
  EXPECT_THAT(error.what(), HasSubstr("every replica has a copy; got v"));
}

TEST_P(Replicated, OnWriteSumAddsUp) {
  const Variable v = Make(Synchronization::kOnWrite, Aggregation::kSum);
  EXPECT_THAT(Run([&](const Tensor& t) { return v.AssignAdd(t); }), ElementsAre(8, 8));
  EXPECT_EQ(v.version(), 1u);  // one assignment for all
  EXPECT_THAT(Run([&](const Tensor& t) { return v.Assign(t); }), ElementsAre(4, 4));
  EXPECT_THAT(Run([&](const Tensor& t) { return v.AssignSub(t); }), ElementsAre(0, 0));
  const Error error = ErrorOf([&] { Run([&](const Tensor&) { return v.Assign(5.0); }); });
  EXPECT_EQ(error.code(), Code::kInvalidArgument);
  EXPECT_THAT(error.what(), HasSubstr("a number can't be summed over 2 replicas"));
  EXPECT_EQ(v.Assign(7.0).scalar<float>(), 7);
  EXPECT_EQ(v.AssignAdd(1.0).scalar<float>(), 8);
  EXPECT_THAT(v.ToString(), HasSubstr("one copy in this process for all replicas"));
}

TEST_P(Replicated, OnWriteMeanAverages) {
  const Variable v = Make(Synchronization::kOnWrite, Aggregation::kMean);
  EXPECT_THAT(Run([&](const Tensor& t) { return v.Assign(t); }), ElementsAre(2, 2));
  EXPECT_THAT(Run([&](const Tensor&) { return v.Assign(5.0); }), ElementsAre(5, 5));
  EXPECT_THAT(Run([&](const Tensor& t) { return v.AssignAdd(t); }), ElementsAre(7, 7));
  EXPECT_EQ(v.Assign(1.0).scalar<float>(), 1);
}

TEST_P(Replicated, OnWriteFirstTakesTheFirst) {
  const Variable v = Make(Synchronization::kOnWrite, Aggregation::kOnlyFirstReplica);
  EXPECT_THAT(Run([&](const Tensor& t) { return v.Assign(t * 2); }), ElementsAre(2, 2));
  EXPECT_THAT(Run([&](const Tensor& t) { return v.AssignAdd(t); }), ElementsAre(3, 3));
  EXPECT_THAT(Run([&](const Tensor&) { return v.Assign(5.0); }), ElementsAre(5, 5));
}

TEST_P(Replicated, OnReadSumAddsUpWhenRead) {
  const Variable v = Make(Synchronization::kOnRead, Aggregation::kSum);
  EXPECT_FALSE(v.trainable());
  EXPECT_THAT(Run([&](const Tensor& t) { return v.AssignAdd(t); }), ElementsAre(5, 7));
  EXPECT_EQ(v.value().scalar<float>(), 12);
  EXPECT_EQ(v.Assign(10.0).scalar<float>(), 10);  // each one half
  EXPECT_THAT(Run([&](const Tensor&) { return v.value(); }), ElementsAre(5, 5));
  const Error error = ErrorOf([&] { v.AssignAdd(1.0); });
  EXPECT_EQ(error.code(), Code::kInvalidArgument);
  EXPECT_THAT(error.what(), HasSubstr("got AssignAddVariableOp"));
  EXPECT_THAT(v.ToString(), HasSubstr("SyncOnReadVariable 'v' float32[], aggregation SUM"));
  EXPECT_THAT(v.ToString(), HasSubstr("since they are combined only when read"));
}

TEST_P(Replicated, OnReadMeanFirstAndNone) {
  const Variable mean = Make(Synchronization::kOnRead, Aggregation::kMean);
  EXPECT_THAT(Run([&](const Tensor& t) { return mean.Assign(t); }), ElementsAre(1, 3));
  EXPECT_EQ(mean.value().scalar<float>(), 2);
  EXPECT_EQ(mean.AssignAdd(1.0).scalar<float>(), 3);
  EXPECT_THAT(Run([&](const Tensor&) { return mean.value(); }), ElementsAre(2, 4));

  const Variable first = Make(Synchronization::kOnRead, Aggregation::kOnlyFirstReplica);
  Run([&](const Tensor& t) { return first.Assign(t); });
  EXPECT_EQ(first.value().scalar<float>(), 1);

  const Variable none = Make(Synchronization::kOnRead, Aggregation::kNone);
  EXPECT_THAT(Run([&](const Tensor& t) { return none.Assign(t); }), ElementsAre(1, 3));
  EXPECT_EQ(none.Assign(6.0).scalar<float>(), 6);
  const Error error = ErrorOf([&] { none.value(); });
  EXPECT_EQ(error.code(), Code::kInvalidArgument);
  EXPECT_THAT(error.what(), HasSubstr("without an aggregation; got NONE"));
  EXPECT_THAT(Run([&](const Tensor&) { return none.value(); }), ElementsAre(6, 6));
}

TEST(OneReplica, OfAMirroredStrategyCombinesWhatOneOfAPlainOneReads) {
  const auto make = [](Strategy& strategy, Aggregation aggregation) {
    const auto scope = strategy.scope();
    return Variable(Scalar(1.0f),
                    {.synchronization = Synchronization::kOnRead, .aggregation = aggregation});
  };
  MirroredStrategy mirrored({.devices = 1});
  const Error unread = ErrorOf([&] { make(mirrored, Aggregation::kNone).value(); });
  EXPECT_EQ(unread.code(), Code::kInvalidArgument);
  EXPECT_THAT(unread.what(), HasSubstr("without an aggregation; got NONE"));
  const Variable sum = make(mirrored, Aggregation::kSum);
  const Error added = ErrorOf([&] { sum.AssignAdd(1.0); });
  EXPECT_EQ(added.code(), Code::kInvalidArgument);
  EXPECT_THAT(added.what(), HasSubstr("got AssignAddVariableOp"));
  EXPECT_EQ(sum.Assign(6.0).scalar<float>(), 6);
  EXPECT_EQ(make(mirrored, Aggregation::kMean).AssignAdd(1.0).scalar<float>(), 2);

  OneDeviceStrategy plain;
  EXPECT_EQ(make(plain, Aggregation::kNone).value().scalar<float>(), 1);
  EXPECT_EQ(make(plain, Aggregation::kSum).AssignAdd(1.0).scalar<float>(), 2);
}

TEST_P(Replicated, ScattersByTheRules) {
  const auto make = [&](Synchronization synchronization, Aggregation aggregation) {
    auto scope = strategy.scope();
    return Variable(
        Constant<float>({0, 0}),
        {.name = "rows", .synchronization = synchronization, .aggregation = aggregation});
  };
  const Tensor row = Constant<int32_t>({1});
  const auto scatter = [&](const Variable& v, ScatterKind kind) {
    return Run([&](const Tensor& t) {
      return Gather(v.Scatter(kind, row, Reshape(t, {1})), Scalar<int32_t>(1));
    });
  };
  const Variable sum = make(Synchronization::kAuto, Aggregation::kSum);
  EXPECT_THAT(scatter(sum, ScatterKind::kAdd), ElementsAre(4, 4));
  EXPECT_THAT(scatter(sum, ScatterKind::kSubtract), ElementsAre(0, 0));
  const Variable mean = make(Synchronization::kAuto, Aggregation::kMean);
  EXPECT_THAT(scatter(mean, ScatterKind::kAdd), ElementsAre(2, 2));
  const Error refused = ErrorOf([&] { scatter(mean, ScatterKind::kMaximum); });
  EXPECT_EQ(refused.code(), Code::kUnimplemented);
  EXPECT_THAT(refused.what(), HasSubstr("ResourceScatterMax has no meaning for sums and means"));
  const Variable first = make(Synchronization::kAuto, Aggregation::kOnlyFirstReplica);
  EXPECT_THAT(scatter(first, ScatterKind::kUpdate), ElementsAre(1, 1));
  const Variable none = make(Synchronization::kAuto, Aggregation::kNone);
  EXPECT_THAT(scatter(none, ScatterKind::kMaximum), ElementsAre(1, 3));
  const Variable on_read = make(Synchronization::kOnRead, Aggregation::kSum);
  const Error error = ErrorOf([&] { scatter(on_read, ScatterKind::kAdd); });
  EXPECT_EQ(error.code(), Code::kUnimplemented);
  EXPECT_THAT(error.what(), HasSubstr("can't be scattered; got ResourceScatterAdd"));
}

TEST(CentralStorage, HasOneCopyOfEachVariable) {
  CentralStorageStrategy strategy({.compute_devices = {"CPU:0", "CPU:1"}});
  EXPECT_EQ(strategy.num_replicas_in_sync(), 2);
  EXPECT_EQ(strategy.parameter_device(), "CPU:0");
  const auto scope = strategy.scope();
  const PerReplica given(std::vector<Tensor>{Scalar(1.0f), Scalar(3.0f)});
  const auto make = [](Synchronization synchronization, Aggregation aggregation) {
    return Variable(Scalar(4.0f),
                    {.name = "v", .synchronization = synchronization, .aggregation = aggregation});
  };
  for (const bool traced : {false, true}) {
    const auto run = [&](const std::function<Tensor(const Tensor&)>& body) {
      if (!traced) return Scalars(strategy.Run(body, given));
      const Function function([&](const std::vector<Tensor>& own) {
        return strategy.Run(body, PerReplica(own)).values();
      });
      return Scalars(PerReplica(function.Call(given.values())));
    };
    for (const auto synchronization : {Synchronization::kOnWrite, Synchronization::kOnRead}) {
      const Variable sum = make(synchronization, Aggregation::kSum);
      EXPECT_THAT(run([&](const Tensor& t) { return sum.AssignAdd(t); }), ElementsAre(8, 8));
      EXPECT_EQ(sum.value().scalar<float>(), 8);
      EXPECT_EQ(sum.trainable(), synchronization == Synchronization::kOnWrite);
      EXPECT_THAT(sum.ToString(), HasSubstr("CentralVariable 'v' float32[], aggregation SUM, of "
                                            "central_storage with 2 replicas: one copy, on CPU:0"));
      const Variable none = make(synchronization, Aggregation::kNone);
      const Error error = ErrorOf([&] { run([&](const Tensor& t) { return none.Assign(t); }); });
      EXPECT_EQ(error.code(), Code::kInvalidArgument);
      EXPECT_THAT(error.what(), HasSubstr("got aggregation NONE; make it with aggregation SUM"));
      EXPECT_EQ(none.Assign(2.0).scalar<float>(), 2);
    }
  }
}

TEST(CentralStorage, KeepsVariablesOnTheDeviceThatIsNamed) {
  EXPECT_EQ(CentralStorageStrategy({.devices = 2}).parameter_device(), "CPU:0");
  EXPECT_EQ(CentralStorageStrategy({.compute_devices = {"CPU:3"}}).parameter_device(), "CPU:3");
  CentralStorageStrategy one({.devices = 1, .parameter_device = "CPU:1"});
  EXPECT_EQ(one.parameter_device(), "CPU:1");
  const auto scope = one.scope();
  const Variable v(Scalar(1.0f));
  EXPECT_EQ(one.Run([&](const Tensor& t) { return v.Assign(t); }, PerReplica({Scalar(5.0f)}))
                .value(0)
                .scalar<float>(),
            5);
}

TEST_P(Replicated, AppliesEveryReplicasUpdateToAVariableFromOutside) {
  const Variable v(Scalar(0.0f));
  EXPECT_THAT(Run([&](const Tensor& t) { return v.AssignAdd(t); }), ElementsAre(1, 4));
  EXPECT_EQ(v.value().scalar<float>(), 4);
  EXPECT_THAT(v.ToString(), HasSubstr("made outside of a strategy's scope"));
}

TEST_P(Replicated, CreatesAVariableOnceInsideOfRun) {
  int calls = 0;
  Variable created;
  const auto body = [&](const Tensor& t) {
    if (!created.defined() || !GetParam()) {
      created = Variable(
          [&] {
            ++calls;
            return Scalar(4.0f);
          },
          {.name = "inside", .aggregation = Aggregation::kSum});
    }
    return created.AssignAdd(t);
  };
  EXPECT_THAT(Run(body), ElementsAre(8, 8));
  EXPECT_EQ(calls, 1);
  EXPECT_THAT(created.ToString(), HasSubstr("MirroredVariable 'inside'"));
}

TEST(DistributedVariable, ChecksItsOptions) {
  MirroredStrategy strategy({.devices = 1, .replicas = 2});
  auto scope = strategy.scope();
  const Error none = ErrorOf(
      [] { Variable(Scalar(1.0f), {.name = "n", .synchronization = Synchronization::kNone}); });
  EXPECT_EQ(none.code(), Code::kInvalidArgument);
  EXPECT_THAT(none.what(), HasSubstr("got synchronization NONE"));
  const Error mean = ErrorOf(
      [] { Variable(Scalar<int32_t>(1), {.name = "m", .aggregation = Aggregation::kMean}); });
  EXPECT_EQ(mean.code(), Code::kInvalidArgument);
  EXPECT_THAT(mean.what(), HasSubstr("aggregation MEAN needs a floating dtype; got int32 (m)"));
}

TEST(DistributedVariable, IsRefusedUnderAnotherStrategy) {
  MirroredStrategy one({.devices = 1, .replicas = 2});
  OneDeviceStrategy other;
  Variable v;
  {
    auto scope = one.scope();
    v = Variable(Scalar(1.0f), {.name = "weight"});
  }
  EXPECT_EQ(v.value().scalar<float>(), 1);
  auto scope = other.scope();
  for (const std::function<void()>& use :
       {std::function<void()>([&] { v.value(); }), std::function<void()>([&] { v.Assign(2.0); }),
        std::function<void()>([&] { v.handle(); })}) {
    const Error error = ErrorOf(use);
    EXPECT_EQ(error.code(), Code::kFailedPrecondition);
    EXPECT_THAT(error.what(), HasSubstr("mixing different strategies: mirrored owns it; got the "
                                        "scope of one_device"));
    EXPECT_THAT(error.what(), HasSubstr("weight"));
  }
}

TEST(Scope, SaysWhatToWriteWhenStrategiesAreNestedWrongly) {
  MirroredStrategy outer({.devices = 1});
  OneDeviceStrategy inner;
  auto scope = outer.scope();
  const Error error = ErrorOf([&] { auto nested = inner.scope(); });
  EXPECT_EQ(error.code(), Code::kFailedPrecondition);
  EXPECT_THAT(error.what(), HasSubstr("got one_device inside of mirrored; leave the outer scope "
                                      "first: { auto scope = mirrored.scope(); ... }"));
  const Error run = ErrorOf([&] { inner.Run([] {}); });
  EXPECT_EQ(run.code(), Code::kFailedPrecondition);
  EXPECT_THAT(run.what(), HasSubstr("mixing different strategies"));
  auto again = outer.scope();  // the same one nests
  EXPECT_EQ(&GetStrategy(), &outer);
}

TEST(Variable, ComparesAndAssigns) {
  const Variable v(Constant<float>({1, 2}));
  EXPECT_FALSE(v.CompareAndAssign(Constant<float>({1, 3}), Constant<float>({5, 6})).scalar<bool>());
  EXPECT_THAT(v.value().ToVector<float>(), ElementsAre(1, 2));
  EXPECT_TRUE(v.CompareAndAssign(Constant<float>({1, 2}), Constant<float>({5, 6})).scalar<bool>());
  EXPECT_THAT(v.value().ToVector<float>(), ElementsAre(5, 6));
  const Error error = ErrorOf([&] { v.CompareAndAssign(Scalar(1.0f), Constant<float>({5, 6})); });
  EXPECT_EQ(error.code(), Code::kInvalidArgument);
  EXPECT_THAT(error.what(), HasSubstr("got float32[] for a variable of float32[2]"));
}

TEST(Update, CallsTheFunctionOnEachCopy) {
  MirroredStrategy strategy({.devices = 1, .replicas = 2});
  auto scope = strategy.scope();
  const Variable mirrored(Scalar(1.0f));
  const Variable each(Scalar(1.0f), {.synchronization = Synchronization::kOnRead,
                                     .aggregation = Aggregation::kSum});
  const PerReplica values(std::vector<Tensor>{Scalar(10.0f), Scalar(20.0f)});
  int calls = 0;
  const auto add = [&](const Variable& copy, const std::vector<Tensor>& own) {
    copy.AssignAdd(own[0]);
    ++calls;
  };
  strategy.Update(mirrored, add, {Scalar(5.0f)});
  EXPECT_EQ(calls, 1);
  EXPECT_EQ(mirrored.value().scalar<float>(), 6);
  strategy.Update(each, add, {values});
  EXPECT_EQ(calls, 3);
  EXPECT_EQ(each.value().scalar<float>(), 32);
}

}  // namespace
}  // namespace lockstep
