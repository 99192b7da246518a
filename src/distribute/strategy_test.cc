#include "lockstep/distribute/strategy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error_of_test.h"
#include "lockstep/ops/array.h"
#include "lockstep/ops/indexed_slices.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/reduce.h"
#include "lockstep/runtime/gradient_tape.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

PerReplica Of(const std::vector<Tensor>& values) { return PerReplica(values); }

// Batches of the numbers from 0 to n, `size` at a time.
BatchSourceFactory Numbers(int n, int size) {
  return [=] {
    return [=, at = 0]() mutable -> std::optional<std::vector<Tensor>> {
      if (at >= n) return std::nullopt;
      std::vector<float> values;
      for (int i = 0; i < size && at < n; ++i) values.push_back(static_cast<float>(at++));
      return std::vector<Tensor>{Constant(values)};
    };
  };
}

TEST(Reduce, AddsByTheTreeAndDivides) {
  MirroredStrategy strategy({.devices = 1, .replicas = 3});
  const PerReplica x =
      Of({Constant<float>({1, 2}), Constant<float>({3, 4}), Constant<float>({8, 9})});
  EXPECT_THAT(strategy.Reduce(ReduceOp::kSum, x, {}).ToVector<float>(), ElementsAre(12, 15));
  EXPECT_THAT(strategy.Reduce(ReduceOp::kMean, x, {}).ToVector<float>(), ElementsAre(4, 5));
  // (a + b) + c, where 1e8 + 1 = 1e8 in float32.
  const PerReplica order = Of({Scalar(1e8f), Scalar(1.0f), Scalar(-1e8f)});
  EXPECT_EQ(strategy.Reduce(ReduceOp::kSum, order, {}).scalar<float>(), 0);
  EXPECT_EQ(strategy
                .Reduce(ReduceOp::kMean,
                        Of({Scalar<int32_t>(1), Scalar<int32_t>(2), Scalar<int32_t>(5)}), {})
                .scalar<int32_t>(),
            2);
}

TEST(Reduce, WeighsUnevenPartsByTheirSize) {
  MirroredStrategy strategy({.devices = 1, .replicas = 3});
  const PerReplica x = Of({Constant<float>({1, 2, 3}), Constant<float>({10}),
                           Tensor::FromVector(std::vector<float>(), Shape{0})});
  EXPECT_EQ(strategy.Reduce(ReduceOp::kSum, x, 0).scalar<float>(), 16);
  EXPECT_EQ(strategy.Reduce(ReduceOp::kMean, x, 0).scalar<float>(), 4);
}

TEST(Reduce, SkipsReplicasWithoutAContribution) {
  MirroredStrategy strategy({.devices = 1, .replicas = 3});
  const PerReplica x = Of({Scalar(-0.0f), Tensor(), Scalar(-0.0f)});
  EXPECT_TRUE(std::signbit(strategy.Reduce(ReduceOp::kSum, x, {}).scalar<float>()));
  EXPECT_FALSE(strategy.Reduce(ReduceOp::kSum, Of({Tensor(), Tensor(), Tensor()}), {}).defined());
}

TEST(Reduce, TreatsOneValueForAll) {
  MirroredStrategy strategy({.devices = 1, .replicas = 2});
  EXPECT_EQ(strategy.Reduce(ReduceOp::kMean, Scalar(3.0f), {}).scalar<float>(), 3);
  const Error error = ErrorOf([&] { strategy.Reduce(ReduceOp::kSum, Scalar(3.0f), {}); });
  EXPECT_EQ(error.code(), Code::kInvalidArgument);
  EXPECT_THAT(error.what(), HasSubstr("got one for 2 replicas"));
}

TEST(Reduce, IsRefusedInsideOfAReplica) {
  MirroredStrategy strategy({.devices = 1, .replicas = 2});
  const Error error =
      ErrorOf([&] { strategy.Run([&] { strategy.Reduce(ReduceOp::kMean, Scalar(3.0f), {}); }); });
  EXPECT_EQ(error.code(), Code::kFailedPrecondition);
  EXPECT_THAT(error.what(), HasSubstr("[strategy.reduce] this runs once for all replicas"));
}

TEST(Gather, ConcatenatesInReplicaOrder) {
  MirroredStrategy strategy({.devices = 1, .replicas = 2});
  const PerReplica x = Of({Constant<float>({1, 2}), Constant<float>({3})});
  EXPECT_THAT(strategy.Gather(x, 0).ToVector<float>(), ElementsAre(1, 2, 3));
  const Error scalar = ErrorOf([&] { strategy.Gather(Of({Scalar(1.0f), Scalar(2.0f)}), 0); });
  EXPECT_EQ(scalar.code(), Code::kInvalidArgument);
  EXPECT_THAT(scalar.what(), HasSubstr("got a scalar from replica 0"));
  const Tensor slices =
      IndexedSlices{Constant<float>({1}), Constant<int32_t>({0}), Shape{2}}.ToTensor();
  EXPECT_EQ(ErrorOf([&] {
              strategy.Gather(Of({slices, slices}), 0);
            }).code(),
            Code::kUnimplemented);
}

TEST(PerReplica, IsNoTensorOutsideOfAReplica) {
  const PerReplica x = Of({Scalar(1.0f), Scalar(2.0f)});
  const Error error = ErrorOf([&] { static_cast<void>(static_cast<Tensor>(x)); });
  EXPECT_EQ(error.code(), Code::kInvalidArgument);
  EXPECT_THAT(error.what(),
              HasSubstr("got 2 values; use Strategy::Reduce, Gather or LocalResults"));
  MirroredStrategy strategy({.devices = 1, .replicas = 3});
  const Error count = ErrorOf([&] { strategy.Run([](const Tensor& t) { return t; }, x); });
  EXPECT_EQ(count.code(), Code::kInvalidArgument);
  EXPECT_THAT(count.what(), HasSubstr("got 2 for 3 replicas"));
  EXPECT_EQ(strategy.LocalResults(x).size(), 2u);
  EXPECT_EQ(strategy.LocalResults(Scalar(1.0f)).size(), 1u);
  EXPECT_EQ(strategy.BroadcastTo(Scalar(1.0f)).values().size(), 3u);
}

TEST(Mirrored, TakesItsReplicasFromNamesOrTheOption) {
  EXPECT_EQ(MirroredStrategy({.device_names = {"CPU:0", "CPU:1", "CPU:2"}}).num_replicas_in_sync(),
            3);
  EXPECT_EQ(MirroredStrategy({.device_names = {"CPU:0", "CPU:1", "CPU:2"}}).num_devices(), 3);
  EXPECT_EQ(MirroredStrategy({.devices = 4}).num_replicas_in_sync(), 1);
  EXPECT_EQ(MirroredStrategy({.devices = 2, .replicas = 5}).num_replicas_in_sync(), 5);
  const Error error = ErrorOf([] { MirroredStrategy({.device_names = {"CPU:0", "CPU:0"}}); });
  EXPECT_EQ(error.code(), Code::kInvalidArgument);
  EXPECT_THAT(error.what(), HasSubstr("got CPU:0 twice"));
  const Error negative = ErrorOf([] { MirroredStrategy({.replicas = -1}); });
  EXPECT_EQ(negative.code(), Code::kInvalidArgument);
  EXPECT_THAT(negative.what(), HasSubstr("the number of replicas must be at least 1; got -1"));
}

TEST(Mirrored, SaysWhereItsReplicasCameFrom) {
  ::testing::internal::CaptureStderr();
  MirroredStrategy({.devices = 1});
  MirroredStrategy({.devices = 2, .replicas = 4});
  MirroredStrategy({.device_names = {"CPU:0", "CPU:1"}});
  const std::string log = ::testing::internal::GetCapturedStderr();
  EXPECT_THAT(log,
              HasSubstr("mirrored: 1 replica (none was given and there is no accelerator) on 1 "
                        "device"));
  EXPECT_THAT(log, HasSubstr("mirrored: 4 replicas (it was given) on 2 devices"));
  EXPECT_THAT(log, HasSubstr("mirrored: 2 replicas (so many devices were named) on 2 devices"));
}

TEST(DistributeDataset, CutsBatchesAsTensorFlowDoes) {
  MirroredStrategy strategy({.devices = 1, .replicas = 3});
  std::vector<std::vector<std::vector<float>>> batches;
  for (const auto& batch : strategy.DistributeDataset(Numbers(9, 7))) {
    batches.emplace_back();
    for (const Tensor& own : batch[0].values()) batches.back().push_back(own.ToVector<float>());
  }
  // Blocks of ceil(n / R): 7 = 3 + 3 + 1; the last two examples leave replica 2 without any.
  EXPECT_THAT(batches,
              ElementsAre(ElementsAre(ElementsAre(0, 1, 2), ElementsAre(3, 4, 5), ElementsAre(6)),
                          ElementsAre(ElementsAre(7), ElementsAre(8), ElementsAre())));
  const Error error = ErrorOf([&] { strategy.Split({Constant<float>({1, 2}), Scalar(1.0f)}); });
  EXPECT_EQ(error.code(), Code::kInvalidArgument);
  EXPECT_THAT(error.what(), HasSubstr("got [2] and []"));
}

TEST(DistributeDataset, GivesEachReplicaABatchFromAFunction) {
  MirroredStrategy strategy({.devices = 1, .replicas = 2});
  InputContext seen;
  const auto dataset = strategy.DistributeDatasetsFromFunction([&](const InputContext& context) {
    seen = context;
    return Numbers(5, 2);
  });
  EXPECT_EQ(seen.num_input_pipelines, 1);
  EXPECT_EQ(seen.num_replicas_in_sync, 2);
  EXPECT_EQ(seen.PerReplicaBatchSize(8), 4);
  EXPECT_THAT(ErrorOf([&] { (void)seen.PerReplicaBatchSize(9); }).what(),
              HasSubstr("got 9 examples for 2 replicas"));
  std::vector<std::vector<float>> parts;
  for (const auto& batch : dataset) {
    for (const Tensor& own : batch[0].values()) parts.push_back(own.ToVector<float>());
  }
  EXPECT_THAT(parts,
              ElementsAre(ElementsAre(0, 1), ElementsAre(2, 3), ElementsAre(4), ElementsAre()));
  const PerReplica values = strategy.DistributeValuesFromFunction(
      [](const ValueContext& context) { return Scalar(context.replica_id_in_sync_group * 10); });
  EXPECT_EQ(values.value(1).scalar<int32_t>(), 10);
}

// The mean of squares of the distance to w, whose gradient step moves w; batches of 48, 48 and 4.
std::vector<float> TrainOne(int devices, int replicas, int shards, bool by_replica) {
  MirroredStrategy strategy({.devices = devices, .replicas = replicas});
  auto scope = strategy.scope();
  const Variable w(Scalar(0.3f), {.name = "w"});
  std::vector<float> losses;
  const auto body = [&](const std::vector<Tensor>& batch) {
    if (by_replica) {
      const PerReplica gradients = strategy.Run(
          [&](const Tensor& x) {
            GradientTape tape;
            return tape.Gradient(ReduceSum(Square(x * 0.013 - w)), w);
          },
          strategy.Split(batch)[0]);
      const Tensor gradient = strategy.Reduce(ReduceOp::kSum, gradients, {});
      w.AssignSub(gradient * 1e-3);
      return std::vector<Tensor>{gradient};
    }
    GradientTape tape;
    const Tensor loss = ReduceMean(Square(batch[0] * 0.013 - w));
    w.AssignSub(tape.Gradient(loss, w) * 0.1);
    return std::vector<Tensor>{loss};
  };
  const TrainResult result = strategy.Train(
      Numbers(100, 48), 7, body,
      {.shards = shards, .on_step = [&](int64_t, const std::vector<Tensor>& results) {
         losses.push_back(results[0].scalar<float>());
       }});
  EXPECT_EQ(result.steps, 7);
  losses.push_back(w.value().scalar<float>());
  return losses;
}

TEST(Train, GivesTheSameBitsOnAnyNumberOfDevices) {
  for (int replicas : {1, 3, 8}) {
    for (bool by_replica : {false, true}) {
      const auto expected = TrainOne(1, replicas, 0, by_replica);
      ASSERT_EQ(expected.size(), 8u);
      EXPECT_NE(expected[0], expected[3]);
      for (int devices : {3, 8}) {
        EXPECT_EQ(TrainOne(devices, replicas, 0, by_replica), expected)
            << replicas << " replicas, " << devices << " devices, by replica " << by_replica;
      }
    }
  }
  EXPECT_NE(TrainOne(1, 1, 3, false), TrainOne(1, 1, 1, false));  // shards are bits
}

TEST(Train, TakesDatasets) {
  MirroredStrategy strategy({.devices = 2, .replicas = 2});
  const Dataset batches = Dataset::Range(5).Batch(2);
  std::vector<int64_t> sums;
  const auto result = strategy.Train(
      batches, 4,
      [](const std::vector<Tensor>& batch) { return std::vector<Tensor>{ReduceSum(batch[0])}; },
      {.on_step = [&](int64_t, const std::vector<Tensor>& given) {
        sums.push_back(given[0].scalar<int64_t>());
      }});
  EXPECT_EQ(result.steps, 4);
  EXPECT_THAT(sums, ElementsAre(1, 5, 4, 1));  // the next pass begins behind the last batch
  int64_t rows = 0;
  for (const auto& batch : strategy.DistributeDataset(batches))
    for (const Tensor& own : batch[0].values()) rows += own.shape()[0];
  EXPECT_EQ(rows, 5);
  const auto parts = strategy.DistributeDatasetsFromFunction(
      [](const InputContext&) { return Dataset::Range(4).Batch(1); });
  int steps = 0;
  for ([[maybe_unused]] const auto& batch : parts) ++steps;
  EXPECT_EQ(steps, 2);  // one batch for each replica
}

TEST(Train, RefusesEmptyDataAndBatchesThatDisagree) {
  MirroredStrategy strategy({.devices = 1});
  const auto nothing = [](const std::vector<Tensor>&) { return std::vector<Tensor>(); };
  const Error empty = ErrorOf([&] { strategy.Train(Numbers(0, 1), 3, nothing); });
  EXPECT_EQ(empty.code(), Code::kOutOfRange);
  EXPECT_THAT(empty.what(), HasSubstr("got none in a pass after 0 of 3 steps"));
  EXPECT_EQ(strategy.Train(Numbers(5, 2), -1, nothing).steps, 3);
}

}  // namespace
}  // namespace lockstep
