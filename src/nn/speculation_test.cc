// A worker that is slow is helped, and the training ends with the bits of one process.

#include "distribute/workers/speculation.h"

#include <algorithm>

#include "distribute/workers/elastic_workers_test.h"
#include "gtest/gtest.h"
#include "lockstep/distribute/strategy.h"
#include "lockstep/nn/layers.h"
#include "lockstep/nn/model.h"
#include "lockstep/nn/optimizers.h"
#include "nn/few_examples_test.h"

namespace lockstep {
namespace {

using distribute::Communicator;
using distribute::ElasticJob;
using distribute::WorkReport;
using std::chrono::microseconds;

constexpr int kWorkers = 4;
constexpr int64_t kBatch = 48;  // of which one rest is left
constexpr int kLeaves = 48;

// Whether a rank has rows of any update.
bool HasRows(const Communicator& ranks) {
  return std::any_of(ranks.parts().begin(), ranks.parts().end(),
                     [&](const Communicator::Part& part) {
                       return part.borders[ranks.rank()] < part.borders[ranks.rank() + 1];
                     });
}

class AtEnd : public Callback {
 public:
  explicit AtEnd(std::function<void()> call) : call_(std::move(call)) {}
  void OnTrainBatchEnd(int64_t, const LogsSource&) override { call_(); }

 private:
  std::function<void()> call_;
};

std::string Train(
    Strategy& strategy, int leaves = kLeaves, const std::function<void()>& after_step = [] {}) {
  const auto scope = strategy.scope();
  Sequential model{Dense(400, DenseOptions{.activation = relu}), Dropout(0.1), Dense(4)};
  model.Compile({.optimizer = optimizers::Get("adam"),
                 .loss = losses::SparseCategoricalCrossentropy(/*from_logits=*/true),
                 .metrics = {metrics::SparseCategoricalAccuracy("accuracy")}});
  const History history = model.Fit(Features(), Labels(),
                                    {.batch_size = kBatch,
                                     .epochs = 20,
                                     .verbose = Verbosity::kSilent,
                                     .callbacks = {std::make_shared<AtEnd>(after_step)},
                                     .shards = leaves,
                                     .digest_check = 5});
  return model.WeightsDigest() + model.StateDigest() +
         std::to_string(history.history.at("loss").back());
}

std::string Alone(int leaves = kLeaves) {
  SetRandomSeed(7);
  MirroredStrategy strategy({.devices = 1, .replicas = 1});
  return Train(strategy, leaves);
}

// What the workers were at work with, by run.
struct Work {
  std::vector<std::vector<int64_t>> examples = std::vector<std::vector<int64_t>>(kWorkers);
  std::vector<int64_t> changes = std::vector<int64_t>(kWorkers);
  std::vector<std::string> results = std::vector<std::string>(kWorkers);
  std::vector<char> has_rows = std::vector<char>(kWorkers);  // in the last step
};

// A worker takes `cost(worker, run)` microseconds for an example.
Work TrainTogether(ElasticJob& job, const std::function<int64_t(int worker, size_t run)>& cost,
                   int leaves = kLeaves) {
  SetRandomSeed(7);
  Work work;
  distribute::RunElastic(job, [&](int worker, std::shared_ptr<Communicator> ranks) {
    ranks->journal().set_interval(3);
    ranks->Speculate();
    ranks->speculation()->set_interval(4);
    ranks->speculation()->set_measure([&, worker](int64_t examples) {
      std::vector<int64_t>& own = work.examples[worker];
      own.push_back(examples);
      return WorkReport{.step = microseconds(cost(worker, own.size()) * examples)};
    });
    MultiWorkerMirroredStrategy strategy(ranks, {.devices = 1, .replicas = 1});
    bool has_rows = false;
    const std::string result = Train(strategy, leaves, [&] { has_rows = HasRows(*ranks); });
    ranks->journal().End();
    work.has_rows[worker] = has_rows;
    work.changes[worker] = ranks->speculation()->changes();
    work.results[worker] = result;
  });
  return work;
}

// How long the slowest is at work in the `back`-th last run, in microseconds.
int64_t Longest(const Work& work, const std::vector<int64_t>& costs, size_t back) {
  int64_t longest = 0;
  for (size_t worker = 0; worker < kWorkers; ++worker) {
    const auto& own = work.examples[worker];
    longest = std::max(longest, own[own.size() - back] * costs[worker]);
  }
  return longest;
}

TEST(Speculation, LeavesOfAStragglerAreDoneByTheOthers) {
  const std::string expected = Alone();
  const std::vector<int64_t> costs{100, 100, 500, 100};
  ElasticJob job(kWorkers, 0);
  const Work work = TrainTogether(job, [&](int worker, size_t) { return costs[worker]; });
  for (int worker = 0; worker < kWorkers; ++worker) {
    EXPECT_EQ(work.results[worker], expected) << worker;
    EXPECT_EQ(work.changes[worker], 1) << worker;
  }
  // The last run but one is that of a whole batch.
  const int64_t undisturbed = kBatch / kWorkers * 100;
  EXPECT_EQ(Longest(work, costs, work.examples[0].size()), 5 * undisturbed);
  EXPECT_LE(Longest(work, costs, 2), 13 * undisturbed / 10);
}

// With two leaves a worker there is none that would not take it longer than all others.
TEST(Speculation, WhoIsTooSlowForALeafRests) {
  const std::string expected = Alone(8);
  const std::vector<int64_t> costs{100, 100, 900, 100};
  ElasticJob job(kWorkers, 0);
  const Work work = TrainTogether(
      job, [&](int worker, size_t) { return costs[worker]; }, 8);
  for (int worker = 0; worker < kWorkers; ++worker) {
    EXPECT_EQ(work.results[worker], expected) << worker;
    EXPECT_EQ(work.has_rows[worker] != 0, worker != 2) << worker;
  }
  EXPECT_EQ(work.examples[2][work.examples[2].size() - 2], 0);
}

TEST(Speculation, WhoKeepsUpAgainGetsItsLeavesBack) {
  const std::string expected = Alone();
  ElasticJob job(kWorkers, 0);
  const Work work = TrainTogether(
      job, [&](int worker, size_t run) { return worker == 1 && run <= 20 ? 400 : 100; });
  for (int worker = 0; worker < kWorkers; ++worker) {
    EXPECT_EQ(work.results[worker], expected) << worker;
    EXPECT_EQ(work.changes[worker], 2) << worker;
  }
  EXPECT_EQ(Longest(work, {100, 100, 100, 100}, 2), kBatch / kWorkers * 100);
}

TEST(Speculation, NobodyIsDisturbedWhereAllKeepUp) {
  const std::string expected = Alone();
  ElasticJob job(kWorkers, 0);
  const Work work = TrainTogether(job, [](int worker, size_t) { return 100 + 20 * worker; });
  for (int worker = 0; worker < kWorkers; ++worker) {
    EXPECT_EQ(work.results[worker], expected) << worker;
    EXPECT_EQ(work.changes[worker], 0) << worker;
  }
}

// Whatever the survivors had divided how, they agree on it anew.
TEST(Speculation, AWorkerDiesAroundAChange) {
  const std::string expected = Alone();
  const std::vector<int64_t> costs{100, 100, 500, 100};
  const auto cost = [&](int worker, size_t) { return costs[worker]; };
  ElasticJob undisturbed(kWorkers, 0);
  TrainTogether(undisturbed, cost);
  for (int victim : {2, 3}) {
    for (int64_t part : {7, 11}) {
      ElasticJob job(kWorkers, 0);
      job.KillAt(victim, 1 + undisturbed.pieces(victim) * part / 20);
      const Work work = TrainTogether(job, cost);
      EXPECT_EQ(job.deaths(), 1);
      for (int worker = 0; worker < kWorkers; ++worker) {
        if (worker == victim) continue;
        EXPECT_EQ(work.results[worker], expected) << worker << " " << part;
      }
    }
  }
}

}  // namespace
}  // namespace lockstep
