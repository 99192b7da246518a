// Workers that train each for itself on variables that servers keep.

#include <gmock/gmock.h>

#include <algorithm>

#include "base/error_of_test.h"
#include "distribute/programs/step_program.h"
#include "distribute/servers/asynchronous_step.h"
#include "distribute/workers/worker_threads_test.h"
#include "gtest/gtest.h"
#include "lockstep/data/dataset.h"
#include "lockstep/distribute/parameter_server.h"
#include "lockstep/nn/callbacks.h"
#include "lockstep/nn/layers.h"
#include "lockstep/nn/model.h"
#include "lockstep/nn/optimizers.h"
#include "lockstep/nn/regularizers.h"
#include "lockstep/runtime/gradient_tape.h"
#include "nn/deaths_in_turn_test.h"
#include "nn/every_option_test.h"
#include "nn/few_examples_test.h"

namespace lockstep {
namespace {

using distribute::Communicator;
using distribute::Roles;
using ::testing::HasSubstr;
using Mode = ParameterServerMode;

struct Recipe {
  std::string optimizer = "adam";
  UpdateOptions update = {};
  bool regularized = false;
  int epochs = 2;
};

std::unique_ptr<Sequential> MakeModel(const Recipe& recipe) {
  DenseOptions first{.activation = relu};
  if (recipe.regularized) first.kernel_regularizer = regularizers::L1L2(0.001, 0.01);
  auto model = std::make_unique<Sequential>(std::initializer_list<LayerPtr>{
      Dense(400, first), BatchNormalization(), Dropout(0.1), Dense(4)});
  model->Compile({.optimizer = optimizers::Get(recipe.optimizer, std::nullopt, recipe.update),
                  .loss = losses::SparseCategoricalCrossentropy(/*from_logits=*/true),
                  .metrics = {metrics::SparseCategoricalAccuracy("accuracy")}});
  return model;
}

FitOptions Options(const Recipe& recipe) {
  return {.batch_size = 16,
          .epochs = recipe.epochs,
          .validation_data = {Features(), Labels()},
          .verbose = Verbosity::kSilent,
          .shards = 4};
}

struct Trained {
  std::string state;
  std::vector<double> loss, accuracy, validation;
  std::map<int64_t, int64_t> staleness;
  int64_t steps = 0;
};

std::map<int64_t, int64_t> StalenessOf(const Strategy& strategy) {
  const auto* servers = dynamic_cast<const ParameterServerStrategy*>(&strategy);
  return servers == nullptr ? std::map<int64_t, int64_t>() : servers->staleness();
}

Trained Train(Strategy& strategy, const Recipe& recipe, const CallbackPtr& callback = nullptr) {
  const auto scope = strategy.scope();
  const auto model = MakeModel(recipe);
  FitOptions fit = Options(recipe);
  if (callback != nullptr) fit.callbacks.push_back(callback);
  const History history = model->Fit(Features(), Labels(), fit);
  return {model->StateDigest(),           history.history.at("loss"),
          history.history.at("accuracy"), history.history.at("val_loss"),
          StalenessOf(strategy),          history.steps};
}

Trained Alone(const Recipe& recipe) {
  SetRandomSeed(7);
  OneDeviceStrategy strategy;
  return Train(strategy, recipe);
}

std::vector<Trained> Together(const Roles& roles, Mode mode, const Recipe& recipe,
                              bool scale = false) {
  SetRandomSeed(7);
  std::vector<Trained> all(roles.num_ranks());
  distribute::RunTasks(roles, [&](std::shared_ptr<Communicator> ranks) {
    const int rank = ranks->rank();
    ParameterServerStrategy strategy(std::move(ranks),
                                     {.mode = mode, .scale_by_staleness = scale, .devices = 1});
    all[rank] = Train(strategy, recipe);
  });
  return all;
}

void ExpectIs(const Trained& expected, const Trained& own, const std::string& where) {
  EXPECT_EQ(own.state, expected.state) << where;
  EXPECT_EQ(own.loss, expected.loss) << where;
  EXPECT_EQ(own.accuracy, expected.accuracy) << where;
  EXPECT_EQ(own.validation, expected.validation) << where;
  EXPECT_EQ(own.steps, expected.steps) << where;
}

// One update after the other is what one process does, whoever computes it and keeps its weights.
void ExpectOneResult(const std::string& what, const Recipe& recipe,
                     const std::vector<Roles>& all_roles) {
  const Trained expected = Alone(recipe);
  for (const Roles& roles : all_roles) {
    const std::string where = what + " with " + std::to_string(roles.workers().size()) +
                              " workers and " + std::to_string(roles.servers().size()) + " servers";
    for (const Trained& own : Together(roles, Mode::BoundedStaleness(0), recipe)) {
      ExpectIs(expected, own, where);
      EXPECT_EQ(own.staleness, (std::map<int64_t, int64_t>{{0, expected.steps}})) << where;
    }
    if (testing::Test::HasFailure()) return;
  }
}

TEST(AsynchronousFit, EveryRuleInTurnGivesTheBitsOfOneProcess) {
  for (const std::string& name : optimizers::Names())
    ExpectOneResult(name, {.optimizer = name}, {Roles::Of(1, 1), Roles::Of(2, 3)});
}

TEST(AsynchronousFit, EveryOptionInTurnGivesTheBitsOfOneProcess) {
  for (const UpdateOptions& each : EveryUpdateOption())
    ExpectOneResult("an option", {.update = each, .regularized = true},
                    {Roles::Of(1, 1), Roles::Of(2, 3)});
}

TEST(AsynchronousFit, AnyTasksInTurnGiveTheBitsOfOneProcess) {
  ExpectOneResult("tasks", {},
                  {Roles::Of(1, 0), Roles::Of(2, 0), Roles::Of(0, 1), Roles::Of(3, 1),
                   Roles::Of(1, 4), Roles::Of(3, 2)});
}

// By hand: a worker's part, and servers' parts over their rows, step after step.
TEST(AsynchronousFit, AStepCutAtItsSumsGivesTheBitsOfTheWhole) {
  SetRandomSeed(7);
  const OptimizerPtr optimizer = optimizers::Get("adam", std::nullopt, {.weight_decay = 0.01});
  Sequential model{Dense(400, DenseOptions{.activation = relu}), BatchNormalization(), Dense(4)};
  const auto loss = losses::SparseCategoricalCrossentropy(/*from_logits=*/true);
  const auto body = [&](const std::vector<Tensor>& batch) -> std::vector<Tensor> {
    GradientTape tape;
    const Tensor value = (*loss)(batch[1], model.Call(batch[0], true));
    optimizer->Apply(tape.Gradient(value, model.trainable_variables()),
                     model.trainable_variables());
    return {};
  };
  const std::vector<Tensor> batch{Features(), Labels()};
  const auto program = distribute::MakeStepProgram(
      {ops::TensorType::Of(batch[0]), ops::TensorType::Of(batch[1])}, body,
      {.examples = kExamples, .shards = 4, .has_rows = {true, true}});
  std::vector<Variable> variables = model.variables();
  for (const Variable& variable : optimizer->variables()) variables.push_back(variable);
  std::vector<Tensor> before, after;
  for (const Variable& variable : variables) before.push_back(variable.value());
  base::Team team(1);
  for (int step = 0; step < 3; ++step) program->Run(batch, team);
  for (const Variable& variable : variables) after.push_back(variable.value());
  base::EventLoop loop;
  net::InProcessNetwork network({&loop});
  for (const int servers : {1, 3}) {
    for (size_t i = 0; i < variables.size(); ++i) variables[i].Assign(before[i]);
    distribute::AsynchronousStep parts({{&program->graph(), kExamples, {true, true}}},
                                       {.servers = servers});
    parts.KeepFirstValues();
    std::vector<std::unique_ptr<distribute::Shard>> shards;
    for (int server = 0; server < servers; ++server)
      shards.push_back(parts.MakeShard(server, team));
    for (uint64_t step = 0; step < 3; ++step) {
      for (int server = 0; server < servers; ++server)
        parts.Take(server, shards[server]->Values(network.transport(0), step > 0 ? step - 1 : 0));
      const auto pushes = parts.Compute(network.transport(0), 0, batch, team);
      for (int server = 0; server < servers; ++server)
        shards[server]->Apply({.number = step + 1, .batch = static_cast<int64_t>(step)},
                              pushes[server]);
    }
    std::map<int, net::Payload> states;
    size_t bytes = 0;
    for (int server = 0; server < servers; ++server) {
      states[server] = shards[server]->State(network.transport(0));
      bytes = std::max(bytes, states[server].size());
      // What has not changed since does not travel.
      EXPECT_LE(shards[server]->Values(network.transport(0), 3).size(), 64u);
      EXPECT_GT(shards[server]->Values(network.transport(0), 2).size(), 64u);
    }
    if (servers == 3) {
      EXPECT_LT(bytes, 12 * 400 * 4 * 3 / 2 + 4 * 400 * 4 * 12);
    }
    parts.AssignFinals(states);
    for (size_t i = 0; i < variables.size(); ++i) {
      const Tensor value = variables[i].value();
      EXPECT_EQ(std::memcmp(value.raw_data(), after[i].raw_data(), after[i].num_bytes()), 0)
          << variables[i].name() << " with " << servers << " servers";
    }
  }
}

TEST(AsynchronousFit, StalenessIsCountedAndBounded) {
  for (const Mode mode : {Mode::Asynchronous(), Mode::BoundedStaleness(2)}) {
    for (const bool scale : {false, true}) {
      for (const Trained& own : Together(Roles::Of(3, 2), mode, {.epochs = 6}, scale)) {
        int64_t updates = 0;
        for (const auto& [staleness, count] : own.staleness) {
          updates += count;
          if (mode != Mode::Asynchronous()) {
            EXPECT_LE(staleness, 2);
          }
        }
        EXPECT_EQ(own.steps, 6 * 4);
        EXPECT_EQ(updates, own.steps);
        EXPECT_LT(own.loss.back(), own.loss.front());
      }
    }
  }
}

// Whoever dies, and when: in turn the bits are those of one process.
TEST(AsynchronousFit, DeathsChangeNoBit) {
  const Recipe recipe;
  const Trained expected = Alone(recipe);
  LetOneDieInEachRound(
      [&](Strategy& strategy) { return Train(strategy, recipe); },
      [&](const Trained& own, const std::string& where) { ExpectIs(expected, own, where); });
}

// At the end of an epoch, when all its steps are done: it validates with the others, and goes on.
TEST(AsynchronousFit, AWorkerComes) {
  struct Waiting : Callback {
    void OnEpochEnd(int epoch, Logs&) override {
      if (epoch == 0 && wait) wait();
    }
    std::string name() const override { return "waiting"; }
    std::function<void()> wait;
  };
  const Recipe recipe{.epochs = 4};
  const Trained expected = Alone(recipe);
  for (const int server : {0, 2}) {
    SetRandomSeed(7);
    distribute::ElasticJob job(3, 1, /*servers=*/{server});
    std::vector<std::string> states(job.workers());
    distribute::RunElastic(job, [&](int task, std::shared_ptr<Communicator> ranks) {
      ParameterServerStrategy strategy(std::move(ranks),
                                       {.mode = Mode::BoundedStaleness(0), .devices = 1});
      const auto waiting = std::make_shared<Waiting>();
      if (task < 3) waiting->wait = [&job, task] { job.AwaitJoiners(task, 1); };
      states[task] = Train(strategy, recipe, waiting).state;
    });
    for (const std::string& state : states) EXPECT_EQ(state, expected.state) << server;
  }
}

// What each of two workers and a server throws.
std::vector<Status> Failures(const std::function<void(Model&, FitOptions)>& fit) {
  std::vector<Status> statuses(3);
  distribute::RunTasks(Roles::Of(2, 1), [&](std::shared_ptr<Communicator> ranks) {
    const int rank = ranks->rank();
    ParameterServerStrategy strategy(std::move(ranks),
                                     {.mode = Mode::Asynchronous(), .devices = 1});
    const auto scope = strategy.scope();
    const auto model = MakeModel({});
    try {
      fit(*model, Options({}));
    } catch (const Error& error) {
      statuses[rank] = error.status();
    }
  });
  return statuses;
}

TEST(AsynchronousFit, WhatCannotBeIsRefused) {
  std::vector<int32_t> labels(kExamples, 0);
  labels[33] = 9;
  int told = 0;
  for (const Status& status : Failures([&](Model&model, FitOptions fit) {
         fit.validation_data = {};
         model.Fit(Features(), Tensor::FromVector(labels, Shape{kExamples}), fit);
       })) {
    EXPECT_FALSE(status.ok());
    told += status.message().find("9") != std::string::npos;
  }
  EXPECT_EQ(told, 3);
}

// Rows of the few examples; `length` of them a pass, or for ever.
Dataset Stream(int64_t length) {
  return Dataset::FromGenerator([length]() -> Dataset::Generator {
    return [length, i = int64_t{0}]() mutable -> std::optional<Element> {
      if (i == length) return std::nullopt;
      const int64_t row = i++ % kExamples;
      const auto x = Features().ToVector<float>();
      const std::vector<float> own(x.begin() + row * kFeatures, x.begin() + (row + 1) * kFeatures);
      return Element{Tensor::FromVector(own, Shape{kFeatures}),
                     Scalar(Labels().ToVector<int32_t>()[row])};
    };
  });
}

TEST(AsynchronousFit, StreamsInTurnGiveTheBitsOfOneProcess) {
  const Dataset filtered =
      Dataset::FromTensorSlices({Features(), Labels()}).Filter([](const std::vector<Tensor>& e) {
        return e[1].scalar<int32_t>() != 3;
      });
  struct Case {
    std::string name;
    Dataset batches;
    int64_t steps;
  };
  const Case cases[] = {{"unknown length", filtered.Batch(8), 0},
                        {"a generator", Stream(45).Batch(16), 0},
                        {"endless", Stream(-1).Batch(16), 3},
                        {"ends inside of an epoch", Stream(90).Batch(16), 4},
                        {"ends with an epoch", Stream(96).Batch(16), 3},
                        {"repeated", filtered.Repeat().Batch(8), 4}};
  for (const Case& one : cases) {
    const auto train = [&](Strategy& strategy) {
      const auto scope = strategy.scope();
      const auto model = MakeModel({});
      FitOptions fit = Options({.epochs = 4});
      fit.steps_per_epoch = one.steps;
      const History history = model->Fit(one.batches, fit);
      return Trained{model->StateDigest(),           history.history.at("loss"),
                     history.history.at("accuracy"), history.history.at("val_loss"),
                     StalenessOf(strategy),          history.steps};
    };
    SetRandomSeed(7);
    OneDeviceStrategy alone;
    const Trained expected = train(alone);
    for (const Mode& mode : {Mode::BoundedStaleness(0), Mode::Asynchronous()}) {
      SetRandomSeed(7);
      distribute::RunTasks(Roles::Of(2, 2), [&](std::shared_ptr<Communicator> ranks) {
        ParameterServerStrategy strategy(std::move(ranks), {.mode = mode, .devices = 1});
        const Trained own = train(strategy);
        EXPECT_EQ(own.steps, expected.steps) << one.name;
        if (mode.kind() == Mode::Kind::kBoundedStaleness) ExpectIs(expected, own, one.name);
      });
    }
    if (HasFailure()) return;
  }
}

class AtBatch final : public Callback {
 public:
  explicit AtBatch(std::function<void(Model&)> work) : work_(std::move(work)) {}
  void OnTrainBatchEnd(int64_t batch, const LogsSource&) override {
    if (batch == 1) work_(*model);
  }

 private:
  const std::function<void(Model&)> work_;
};

TEST(AsynchronousFit, ACallbackEndsTrainingForAll) {
  for (const Trained& own : [] {
         std::vector<Trained> all(3);
         distribute::RunTasks(Roles::Of(2, 1), [&](std::shared_ptr<Communicator> ranks) {
           const int rank = ranks->rank();
           ParameterServerStrategy strategy(std::move(ranks),
                                            {.mode = Mode::BoundedStaleness(0), .devices = 1});
           all[rank] =
               Train(strategy, {.epochs = 50},
                     std::make_shared<AtBatch>([](Model& model) { model.stop_training = true; }));
         });
         return all;
       }()) {
    EXPECT_GE(own.steps, 2);
    EXPECT_LE(own.steps, 4);
    EXPECT_EQ(own.loss.size(), 1u);
  }
}

TEST(AsynchronousFit, StepsAreCutAndGoneOnWith) {
  SetRandomSeed(7);
  Recipe recipe;
  const auto train = [&](Strategy& strategy, std::vector<double>* loss) {
    const auto scope = strategy.scope();
    const auto model = MakeModel(recipe);
    FitOptions fit = Options(recipe);
    fit.steps_per_epoch = 3;
    fit.epochs = 4;
    fit.max_steps = 11;
    const History history = model->Fit(
        Dataset::FromTensorSlices({Features(), Labels()}).Shuffle(kExamples, {.seed = 3}).Batch(16),
        fit);
    EXPECT_EQ(history.steps, 11);
    *loss = history.history.at("loss");
    return model->StateDigest();
  };
  std::vector<double> expected_loss;
  OneDeviceStrategy alone;
  const std::string expected = train(alone, &expected_loss);
  SetRandomSeed(7);
  distribute::RunTasks(Roles::Of(2, 1), [&](std::shared_ptr<Communicator> ranks) {
    ParameterServerStrategy strategy(std::move(ranks),
                                     {.mode = Mode::BoundedStaleness(0), .devices = 1});
    std::vector<double> loss;
    EXPECT_EQ(train(strategy, &loss), expected);
    EXPECT_EQ(loss, expected_loss);
  });
}

}  // namespace
}  // namespace lockstep
