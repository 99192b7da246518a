// Gradient tapes around Strategy::Run.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/error_of_test.h"
#include "lockstep/distribute/strategy.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/reduce.h"
#include "lockstep/runtime/function.h"
#include "lockstep/runtime/gradient_tape.h"
#include "lockstep/runtime/gradients.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

PerReplica Numbers(int replicas) {
  std::vector<Tensor> values;
  for (int r = 0; r < replicas; ++r) values.push_back(Constant<float>({r + 1.0f, 2}));
  return PerReplica(values);
}

class OuterTape : public ::testing::TestWithParam<int> {};

TEST_P(OuterTape, SeesWhatAllReplicasDo) {
  const int replicas = GetParam();
  MirroredStrategy strategy({.devices = 2, .replicas = replicas});
  auto scope = strategy.scope();
  const Variable w(Constant<float>({3, 5}));
  const PerReplica x = Numbers(replicas);
  GradientTape tape({.persistent = true});
  for (const Tensor& own : x.values()) tape.Watch(own);
  const PerReplica losses =
      strategy.Run([&](const Tensor& own) { return ReduceSum(own * own * w); }, x);
  const Tensor loss = strategy.Reduce(ReduceOp::kSum, losses, {});
  float squares = 0;
  for (int r = 0; r < replicas; ++r) squares += (r + 1.0f) * (r + 1.0f);
  EXPECT_THAT(tape.Gradient(loss, w).ToVector<float>(), ElementsAre(squares, 4.0f * replicas));
  const Tensor last = x.value(replicas - 1);
  EXPECT_THAT(tape.Gradient(loss, last).ToVector<float>(), ElementsAre(6.0f * replicas, 20));
}

TEST_P(OuterTape, FollowsMeetings) {
  const int replicas = GetParam();
  MirroredStrategy strategy({.devices = 1, .replicas = replicas});
  const PerReplica x = Numbers(replicas);
  GradientTape tape({.persistent = true});
  for (const Tensor& own : x.values()) tape.Watch(own);
  const auto results = strategy.Run(
      [](const std::vector<Tensor>& own) {
        ReplicaContext* context = GetReplicaContext();
        const Tensor sum = context->AllReduce(ReduceOp::kSum, own[0] * own[0]);
        const Tensor all = context->AllGather(own[0], 0);
        const auto merged = context->MergeCall(
            [](Strategy& strategy, const std::vector<PerReplica>& values) {
              return std::vector<PerReplica>{strategy.Reduce(ReduceOp::kMean, values[0], {})};
            },
            {own[0] * 10});
        return std::vector<Tensor>{ReduceSum(sum), ReduceSum(all * all), ReduceSum(merged[0])};
      },
      std::vector<PerReplica>{x});
  const Tensor first = x.value(0);
  const auto gradient_of = [&](size_t result) {
    return tape.Gradient(results[result].values(), std::vector<Tensor>{first})[0].ToVector<float>();
  };
  // Each replica's result depends on every replica's x, but results 0 and 2 may be one tensor.
  const float r = static_cast<float>(replicas);
  EXPECT_THAT(gradient_of(0), ElementsAre(2 * r, 4 * r));
  EXPECT_THAT(gradient_of(1), ElementsAre(2 * r, 4 * r));
  EXPECT_THAT(gradient_of(2), ElementsAre(10, 10));
}

TEST_P(OuterTape, DifferentiatesGradientsOfReplicas) {
  const int replicas = GetParam();
  MirroredStrategy strategy({.devices = 1, .replicas = replicas});
  const Variable w(Scalar(2.0f));
  GradientTape outer;
  const PerReplica slopes = strategy.Run(
      [&](const Tensor& own) {
        GradientTape tape;
        const Tensor loss = ReduceSum(own) * w * w * w;
        return GetReplicaContext()->AllReduce(ReduceOp::kSum, tape.Gradient(loss, w));
      },
      Numbers(replicas));
  float sum = 0;
  for (int r = 0; r < replicas; ++r) sum += r + 3.0f;
  EXPECT_EQ(slopes.value(0).scalar<float>(), sum * 12);
  EXPECT_EQ(outer.Gradient(slopes.value(0), w).scalar<float>(), sum * 12);
}

INSTANTIATE_TEST_SUITE_P(Replicas, OuterTape, ::testing::Values(1, 2, 3));

TEST(OuterTape, SeesMeetingsInFunctions) {
  MirroredStrategy strategy({.devices = 1, .replicas = 2});
  const Variable w(Scalar(2.0f));
  const Function total(
      [&](const Tensor& own) { return GetReplicaContext()->AllReduce(ReduceOp::kSum, own * w); });
  GradientTape tape;
  const PerReplica sums =
      strategy.Run([&](const Tensor& own) { return total(own); }, Tensor(Scalar(3.0f)));
  EXPECT_EQ(sums.value(0).scalar<float>(), 12);
  EXPECT_EQ(tape.Gradient(sums.value(0), w).scalar<float>(), 6);
}

TEST(InnerTape, IsRefusedThroughAMergeCall) {
  MirroredStrategy strategy({.devices = 1, .replicas = 2});
  const auto body = [](const Tensor& own) {
    GradientTape tape;
    tape.Watch(own);
    const auto same = GetReplicaContext()->MergeCall(
        [](Strategy&, const std::vector<PerReplica>& values) { return values; }, {own});
    return tape.Gradient(same[0], own);
  };
  const Function traced([&](const Tensor& x) { return strategy.Run(body, x).value(0); });
  for (const auto& call : std::vector<std::function<void()>>{
           [&] { strategy.Run(body, Scalar(1.0f)); }, [&] { traced(Scalar(1.0f)); }}) {
    const Error error = ErrorOf(call);
    EXPECT_EQ(error.code(), Code::kUnimplemented);
    EXPECT_THAT(error.what(), HasSubstr("exchange values by all_reduce or all_gather"));
  }
}

}  // namespace
}  // namespace lockstep
