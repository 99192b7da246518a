// Loops of one's own whose workers train each for itself, on variables that servers keep.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/error_of_test.h"
#include "distribute/workers/elastic_workers_test.h"
#include "distribute/workers/worker_threads_test.h"
#include "lockstep/distribute/parameter_server.h"
#include "lockstep/nn/layers.h"
#include "lockstep/nn/model.h"
#include "lockstep/nn/optimizers.h"
#include "lockstep/ops/broadcast.h"
#include "lockstep/ops/linalg.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/reduce.h"
#include "lockstep/runtime/gradient_tape.h"
#include "nn/deaths_in_turn_test.h"
#include "nn/few_examples_test.h"

namespace lockstep {
namespace {

using distribute::Communicator;
using distribute::ElasticJob;
using distribute::Roles;
using Mode = ParameterServerMode;
using Values = std::vector<std::vector<float>>;

// Batches of 16 of the few examples, the last one of two; `length` of these.
BatchSourceFactory BatchesOf(int64_t length) {
  return [length]() -> BatchSource {
    return [length, next = int64_t{0}]() mutable -> std::optional<std::vector<Tensor>> {
      if (next == length) return std::nullopt;
      const int64_t begin = next, count = std::min<int64_t>(16, length - begin);
      next += count;
      const auto rows = Features().ToVector<float>();
      const auto labels = Labels().ToVector<int32_t>();
      return std::vector<Tensor>{
          Tensor::FromVector(
              std::vector<float>(rows.begin() + begin * kFeatures, rows.begin() + next * kFeatures),
              Shape{count, kFeatures}),
          Tensor::FromVector(std::vector<int32_t>(labels.begin() + begin, labels.begin() + next),
                             Shape{count})};
    };
  };
}

struct LoopTrained {
  Values weights, last;
  int64_t steps = 0;
  std::map<int64_t, int64_t> staleness;
  std::vector<int64_t> told;  // steps of which this task was told
  float first_loss = 0, loss = 0;
};

struct Loop {
  std::string optimizer = "adam";
  int64_t steps = 10;
  int64_t again = 0;  // steps of a second call
  BatchSourceFactory batches = BatchesOf(kExamples);
};

LoopTrained TrainLoop(Strategy& strategy, const Loop& loop) {
  const auto scope = strategy.scope();
  Sequential model{Dense(400, DenseOptions{.activation = relu}), BatchNormalization(), Dense(4)};
  const OptimizerPtr optimizer = optimizers::Get(loop.optimizer, std::nullopt);
  const auto loss_of = losses::SparseCategoricalCrossentropy(/*from_logits=*/true);
  const auto body = [&](const std::vector<Tensor>& batch) {
    GradientTape tape;
    const Tensor loss = (*loss_of)(batch[1], model.Call(batch[0], true));
    optimizer->Apply(tape.Gradient(loss, model.trainable_variables()), model.trainable_variables());
    return std::vector<Tensor>{loss, optimizer->iterations().value()};
  };
  LoopTrained trained;
  const TrainOptions options{.on_step = [&](int64_t step, const std::vector<Tensor>& values) {
    EXPECT_EQ(values.size(), 2u);
    if (trained.told.empty()) trained.first_loss = values.at(0).scalar<float>();
    trained.told.push_back(step);
  }};
  TrainResult result = strategy.Train(loop.batches, loop.steps, body, options);
  trained.steps = result.steps;
  if (loop.again > 0) {
    result = strategy.Train(loop.batches, loop.again, body, options);
    trained.steps += result.steps;
  }
  for (const Tensor& value : result.last)
    trained.last.push_back(Cast(value, DType::kFloat32).ToVector<float>());
  trained.loss = result.last.at(0).scalar<float>();
  std::vector<Variable> variables = model.variables();
  for (const Variable& variable : optimizer->variables()) variables.push_back(variable);
  for (const Variable& variable : variables)
    trained.weights.push_back(Cast(variable.value(), DType::kFloat32).ToVector<float>());
  if (const auto* servers = dynamic_cast<const ParameterServerStrategy*>(&strategy))
    trained.staleness = servers->staleness();
  return trained;
}

LoopTrained LoopAlone(const Loop& loop) {
  SetRandomSeed(7);
  OneDeviceStrategy strategy;
  return TrainLoop(strategy, loop);
}

std::vector<LoopTrained> LoopsTogether(const Roles& roles, Mode mode, const Loop& loop) {
  SetRandomSeed(7);
  std::vector<LoopTrained> all(roles.num_ranks());
  distribute::RunTasks(roles, [&](std::shared_ptr<Communicator> ranks) {
    const int rank = ranks->rank();
    ParameterServerStrategy strategy(std::move(ranks), {.mode = mode, .devices = 1});
    all[rank] = TrainLoop(strategy, loop);
  });
  return all;
}

void ExpectSame(const LoopTrained& expected, const LoopTrained& own, const std::string& where) {
  EXPECT_EQ(own.weights, expected.weights) << where;
  EXPECT_EQ(own.last, expected.last) << where;
  EXPECT_EQ(own.steps, expected.steps) << where;
}

void ExpectOneLoop(const Loop& loop, const std::vector<Roles>& all_roles) {
  const LoopTrained expected = LoopAlone(loop);
  for (const Roles& roles : all_roles) {
    const std::string where = loop.optimizer + " with " + std::to_string(roles.workers().size()) +
                              " workers and " + std::to_string(roles.servers().size()) + " servers";
    std::vector<int64_t> told;
    for (const LoopTrained& own : LoopsTogether(roles, Mode::BoundedStaleness(0), loop)) {
      ExpectSame(expected, own, where);
      EXPECT_EQ(own.staleness, (std::map<int64_t, int64_t>{{0, expected.steps}})) << where;
      told.insert(told.end(), own.told.begin(), own.told.end());
    }
    // Each step is told once, to the worker that has computed it.
    std::sort(told.begin(), told.end());
    std::vector<int64_t> all = expected.told;
    std::sort(all.begin(), all.end());
    EXPECT_EQ(told, all) << where;
    if (testing::Test::HasFailure()) return;
  }
}

TEST(AsynchronousTrain, EveryRuleInTurnGivesTheBitsOfOneProcess) {
  for (const std::string& name : optimizers::Names())
    ExpectOneLoop({.optimizer = name}, {Roles::Of(1, 1), Roles::Of(2, 3)});
}

TEST(AsynchronousTrain, AnyTasksInTurnGiveTheBitsOfOneProcess) {
  ExpectOneLoop({}, {Roles::Of(1, 0), Roles::Of(2, 0), Roles::Of(0, 1), Roles::Of(3, 1),
                     Roles::Of(1, 4), Roles::Of(3, 2)});
}

TEST(AsynchronousTrain, PassesAndCallsFollowEachOther) {
  for (const Loop& loop :
       {Loop{.steps = -1}, Loop{.steps = 3}, Loop{.steps = 9, .again = 6},
        Loop{.steps = 5, .batches = BatchesOf(16)}, Loop{.steps = -1, .again = 7}})
    ExpectOneLoop(loop, {Roles::Of(2, 1)});
}

TEST(AsynchronousTrain, StalenessIsCountedAndBounded) {
  for (const Mode mode : {Mode::Asynchronous(), Mode::BoundedStaleness(2)}) {
    size_t told = 0;
    for (const LoopTrained& own : LoopsTogether(Roles::Of(3, 2), mode, {.steps = 60})) {
      int64_t updates = 0;
      for (const auto& [staleness, count] : own.staleness) {
        updates += count;
        if (mode != Mode::Asynchronous()) {
          EXPECT_LE(staleness, 2);
        }
      }
      EXPECT_EQ(own.steps, 60);
      EXPECT_EQ(updates, 60);
      told += own.told.size();
    }
    EXPECT_EQ(told, 60u);
  }
}

// Whoever dies, and when: in turn the bits are those of one process.
TEST(AsynchronousTrain, DeathsChangeNoBit) {
  const Loop loop;
  const LoopTrained expected = LoopAlone(loop);
  LetOneDieInEachRound(
      [&](Strategy& strategy) { return TrainLoop(strategy, loop); },
      [&](const LoopTrained& own, const std::string& where) { ExpectSame(expected, own, where); });
}

// A small loop that lasts for several parts, between which tasks come.
std::vector<float> TrainLong(Strategy& strategy) {
  const auto scope = strategy.scope();
  const Variable weight(Zeros({kFeatures, 1}), {.name = "weight"});
  const TrainResult result =
      strategy.Train(BatchesOf(kExamples), 4000, [&](const std::vector<Tensor>& batch) {
        GradientTape tape;
        const Tensor loss = ReduceMean(Square(MatMul(batch[0], weight) - 1.f));
        weight.AssignSub(tape.Gradient(loss, weight) * 0.01f);
        return std::vector<Tensor>{loss};
      });
  EXPECT_EQ(result.steps, 4000);
  EXPECT_EQ(result.last.size(), 1u);
  return weight.value().ToVector<float>();
}

TEST(AsynchronousTrain, WhoComesLaterGoesOnWithTheOthers) {
  OneDeviceStrategy alone;
  const std::vector<float> expected = TrainLong(alone);
  for (const std::set<int>& servers : {std::set<int>{1}, std::set<int>{0, 3}}) {
    ElasticJob job(3, 1, servers);  // task 3 joins
    std::vector<std::vector<float>> all(4);
    distribute::RunElastic(job, [&](int worker, std::shared_ptr<Communicator> ranks) {
      if (worker < 3) job.AwaitJoiners(worker, 1);
      ParameterServerStrategy strategy(std::move(ranks),
                                       {.mode = Mode::BoundedStaleness(0), .devices = 1});
      all[worker] = TrainLong(strategy);
      strategy.ranks()->journal().End();
    });
    for (int worker = 0; worker < 4; ++worker) EXPECT_EQ(all[worker], expected) << worker;
  }
}

// What each of two workers and a server throws.
std::vector<Status> LoopFailures(const BatchSourceFactory& batches, int64_t steps,
                                 const std::function<Tensor(const Tensor&, const Tensor&)>& gives,
                                 bool scale = false) {
  std::vector<Status> statuses(3);
  distribute::RunTasks(Roles::Of(2, 1), [&](std::shared_ptr<Communicator> ranks) {
    const int rank = ranks->rank();
    ParameterServerStrategy strategy(
        std::move(ranks),
        {.mode = Mode::Asynchronous(), .scale_by_staleness = scale, .devices = 1});
    const auto scope = strategy.scope();
    const Variable weight(Zeros({kFeatures, 1}), {.name = "weight"});
    try {
      strategy.Train(batches, steps, [&](const std::vector<Tensor>& batch) {
        GradientTape tape;
        const Tensor y = MatMul(batch[0], weight);
        const Tensor loss = ReduceMean(Square(y - 1.f));
        weight.AssignSub(tape.Gradient(loss, weight) * 0.1f);
        return std::vector<Tensor>{gives(loss, y)};
      });
    } catch (const Error& error) {
      statuses[rank] = error.status();
    }
  });
  return statuses;
}

void ExpectAllFail(const std::vector<Status>& statuses, Code code, const std::string& text) {
  for (const Status& status : statuses) {
    EXPECT_EQ(status.code(), code) << status.message();
    EXPECT_THAT(status.message(), testing::HasSubstr(text));
  }
}

TEST(AsynchronousTrain, WhatCannotBeIsRefused) {
  const auto loss_itself = [](const Tensor& loss, const Tensor&) { return loss; };
  const auto each = [](const Tensor&, const Tensor& y) { return y; };
  ExpectAllFail(LoopFailures(BatchesOf(kExamples), 8, each), Code::kInvalidArgument,
                "must have one shape; got [16,1] and [2,1] for result 0");
  ExpectAllFail(LoopFailures(BatchesOf(16), 8, each), Code::kInvalidArgument,
                "got a value for each example in AssignVariableOp");
  ExpectAllFail(LoopFailures(BatchesOf(0), 8, loss_itself), Code::kOutOfRange, "got none");
  ExpectAllFail(LoopFailures(BatchesOf(kExamples), 8, loss_itself, true), Code::kInvalidArgument,
                "scale_by_staleness");
}

}  // namespace
}  // namespace lockstep
