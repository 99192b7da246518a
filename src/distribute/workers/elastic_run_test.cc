// Workers die in traced runs of replicas that are divided over them: the others end with the bits
// of one process.

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <mutex>
#include <optional>
#include <tuple>

#include "distribute/workers/elastic_workers_test.h"
#include "lockstep/distribute/strategy.h"
#include "lockstep/ops/array.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/reduce.h"
#include "lockstep/runtime/function.h"
#include "ops/builder.h"
#include "runtime/host_ops.h"
#include "runtime/replica.h"

namespace lockstep {
namespace {

using distribute::Communicator;
using distribute::ElasticJob;

constexpr int kReplicas = 4;
constexpr int kCalls = 10;

Tensor Awkward(int64_t rows, int64_t columns, int seed) {
  std::vector<float> values(static_cast<size_t>(rows * columns));
  for (size_t i = 0; i < values.size(); ++i)
    values[i] = std::sin(0.7f * static_cast<float>(i) + static_cast<float>(seed));
  return Tensor::FromVector(values, Shape{rows, columns});
}

std::string Bytes(const std::vector<Tensor>& values) {
  std::string bytes;
  for (const Tensor& value : values)
    bytes += value.shape().ToString() +
             std::string(static_cast<const char*>(value.raw_data()), value.num_bytes());
  return bytes;
}

// Variables that are updated in meetings, in merge calls, by each replica for itself, by the
// function around the run, and by the program between calls; sums small and large.
std::string Compute(Strategy& strategy, int* calls) {
  auto scope = strategy.scope();
  const Variable shared(Scalar<float>(1),
                        {.name = "shared", .aggregation = VariableAggregation::kMean});
  const Variable merged(Scalar<float>(2), {.name = "merged"});
  const Variable outside(Scalar<float>(3), {.name = "outside"});
  const Variable rate(Scalar<float>(0.01f), {.name = "rate"});
  const Variable own(Scalar<float>(0), {.name = "own",
                                        .trainable = false,
                                        .synchronization = VariableSynchronization::kOnRead,
                                        .aggregation = VariableAggregation::kSum});
  const Function traced([&](const std::vector<Tensor>& arguments) {
    outside.AssignAdd(Scalar<float>(0.5f));
    auto results =
        strategy
            .Run(
                [&](const Tensor& x) {
                  ReplicaContext* context = GetReplicaContext();
                  const Tensor sum =
                      context->AllReduce(ReduceOp::kSum, ReduceSum(x * shared.value(), 0));
                  shared.AssignAdd(ReduceSum(x) * rate.value());
                  own.AssignAdd(ReduceSum(x));
                  context->MergeCall(
                      [&](Strategy& inside, const std::vector<PerReplica>& values) {
                        const PerReplica total = inside.Reduce(ReduceOp::kSum, values[0], {});
                        merged.AssignAdd(total.value(0));
                        return std::vector<PerReplica>{total};
                      },
                      {ReduceSum(x) * 0.1});
                  return ReduceSum(sum) + shared.value() + merged.value();
                },
                strategy.Split({arguments[0]})[0])
            .values();
    outside.AssignAdd(results[0] * 0.01);
    return results;
  });
  std::vector<Tensor> all;
  for (int call = 0; call < kCalls; ++call) {
    // From 64 KiB on sums go by the collective.
    const std::vector<Tensor> results = traced.Call({Awkward(10, call % 5 == 3 ? 16500 : 7, call)});
    all.insert(all.end(), results.begin(), results.end());
    rate.Assign(rate.value() * 0.9);
    ++*calls;
  }
  for (const Variable* variable : {&shared, &merged, &outside, &rate, &own})
    all.push_back(variable->value());
  return Bytes(all);
}

std::string Alone() {
  MirroredStrategy strategy({.devices = 1, .replicas = kReplicas});
  int calls = 0;
  return Compute(strategy, &calls);
}

struct Outcome {
  std::optional<std::string> bytes;
  int calls = 0;
};

std::vector<Outcome> RunTogether(ElasticJob& job) {
  std::vector<Outcome> all(job.workers());
  distribute::RunElastic(job, [&](int worker, std::shared_ptr<Communicator> ranks) {
    ranks->journal().set_interval(3);
    MultiWorkerMirroredStrategy strategy(std::move(ranks), {.devices = 1, .replicas = kReplicas});
    const std::string bytes = Compute(strategy, &all[worker].calls);
    strategy.ranks()->journal().End();
    all[worker].bytes = bytes;
  });
  return all;
}

void ExpectAllAre(const std::string& expected, const std::vector<Outcome>& all, int survivors,
                  const std::string& what) {
  int count = 0;
  for (const Outcome& own : all) {
    if (!own.bytes) continue;
    ++count;
    EXPECT_EQ(own.calls, kCalls) << what;
    EXPECT_TRUE(*own.bytes == expected) << what;
  }
  EXPECT_EQ(count, survivors) << what;
}

TEST(ElasticRun, NothingHappens) {
  ElasticJob job(3, 0);
  ExpectAllAre(Alone(), RunTogether(job), 3, "undisturbed");
}

TEST(ElasticRun, AWorkerDiesAnywhere) {
  const std::string expected = Alone();
  // Of five workers one has no replica until another dies.
  const int deaths =
      distribute::KillAnywhere({2, 3, 4, 5}, 4, /*seed=*/11, RunTogether,
                               [&](const auto& all, int survivors, const std::string& what) {
                                 ExpectAllAre(expected, all, survivors, what);
                               });
  EXPECT_GE(deaths, 11);
}

// What was told, by the thread of a worker, the replica and the sum.
std::mutex told_mutex;
std::map<std::tuple<const void*, int, float>, int> told;

std::vector<Tensor> Tell(const ops::OpSpec&, const ops::Attributes&,
                         const std::vector<Tensor>& inputs) {
  thread_local const char own = 0;
  const std::lock_guard<std::mutex> lock(told_mutex);
  ++told[{static_cast<const void*>(&own), runtime::CurrentReplica(), inputs[0].scalar<float>()}];
  return {Scalar<float>(inputs[0].scalar<float>() * 0.5f)};
}
const ops::RegisterOp kTellOp(
    {.name = "TestTell",
     .infer =
         [](const ops::InferenceContext&) {
           return std::vector<ops::TensorType>{{DType::kFloat32, Shape{}}};
         },
     .effects = {.external = true}});
const runtime::RegisterHostOp kTell("TestTell", {.function = Tell, .outside = true});

// Each worker does the whole step, as of an op that nobody knows; the step before it is divided.
float TrainAndTell(Strategy& strategy) {
  auto scope = strategy.scope();
  const Variable shared(Scalar<float>(1), {.name = "shared"});
  const Variable divided(Scalar<float>(1), {.name = "divided"});
  const auto train = [&](const Variable& variable, bool tells) {
    const auto factory = []() -> BatchSource {
      return [next = 0]() mutable -> std::optional<std::vector<Tensor>> {
        if (next == 2) return std::nullopt;
        return std::vector<Tensor>{Awkward(64, 3, next++)};
      };
    };
    strategy.Train(factory, 2,
                   [&](const std::vector<Tensor>& batch) {
                     const Tensor sum = ReduceSum(batch[0]) + variable;
                     const Tensor told = tells ? ops::Emit("TestTell", {sum}, {})[0] : sum;
                     variable.AssignAdd(told * 0.1f);
                     return std::vector<Tensor>{told};
                   },
                   {.shards = 4});
  };
  for (int round = 0; round < kCalls / 2; ++round) {
    train(shared, true);
    train(divided, false);
  }
  return shared.value().scalar<float>() + divided.value().scalar<float>();
}

// Steps are done again after a death; what they did outside of the program is not.
TEST(ElasticRun, WhatAStepDoesOutsideItDoesOnce) {
  MirroredStrategy alone({.devices = 1, .replicas = kReplicas});
  const float expected = TrainAndTell(alone);
  const auto run = [&](ElasticJob& job) {
    told.clear();
    std::vector<std::optional<float>> values(job.workers());
    distribute::RunElastic(job, [&](int worker, std::shared_ptr<Communicator> ranks) {
      ranks->journal().set_interval(3);
      MultiWorkerMirroredStrategy strategy(std::move(ranks), {.devices = 1, .replicas = kReplicas});
      const float value = TrainAndTell(strategy);
      strategy.ranks()->journal().End();
      values[worker] = value;
    });
    return values;
  };
  distribute::KillAnywhere({2, 3}, 8, /*seed=*/5, run,
                           [&](const auto& values, int survivors, const std::string& what) {
                             int ended = 0;
                             for (const std::optional<float>& value : values) {
                               if (!value) continue;
                               ++ended;
                               EXPECT_EQ(*value, expected) << what;
                             }
                             EXPECT_EQ(ended, survivors) << what;
                             for (const auto& [by, times] : told) EXPECT_EQ(times, 1) << what;
                           });
}

TEST(ElasticRun, OneDiesAfterTheOtherUntilOneIsLeft) {
  const std::string expected = Alone();
  for (int64_t piece : {30, 70}) {
    ElasticJob job(4, 0);
    for (int victim : {2, 0, 3}) job.KillAt(victim, piece + 30 * victim);
    const auto all = RunTogether(job);
    EXPECT_EQ(job.deaths(), 3);
    ExpectAllAre(expected, all, 1, "three of four die from piece " + std::to_string(piece));
  }
}

}  // namespace
}  // namespace lockstep
