// Workers and parameter servers that train synchronously end with the bits of one process.

#include "lockstep/distribute/parameter_server.h"

#include <gmock/gmock.h>

#include "base/error_of_test.h"
#include "base/randomness.h"
#include "distribute/workers/elastic_workers_test.h"
#include "distribute/workers/worker_threads_test.h"
#include "gtest/gtest.h"
#include "lockstep/distribute/sharded_variable.h"
#include "lockstep/nn/layers.h"
#include "lockstep/nn/model.h"
#include "lockstep/nn/optimizers.h"
#include "nn/trained_test.h"

namespace lockstep {
namespace {

using distribute::Communicator;
using distribute::ElasticJob;
using distribute::Roles;
using ::testing::HasSubstr;

struct Recipe {
  std::string optimizer = "adam";
  int64_t units = 400;  // 12 x 400 weights are updated by rows, 12 x 8 are not
  int batch_size = 16;
  int shards = 4;
  int epochs = 2;
};

Trained Train(Strategy& strategy, const Recipe& recipe, const CallbackPtr& callback = nullptr) {
  const auto scope = strategy.scope();
  Sequential model{Dense(recipe.units, DenseOptions{.activation = relu}), BatchNormalization(),
                   Dropout(0.1), Dense(4)};
  model.Compile({.optimizer = optimizers::Get(recipe.optimizer),
                 .loss = losses::SparseCategoricalCrossentropy(/*from_logits=*/true),
                 .metrics = {metrics::SparseCategoricalAccuracy("accuracy")}});
  FitOptions fit{.batch_size = recipe.batch_size,
                 .epochs = recipe.epochs,
                 .validation_data = {Features(), Labels()},
                 .verbose = Verbosity::kSilent,
                 .shards = recipe.shards,
                 .digest_check = 3};
  if (callback != nullptr) fit.callbacks.push_back(callback);
  const History history = model.Fit(Features(), Labels(), fit);
  return EndOf(model, history);
}

Trained Alone(const Recipe& recipe, int replicas = 1) {
  SetRandomSeed(7);
  MirroredStrategy strategy({.devices = 1, .replicas = replicas});
  return Train(strategy, recipe);
}

std::string NameOf(const Roles& roles) {
  std::string text;
  for (int rank = 0; rank < roles.num_ranks(); ++rank) text += roles.IsServer(rank) ? 'S' : 'W';
  return text;
}

void ExpectOneResult(const Recipe& recipe, int replicas, const std::vector<Roles>& clusters) {
  const Trained expected = Alone(recipe, replicas);
  for (const Roles& roles : clusters) {
    std::vector<Trained> all(roles.num_ranks());
    distribute::RunTasks(roles, [&](std::shared_ptr<Communicator> ranks) {
      const int rank = ranks->rank();
      ParameterServerStrategy strategy(std::move(ranks), {.devices = 1, .replicas = replicas});
      all[rank] = Train(strategy, recipe);
    });
    for (int rank = 0; rank < roles.num_ranks(); ++rank)
      ExpectIs(expected, all[rank],
               recipe.optimizer + ", " + NameOf(roles) + ", rank " + std::to_string(rank));
  }
}

TEST(ParameterServerTest, EveryNumberOfTasksGivesTheBitsOfOneProcess) {
  std::vector<Roles> clusters;
  for (int workers : {1, 2, 4})
    for (int servers : {1, 2, 3}) clusters.push_back(Roles::Of(workers, servers));
  // After restarts ranks are in any order.
  clusters.push_back(Roles({true, false, true, false, false}));
  ExpectOneResult({}, 1, clusters);
  ExpectOneResult({.shards = 2}, 3, {Roles::Of(2, 1), Roles::Of(4, 2)});
}

TEST(ParameterServerTest, OddSizesGiveTheBitsOfOneProcess) {
  // More servers than rows; more workers than leaves, and than examples of the last batch.
  ExpectOneResult({.shards = 1}, 1, {Roles::Of(1, 13), Roles::Of(3, 5)});
  ExpectOneResult({.batch_size = 3, .shards = 2, .epochs = 1}, 1, {Roles::Of(5, 2)});
  // No weight is large enough for rows.
  ExpectOneResult({.units = 8}, 1, {Roles::Of(2, 1), Roles::Of(1, 3)});
  // No servers, no workers.
  ExpectOneResult({}, 1, {Roles::Of(2, 0), Roles::Of(0, 2)});
}

TEST(ParameterServerTest, EveryRuleGivesTheBitsOfOneProcess) {
  for (const std::string& name : optimizers::Names())
    ExpectOneResult({.optimizer = name, .epochs = 1}, 1, {Roles::Of(2, 2)});
}

TEST(ParameterServerTest, AServerIsNoWorker) {
  const Roles roles({true, false, true, false});
  std::vector<int> workers(4), writes(4), servers(4);
  distribute::RunTasks(roles, [&](std::shared_ptr<Communicator> ranks) {
    const int rank = ranks->rank();
    ParameterServerStrategy strategy(std::move(ranks), {.devices = 3});
    workers[rank] = strategy.worker();
    servers[rank] = strategy.is_server();
    EXPECT_EQ(strategy.num_workers(), 2);
    EXPECT_EQ(strategy.num_servers(), 2);
    EXPECT_EQ(strategy.num_replicas_in_sync(), 2);  // whatever the devices
    strategy.OnChief([&] {
      ++writes[rank];
      return Status::Ok();
    });
    const Status failure =
        ErrorOf([&] { strategy.OnChief([] { return Status(Code::kDataLoss, "torn"); }); }).status();
    EXPECT_EQ(failure.code(), Code::kDataLoss);
    EXPECT_EQ(failure.message(), "torn");
  });
  EXPECT_EQ(workers, (std::vector<int>{-1, 0, -1, 1}));
  EXPECT_EQ(servers, (std::vector<int>{1, 0, 1, 0}));
  EXPECT_EQ(writes, (std::vector<int>{0, 1, 0, 0}));
}

TEST(ParameterServerTest, OneArgumentChoosesTheMode) {
  EXPECT_EQ(ParameterServerMode::Synchronous().ToString(), "synchronous");
  EXPECT_EQ(ParameterServerMode::BoundedStaleness(3).ToString(), "bounded staleness 3");
  EXPECT_EQ(ParameterServerMode::BoundedStaleness(3).staleness(), 3);
  EXPECT_EQ(ParameterServerMode::Asynchronous().ToString(), "asynchronous");
  const Status status = ErrorOf([] { ParameterServerMode::BoundedStaleness(-1); }).status();
  EXPECT_EQ(status.code(), Code::kInvalidArgument);
  EXPECT_THAT(status.message(), HasSubstr("must not be negative; got -1"));
}

// ---- partitioners ----

// Losses, accuracies and predictions; names of variables differ.
Trained OfTable(Strategy& strategy, std::vector<std::string>* names, const FitOptions& fit) {
  const auto scope = strategy.scope();
  std::vector<int32_t> ids(kExamples * 3);
  for (size_t i = 0; i < ids.size(); ++i) ids[i] = static_cast<int32_t>(i * i % 13);
  const Tensor x = Tensor::FromVector(ids, Shape{kExamples, 3});
  Sequential model{Embedding(13, 6), Flatten(), Dense(400, DenseOptions{.activation = relu}),
                   Dense(4)};
  model.Compile({.optimizer = optimizers::Get("adam"),
                 .loss = losses::SparseCategoricalCrossentropy(/*from_logits=*/true)});
  Trained trained{.history = model.Fit(x, Labels(), fit).history};
  const Tensor predictions = model.Predict(x, 20);
  trained.predictions =
      std::string(static_cast<const char*>(predictions.raw_data()), predictions.num_bytes());
  for (const Variable& variable : model.variables()) names->push_back(variable.name());
  return trained;
}

TEST(ParameterServerTest, PartitionersCutVariablesAndChangeNoBit) {
  const FitOptions fit{.batch_size = 16, .epochs = 2, .verbose = Verbosity::kSilent, .shards = 4};
  std::vector<std::string> names;
  SetRandomSeed(7);
  MirroredStrategy mirrored({.devices = 1});
  const Trained expected = OfTable(mirrored, &names, fit);
  const std::map<std::string, Partitioner> partitioners{{"fixed", partitioners::FixedShards(3)},
                                                        {"min", partitioners::MinSize(200, 2)},
                                                        {"max", partitioners::MaxSize(1000)}};
  for (const auto& [name, partitioner] : partitioners) {
    for (const Roles& roles : {Roles::Of(1, 1), Roles::Of(2, 2), Roles::Of(2, 3)}) {
      std::vector<std::vector<std::string>> own(roles.num_ranks());
      distribute::RunTasks(roles, [&](std::shared_ptr<Communicator> ranks) {
        const int rank = ranks->rank();
        ParameterServerStrategy strategy(std::move(ranks),
                                         {.partitioner = partitioner, .devices = 1, .replicas = 1});
        ExpectIs(expected, OfTable(strategy, &own[rank], fit), name + ", " + NameOf(roles));
      });
      for (const auto& of_rank : own) {
        EXPECT_GT(of_rank.size(), names.size()) << name;
        EXPECT_THAT(of_rank, testing::Contains("dense/kernel/part_1")) << name;
      }
    }
  }
}

TEST(ParameterServerTest, PartitionersWithoutSynchrony) {
  const FitOptions fit{.batch_size = 16, .epochs = 2, .verbose = Verbosity::kSilent, .shards = 4};
  std::vector<std::string> names;
  SetRandomSeed(7);
  MirroredStrategy mirrored({.devices = 1});
  const Trained expected = OfTable(mirrored, &names, fit);
  for (int bound : {0, 2}) {
    distribute::RunTasks(Roles::Of(2, 2), [&](std::shared_ptr<Communicator> ranks) {
      ParameterServerStrategy strategy(std::move(ranks),
                                       {.mode = ParameterServerMode::BoundedStaleness(bound),
                                        .partitioner = partitioners::FixedShards(3),
                                        .devices = 1});
      std::vector<std::string> own;
      Trained trained = OfTable(strategy, &own, fit);
      EXPECT_LE(trained.history.at("largest_staleness").back(), bound);
      for (const char* extra : {"staleness", "largest_staleness"}) trained.history.erase(extra);
      if (bound == 0) ExpectIs(expected, trained, "bounded by 0");
    });
  }
}

TEST(ParameterServerTest, ShardedVariablesOfTheScope) {
  distribute::RunTasks(Roles::Of(2, 1), [](std::shared_ptr<Communicator> ranks) {
    ParameterServerStrategy strategy(std::move(ranks),
                                     {.partitioner = partitioners::FixedShards(2)});
    const auto scope = strategy.scope();
    const ShardedVariable table(Tensor({{1, 2}, {3, 4}, {5, 6}}), {.name = "table"});
    ASSERT_EQ(table.shards().size(), 2u);
    const Variable whole = table.Whole();
    EXPECT_EQ(ShardedVariable::Of(whole)->shards().size(), 2u);
    EXPECT_EQ(ShardedVariable::Of(table.shards()[0]), nullptr);
    whole.AssignAdd(Tensor({{1, 1}, {1, 1}, {1, 1}}));
    const Tensor ids = Tensor::FromVector(std::vector<int32_t>{2, 0, 2}, Shape{3});
    EXPECT_EQ(table.LookupEach(ids).ToVector<float>(), (std::vector<float>{6, 7, 2, 3, 6, 7}));
    EXPECT_EQ(table.Lookup(ids).ToVector<float>(), table.LookupEach(ids).ToVector<float>());
    EXPECT_EQ(whole.shape(), Shape({3, 2}));
    ExpectError(Code::kUnimplemented, "take its shards",
                [&] { whole.Update([](const Tensor& v) { return v; }); });
    for (int32_t wrong : {-1, 3}) {
      const Tensor far = Tensor::FromVector(std::vector<int32_t>{wrong}, Shape{1});
      EXPECT_THROW(table.LookupEach(far), Error);
    }
  });
}

// ---- tasks die and come ----

class OnStep : public Callback {
 public:
  explicit OnStep(std::function<void(int64_t)> work) : work_(std::move(work)) {}
  void OnTrainBatchEnd(int64_t, const LogsSource&) override { work_(model->position().steps); }

 private:
  std::function<void(int64_t)> work_;
};

using Work = std::function<void(int task, int64_t step)>;

std::vector<std::optional<Trained>> TrainElastic(
    ElasticJob& job, const Recipe& recipe, const Work& on_step = [](int, int64_t) {}) {
  SetRandomSeed(7);
  std::vector<std::optional<Trained>> all(job.workers());
  distribute::RunElastic(job, [&](int task, std::shared_ptr<Communicator> ranks) {
    ranks->journal().set_interval(3);
    ParameterServerStrategy strategy(std::move(ranks), {.devices = 1, .replicas = 1});
    Trained trained =
        Train(strategy, recipe,
              std::make_shared<OnStep>([&, task](int64_t step) { on_step(task, step); }));
    strategy.ranks()->journal().End();
    all[task] = std::move(trained);
  });
  return all;
}

void ExpectAllAre(const Trained& expected, const std::vector<std::optional<Trained>>& all,
                  int survivors, const std::string& what) {
  int count = 0;
  for (size_t task = 0; task < all.size(); ++task) {
    if (!all[task]) continue;
    ++count;
    ExpectIs(expected, *all[task], what + ", task " + std::to_string(task));
  }
  EXPECT_EQ(count, survivors) << what;
}

TEST(ParameterServerTest, AnyTaskDiesAnywhere) {
  const Recipe recipe;
  const Trained expected = Alone(recipe);
  base::SeededRandomness random(11);
  int deaths = 0;
  const std::set<int> servers{2, 3};
  ElasticJob undisturbed(4, 0, servers);
  ExpectAllAre(expected, TrainElastic(undisturbed, recipe), 4, "undisturbed");
  for (int round = 0; round < 12; ++round) {
    const int victim = round % 4;
    const auto most = static_cast<uint64_t>(undisturbed.pieces(victim));
    const int64_t piece = 1 + static_cast<int64_t>(random.Below(most));
    ElasticJob job(4, 0, servers);
    job.KillAt(victim, piece);
    const auto all = TrainElastic(job, recipe);
    deaths += job.deaths();
    ExpectAllAre(expected, all, 4 - job.deaths(),
                 "task " + std::to_string(victim) + " dies at piece " + std::to_string(piece));
  }
  EXPECT_GE(deaths, 6);
}

// Kills tasks while they end a step, all at once.
Work KillAfter(int64_t when, std::set<int> victims) {
  return [when, victims](int task, int64_t step) {
    if (step == when && victims.contains(task)) throw distribute::Killed();
  };
}

TEST(ParameterServerTest, TheWorkersTakeTheRowsWhereAllServersDie) {
  const Recipe recipe{.epochs = 3};
  const Trained expected = Alone(recipe);
  for (const int servers : {1, 2, 3}) {
    std::set<int> victims;
    for (int server = 2; server < 2 + servers; ++server) victims.insert(server);
    ElasticJob job(2 + servers, 0, victims);
    const auto all = TrainElastic(job, recipe, KillAfter(5, victims));
    EXPECT_EQ(job.deaths(), servers);
    ExpectAllAre(expected, all, 2, "all of " + std::to_string(servers) + " servers die");
  }
}

TEST(ParameterServerTest, TheServersComputeWhereAllWorkersDie) {
  const Recipe recipe{.epochs = 3};
  ElasticJob job(4, 0, {2, 3});
  const auto all = TrainElastic(job, recipe, KillAfter(5, {0, 1}));
  EXPECT_EQ(job.deaths(), 2);
  ExpectAllAre(Alone(recipe), all, 2, "both workers die");
}

TEST(ParameterServerTest, OnlyOneTaskIsLeft) {
  const Recipe recipe{.epochs = 3};
  const Trained expected = Alone(recipe);
  for (const int survivor : {0, 3}) {
    ElasticJob job(4, 0, {2, 3});
    const auto all = TrainElastic(job, recipe, [survivor](int task, int64_t step) {
      if (task != survivor && step == 3 + task) throw distribute::Killed();
    });
    EXPECT_EQ(job.deaths(), 3);
    ExpectAllAre(expected, all, 1, "task " + std::to_string(survivor) + " is left");
  }
}

// Tasks 0 and 1 are workers, 2 is the server; 3 comes when 2 has died.
TEST(ParameterServerTest, AServerComesInTheDeadOnesPlace) {
  const Recipe recipe{.epochs = 6};
  for (const bool server : {true, false}) {
    const int victim = server ? 2 : 0;
    ElasticJob job(3, 1, server ? std::set<int>{2, 3} : std::set<int>{2});
    const auto all = TrainElastic(job, recipe, [&](int task, int64_t step) {
      if (task == 3) return;
      if (step == 3) job.AwaitJoiners(task, 1);
      if (step == 4 && task == victim) throw distribute::Killed();
    });
    EXPECT_EQ(job.deaths(), 1);
    ExpectAllAre(Alone(recipe), all, 3, server ? "a server comes" : "a worker comes");
  }
}

TEST(ParameterServerTest, AServerLeavesAtTheEndOfAStep) {
  const Recipe recipe{.epochs = 3};
  ElasticJob job(3, 0, {2});
  SetRandomSeed(7);
  std::vector<std::optional<Trained>> all(3);
  distribute::RunElastic(job, [&](int task, std::shared_ptr<Communicator> ranks) {
    Communicator* own = ranks.get();
    ParameterServerStrategy strategy(std::move(ranks), {.devices = 1, .replicas = 1});
    all[task] = Train(strategy, recipe, std::make_shared<OnStep>([=](int64_t step) {
                        if (task == 2 && step == 4) own->AskToLeave();
                      }));
  });
  EXPECT_EQ(job.deaths(), 0);
  EXPECT_FALSE(all[2]);
  ExpectAllAre(Alone(recipe), all, 2, "the server leaves");
}

}  // namespace
}  // namespace lockstep
