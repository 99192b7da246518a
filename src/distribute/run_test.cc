#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error_of_test.h"
#include "lockstep/distribute/strategy.h"
#include "lockstep/ops/array.h"
#include "lockstep/ops/comparison.h"
#include "lockstep/ops/indexed_slices.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/reduce.h"
#include "lockstep/runtime/control_flow.h"
#include "lockstep/runtime/function.h"
#include "lockstep/runtime/gradient_tape.h"
#include "lockstep/runtime/random.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

// Numbers whose sums depend on the order of addition.
Tensor Awkward(int64_t rows, int64_t columns) {
  std::vector<float> values(rows * columns);
  uint32_t state = 1;
  for (float& value : values) {
    state = state * 1664525u + 1013904223u;
    value = static_cast<float>(state >> 8) / 65536.0f - 100.0f;
  }
  return Tensor::FromVector(values, Shape{rows, columns});
}

std::vector<std::vector<float>> Floats(const PerReplica& value) {
  std::vector<std::vector<float>> all;
  for (const Tensor& own : value.values()) all.push_back(own.ToVector<float>());
  return all;
}

// A collective in the middle, in a branch and in the body of a loop.
Tensor Program(const Tensor& x) {
  ReplicaContext* context = GetReplicaContext();
  const Tensor id = Cast(context->replica_id_in_sync_group(), DType::kFloat32);
  Tensor y = ReduceSum(x * (id + 0.1), 0);
  y = context->AllReduce(ReduceOp::kMean, y) + ReduceMean(x, 0);
  const Tensor total = context->AllReduce(ReduceOp::kSum, ReduceSum(y));
  y = Cond(
      Greater(total, -1e30), [&] { return y + context->AllReduce(ReduceOp::kSum, y * 0.3); },
      [&] { return y; });
  return WhileLoop([](const Tensors& v) { return Less(v[0], 3); },
                   [&](const Tensors& v) {
                     const Tensor sum = context->AllReduce(ReduceOp::kSum, v[1] * (id + 0.7));
                     return Tensors{v[0] + 1, v[1] * 0.1 + sum * 0.01};
                   },
                   {Scalar<int32_t>(0), y})[1];
}

// The gradient of a loop in which replicas meet and draw random numbers, and the loop's value.
Tensors DrawsAndMeets(const Tensor& x) {
  ReplicaContext* context = GetReplicaContext();
  GradientTape tape;
  tape.Watch(x);
  const Tensor y =
      WhileLoop([](const Tensors& v) { return Less(v[0], 3); },
                [&](const Tensors& v) {
                  const Tensor drawn = RandomUniform({2}) + 0.5;
                  return Tensors{v[0] + 1, context->AllReduce(ReduceOp::kMean, v[1] * drawn)};
                },
                {Scalar<int32_t>(0), x})[1];
  return {y, tape.Gradient(y, x)};
}

TEST(Run, TheGradientOfALoopDoesNotDrawAgain) {
  std::vector<std::vector<float>> expected;
  for (int devices : {1, 2, 3}) {
    MirroredStrategy strategy({.devices = devices, .replicas = 4});
    auto scope = strategy.scope();
    SetSeed(11);
    const Function traced([&](const Tensors& given) {
      const auto each = strategy.Run(DrawsAndMeets, PerReplica(Tensors(4, given[0])));
      Tensors all = each[0].values();
      all.insert(all.end(), each[1].values().begin(), each[1].values().end());
      return all;
    });
    std::vector<std::vector<float>> got;
    for (const Tensor& one : traced.Call({Constant<float>({1, 2})}))
      got.push_back(one.ToVector<float>());
    ASSERT_EQ(got.size(), 8u);
    // y of all replicas is x times what they drew, so that all slopes together are 4 y / x.
    for (int i = 0; i < 2; ++i) {
      float slopes = 0;
      for (int r = 4; r < 8; ++r) slopes += got[r][i];
      EXPECT_NEAR(slopes, 4 * got[0][i] / (i + 1), 1e-4);
    }
    if (expected.empty()) expected = got;
    EXPECT_EQ(got, expected) << devices << " devices";
  }
}

TEST(Run, GivesTheSameBitsOnAnyNumberOfDevicesEagerAndTraced) {
  const Tensor batch = Awkward(37, 5);
  std::vector<std::vector<float>> expected;
  for (int devices : {1, 3, 8}) {
    MirroredStrategy strategy({.devices = devices, .replicas = 8});
    auto scope = strategy.scope();
    const PerReplica shares = strategy.Split({batch})[0];
    const auto eager = Floats(strategy.Run(Program, shares));
    const Function traced([&](const std::vector<Tensor>& arguments) {
      return strategy.Run(Program, strategy.Split({arguments[0]})[0]).values();
    });
    const PerReplica from_trace(traced.Call({batch}));
    if (expected.empty()) expected = eager;
    ASSERT_EQ(eager.size(), 8u);
    EXPECT_NE(eager[0], eager[1]);
    EXPECT_EQ(eager, expected) << devices << " devices";
    EXPECT_EQ(Floats(from_trace), expected) << devices << " devices, traced";
    EXPECT_EQ(Floats(PerReplica(traced.Call({batch}))), expected) << "second run";
    EXPECT_EQ(traced.num_traces(), 1);
  }
}

TEST(Run, CallsEachReplicaWithItsShareInOrder) {
  MirroredStrategy strategy({.devices = 2, .replicas = 3});
  std::string order;
  const PerReplica x(std::vector<Tensor>{Scalar(1.0f), Scalar(2.0f), Scalar(4.0f)});
  const PerReplica results = strategy.Run(
      [&](const Tensor& own, const Tensor& same) {
        const int id = GetReplicaContext()->replica_id_in_sync_group().scalar<int32_t>();
        order += "a" + std::to_string(id);
        const Tensor sum = GetReplicaContext()->AllReduce(ReduceOp::kSum, own);
        order += "b" + std::to_string(id);
        return sum + own * same;
      },
      x, 10);
  EXPECT_EQ(order, "a0a1a2b0b1b2");
  EXPECT_THAT(Floats(results), ElementsAre(ElementsAre(17), ElementsAre(27), ElementsAre(47)));
  EXPECT_EQ(results.values().size(), 3u);
}

TEST(Run, WithoutAStrategyHasOneReplica) {
  EXPECT_FALSE(HasStrategy());
  EXPECT_FALSE(InCrossReplicaContext());
  EXPECT_EQ(GetReplicaContext()->num_replicas_in_sync(), 1);
  EXPECT_EQ(GetReplicaContext()->AllReduce(ReduceOp::kSum, Scalar(3.0f)).scalar<float>(), 3);
  const PerReplica result = GetStrategy().Run([](const Tensor& x) { return x * 2; }, Scalar(4.0f));
  EXPECT_EQ(static_cast<Tensor>(result).scalar<float>(), 8);
}

TEST(Run, KnowsItsContext) {
  MirroredStrategy strategy({.devices = 1, .replicas = 2});
  auto scope = strategy.scope();
  EXPECT_TRUE(InCrossReplicaContext());
  EXPECT_EQ(GetReplicaContext(), nullptr);
  strategy.Run([&] {
    EXPECT_FALSE(InCrossReplicaContext());
    EXPECT_EQ(&GetStrategy(), &strategy);
    GetReplicaContext()->MergeCall(
        [&](Strategy& same, const std::vector<PerReplica>&) {
          EXPECT_TRUE(InCrossReplicaContext());
          EXPECT_EQ(&same, &strategy);
          return std::vector<PerReplica>();
        },
        {});
  });
}

TEST(Run, MergesWhatReplicasGiveAndSplitsWhatTheyGet) {
  MirroredStrategy strategy({.devices = 2, .replicas = 3});
  const auto body = [](const Tensor& own) {
    const auto merged = GetReplicaContext()->MergeCall(
        [](Strategy& strategy, const std::vector<PerReplica>& arguments) {
          std::vector<Tensor> back(arguments[0].values().rbegin(), arguments[0].values().rend());
          return std::vector<PerReplica>{strategy.Reduce(ReduceOp::kSum, arguments[0], {}),
                                         PerReplica(back)};
        },
        {own});
    return merged[0] * 100 + merged[1];
  };
  const PerReplica x(std::vector<Tensor>{Scalar(1.0f), Scalar(2.0f), Scalar(4.0f)});
  EXPECT_THAT(Floats(strategy.Run(body, x)),
              ElementsAre(ElementsAre(704), ElementsAre(702), ElementsAre(701)));
  const Function traced(
      [&](const std::vector<Tensor>& own) { return strategy.Run(body, PerReplica(own)).values(); });
  EXPECT_THAT(Floats(PerReplica(traced.Call(x.values()))),
              ElementsAre(ElementsAre(704), ElementsAre(702), ElementsAre(701)));
}

TEST(Run, DifferentiatesAllReduceAndAllGather) {
  MirroredStrategy strategy({.devices = 2, .replicas = 3});
  const auto body = [](const Tensor& x) {
    ReplicaContext* context = GetReplicaContext();
    GradientTape tape({.persistent = true});
    tape.Watch(x);
    const Tensor mean = context->AllReduce(ReduceOp::kMean, x * x);
    const Tensor all = context->AllGather(x, 0);
    const Tensor weights = Cast(Range(0, 6, 1), DType::kFloat32);
    const Tensor gathered = ReduceSum(all * weights);
    return std::vector<Tensor>{tape.Gradient(mean, x), tape.Gradient(gathered, x)};
  };
  const std::vector<Tensor> x{Constant<float>({1, 2}), Constant<float>({3, 4}),
                              Constant<float>({5, 6})};
  const auto eager = strategy.Run(body, PerReplica(x));
  // d mean / d x: the mean of three upstream ones, times 2 x.
  EXPECT_THAT(Floats(eager[0]),
              ElementsAre(ElementsAre(2, 4), ElementsAre(6, 8), ElementsAre(10, 12)));
  EXPECT_THAT(Floats(eager[1]),
              ElementsAre(ElementsAre(0, 3), ElementsAre(6, 9), ElementsAre(12, 15)));
  const Function traced([&](const std::vector<Tensor>& own) {
    std::vector<Tensor> all;
    for (const PerReplica& result : strategy.Run(body, PerReplica(own)))
      all.insert(all.end(), result.values().begin(), result.values().end());
    return all;
  });
  const auto results = traced.Call(x);
  EXPECT_THAT(results[2].ToVector<float>(), ElementsAre(10, 12));
  EXPECT_THAT(results[5].ToVector<float>(), ElementsAre(12, 15));
}

// A replica that waits for the others must not hold what they need.
TEST(Run, FunctionsThatMeetAndWriteDoNotWaitForEachOther) {
  MirroredStrategy strategy({.devices = 2, .replicas = 3});
  const Variable count(Scalar(0.0f));
  const Function sum([&](const Tensor& x) {
    count.AssignAdd(1);
    const Tensor all = GetReplicaContext()->AllReduce(ReduceOp::kSum, x);
    count.AssignAdd(1);
    return all;
  });
  const PerReplica x(std::vector<Tensor>{Scalar(1.0f), Scalar(2.0f), Scalar(4.0f)});
  const PerReplica sums = strategy.Run([&](const Tensor& own) { return sum(own); }, x);
  EXPECT_EQ(sums.value(2).scalar<float>(), 7);
  EXPECT_EQ(count.value().scalar<float>(), 6);
}

TEST(Run, GathersUnevenValues) {
  MirroredStrategy strategy({.devices = 3, .replicas = 3});
  const PerReplica x = strategy.Split({Constant<float>({1, 2, 3, 4, 5, 6, 7})})[0];
  const auto body = [](const Tensor& own) { return GetReplicaContext()->AllGather(own, 0); };
  const std::vector<float> all{1, 2, 3, 4, 5, 6, 7};
  // All replicas got the very same tensor.
  EXPECT_THAT(Floats(strategy.Run(body, x)), ElementsAre(all));
  const Function traced(
      [&](const std::vector<Tensor>& own) { return strategy.Run(body, PerReplica(own)).values(); });
  EXPECT_THAT(Floats(PerReplica(traced.Call(x.values()))), ElementsAre(all, all, all));
}

TEST(Run, PutsIndexedSlicesInReplicaOrder) {
  MirroredStrategy strategy({.devices = 1, .replicas = 2});
  const PerReplica rows(std::vector<Tensor>{Constant<int32_t>({2, 0}), Constant<int32_t>({2})});
  const PerReplica dense = strategy.Run(
      [](const Tensor& indices) {
        const Tensor values = Tensor::FromVector(std::vector<float>(indices.num_elements(), 1.0f),
                                                 Shape{indices.num_elements(), 1});
        const Tensor sum = GetReplicaContext()->AllReduce(
            ReduceOp::kMean, IndexedSlices{values, indices, Shape{3, 1}}.ToTensor());
        const IndexedSlices* slices = IndexedSlices::Of(sum);
        EXPECT_THAT(slices->indices.ToVector<int32_t>(), ElementsAre(2, 0, 2));
        return slices->ToDense();
      },
      rows);
  EXPECT_THAT(dense.value(1).ToVector<float>(), ElementsAre(0.5f, 0, 1));
}

TEST(Run, RethrowsWhatAReplicaThrows) {
  for (bool traced : {false, true}) {
    MirroredStrategy strategy({.devices = 2, .replicas = 3});
    int arrived = 0;
    const auto body = [&](const Tensor& x) {
      const Tensor sum = GetReplicaContext()->AllReduce(ReduceOp::kSum, x);
      if (++arrived == (traced ? 1 : 2)) throw Error(Code::kOutOfRange, "[body] it broke");
      return sum;
    };
    const Error error = ErrorOf([&] {
      if (traced) {
        Function([&](const Tensor& x) { return strategy.Run(body, x).value(0); })(Scalar(1.0f));
      } else {
        strategy.Run(body, Scalar(1.0f));
      }
    });
    EXPECT_EQ(error.code(), Code::kOutOfRange);
    EXPECT_EQ(error.status().message(), "[body] it broke");
  }
}

TEST(Run, RefusesReplicasThatMeetUnequallyOften) {
  MirroredStrategy strategy({.devices = 1, .replicas = 2});
  const Error error = ErrorOf([&] {
    strategy.Run([] {
      ReplicaContext* context = GetReplicaContext();
      const int id = context->replica_id_in_sync_group().scalar<int32_t>();
      for (int i = 0; i < 1 + id; ++i) context->AllReduce(ReduceOp::kSum, Scalar(1.0f));
    });
  });
  EXPECT_EQ(error.code(), Code::kFailedPrecondition);
  EXPECT_THAT(error.what(), HasSubstr("got replica 0 ended after 1, replica 1 waits in number 2 "
                                      "(all_reduce)"));
}

TEST(Run, RefusesReplicasThatMeetInDifferentCalls) {
  MirroredStrategy strategy({.devices = 1, .replicas = 2});
  const Error error = ErrorOf([&] {
    strategy.Run([] {
      ReplicaContext* context = GetReplicaContext();
      if (context->replica_id_in_sync_group().scalar<int32_t>() == 0) {
        context->AllReduce(ReduceOp::kSum, Scalar(1.0f));
      } else {
        context->AllGather(Constant<float>({1}), 0);
      }
    });
  });
  EXPECT_EQ(error.code(), Code::kFailedPrecondition);
  EXPECT_THAT(error.what(), HasSubstr("all_reduce of 1 values on replica 0 and all_gather of 1 on "
                                      "replica 1"));
}

TEST(Run, RefusesShapesThatDiffer) {
  MirroredStrategy strategy({.devices = 1, .replicas = 3});
  const PerReplica x(std::vector<Tensor>{Constant<float>({1, 2}), Constant<float>({1, 2}),
                                         Constant<float>({1, 2, 3})});
  const Error error = ErrorOf([&] {
    strategy.Run([](const Tensor& x) { return GetReplicaContext()->AllReduce(ReduceOp::kSum, x); },
                 x);
  });
  EXPECT_EQ(error.code(), Code::kInvalidArgument);
  EXPECT_THAT(error.what(), HasSubstr("got float32[2] and float32[3] (replicas 0 and 2 of 3)"));
}

TEST(Run, RefusesAMeetingUnderAPredicateThatMayDiffer) {
  MirroredStrategy strategy({.devices = 2, .replicas = 2});
  const auto in_branch = [](const Tensor& x) {
    return Cond(
        Greater(x, 0), [&] { return GetReplicaContext()->AllReduce(ReduceOp::kSum, x); },
        [&] { return x; });
  };
  const auto in_loop = [](const Tensor& x) {
    const Tensor id = GetReplicaContext()->replica_id_in_sync_group();
    return WhileLoop(
        [&](const Tensors& v) { return Less(v[0], id); },
        [](const Tensors& v) {
          return Tensors{v[0] + 1, GetReplicaContext()->AllReduce(ReduceOp::kSum, v[1])};
        },
        {Scalar<int32_t>(0), x})[1];
  };
  const PerReplica x(std::vector<Tensor>{Scalar(1.0f), Scalar(2.0f)});
  const auto trace = [&](const auto& body) {
    return ErrorOf([&] {
      Function([&](const std::vector<Tensor>& own) {
        return strategy.Run(body, PerReplica(own)).values();
      }).Call(x.values());
    });
  };
  const Error branch = trace(in_branch);
  EXPECT_EQ(branch.code(), Code::kFailedPrecondition);
  EXPECT_THAT(branch.what(), HasSubstr("got ReplicaAllReduce_"));
  EXPECT_THAT(branch.what(), HasSubstr("in If_"));
  EXPECT_THAT(branch.what(), HasSubstr("whose predicate Greater_"));
  const Error loop = trace(in_loop);
  EXPECT_EQ(loop.code(), Code::kFailedPrecondition);
  EXPECT_THAT(loop.what(), HasSubstr("whose predicate Less_"));
  // Made equal by all_reduce, the predicate passes.
  const Function fine([&](const std::vector<Tensor>& own) {
    return strategy
        .Run(
            [&](const Tensor& y) {
              return Cond(
                  Greater(GetReplicaContext()->AllReduce(ReduceOp::kSum, y), 0),
                  [&] { return GetReplicaContext()->AllReduce(ReduceOp::kSum, y); },
                  [&] { return y; });
            },
            PerReplica(own))
        .values();
  });
  EXPECT_EQ(fine.Call(x.values())[1].scalar<float>(), 3);
}

TEST(Run, RunsFunctionsInsideOfReplicas) {
  MirroredStrategy strategy({.devices = 2, .replicas = 2});
  const Function step([](const Tensor& x) {
    return GetReplicaContext()->AllReduce(ReduceOp::kSum, x) * 10 +
           Cast(GetReplicaContext()->replica_id_in_sync_group(), DType::kFloat32);
  });
  const PerReplica x(std::vector<Tensor>{Scalar(1.0f), Scalar(2.0f)});
  EXPECT_THAT(Floats(strategy.Run([&](const Tensor& own) { return step(own); }, x)),
              ElementsAre(ElementsAre(30), ElementsAre(31)));
  EXPECT_EQ(step.num_traces(), 1);
}

TEST(Run, IsRefusedInsideOfAReplica) {
  MirroredStrategy strategy({.devices = 1, .replicas = 2});
  const Error error = ErrorOf([&] { strategy.Run([&] { strategy.Run([] {}); }); });
  EXPECT_EQ(error.code(), Code::kFailedPrecondition);
  EXPECT_THAT(error.what(), HasSubstr("[strategy.run] this runs once for all replicas"));
  EXPECT_THAT(error.what(), HasSubstr("MergeCall"));
}

TEST(Run, ValuesOfNoReplicasOrTooManyAreRefused) {
  MirroredStrategy strategy({.devices = 2, .replicas = 2});
  const auto three = PerReplica(std::vector<Tensor>(3, Constant<float>({1})));
  for (const PerReplica& value : {PerReplica(), three}) {
    EXPECT_THROW(strategy.Reduce(ReduceOp::kSum, value, std::nullopt), Error);
    EXPECT_THROW(strategy.Gather(value, 0), Error);
    EXPECT_THROW(strategy.Run([](const Tensor& x) { return x; }, value), Error);
  }
}

}  // namespace
}  // namespace lockstep
