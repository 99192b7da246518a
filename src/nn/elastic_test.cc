// Workers die, come and go, and the training ends with the bits of one process.

#include <atomic>
#include <chrono>
#include <stdexcept>
#include <thread>

#include "distribute/workers/elastic_workers_test.h"
#include "distribute/workers/worker_threads_test.h"
#include "gtest/gtest.h"
#include "lockstep/distribute/parameter_server.h"
#include "lockstep/distribute/strategy.h"
#include "lockstep/nn/layers.h"
#include "lockstep/nn/model.h"
#include "lockstep/nn/optimizers.h"
#include "lockstep/ops/linalg.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/reduce.h"
#include "lockstep/runtime/gradient_tape.h"
#include "nn/trained_test.h"

namespace lockstep {
namespace {

using distribute::Communicator;
using distribute::ElasticJob;

// Counts what happens, and changes the rate between steps, as a schedule would.
class Counter : public Callback {
 public:
  void OnTrainBatchEnd(int64_t batch, const LogsSource&) override {
    ++batches;
    if (on_batch) on_batch(model->position().steps);
    if (batch == 1) model->compiled().optimizer->variables()[1].Assign(Scalar<float>(rate *= 0.9f));
  }
  int64_t ReadsEvery() const override { return reads ? 1 : 0; }
  void OnEpochEnd(int, Logs&) override { ++epochs; }
  std::string name() const override { return "counter"; }
  std::vector<NamedTensor> State() const override { return {{"rate", Scalar<float>(rate)}}; }
  void SetState(const SavedState& state) override { rate = state.Find("rate")->scalar<float>(); }
  void OnTrainEnter(const History& history) override { epochs_before = history.epoch.size(); }

  std::function<void(int64_t)> on_batch;
  std::function<void()> after_fit, at_end;
  std::string optimizer = "adam";
  int64_t digest_check = 5;  // at which all meet
  bool reads = true;         // after batches
  float rate = 0.01f;
  int batches = 0;
  int epochs = 0;
  std::optional<size_t> epochs_before;  // of others, before this worker came
};

Trained Train(Strategy& strategy, const std::shared_ptr<Counter>& counter, int epochs = 3) {
  const auto scope = strategy.scope();
  Sequential model{Dense(400, DenseOptions{.activation = relu}), Dropout(0.1), Dense(4)};
  model.Compile({.optimizer = optimizers::Get(counter->optimizer),
                 .loss = losses::SparseCategoricalCrossentropy(/*from_logits=*/true),
                 .metrics = {metrics::SparseCategoricalAccuracy("accuracy")}});
  const History history = model.Fit(Features(), Labels(),
                                    {.batch_size = 16,
                                     .epochs = epochs,
                                     .validation_data = {Features(), Labels()},
                                     .verbose = Verbosity::kSilent,
                                     .callbacks = {counter},
                                     .shards = 4,
                                     .digest_check = counter->digest_check});
  if (counter->after_fit) counter->after_fit();
  Trained trained = EndOf(model, history);
  if (counter->at_end) counter->at_end();
  return trained;
}

Trained Alone(int epochs = 3, const std::string& optimizer = "adam") {
  SetRandomSeed(7);
  MirroredStrategy strategy({.devices = 1, .replicas = 1});
  const auto counter = std::make_shared<Counter>();
  counter->optimizer = optimizer;
  return Train(strategy, counter, epochs);
}

// What each worker ended with; nothing for those that did not.
std::vector<std::optional<Trained>> TrainElastic(
    ElasticJob& job, const std::function<void(int, Strategy&, Counter&)>& prepare = nullptr,
    int epochs = 3) {
  SetRandomSeed(7);
  std::vector<std::optional<Trained>> all(job.workers());
  distribute::RunElastic(job, [&](int worker, std::shared_ptr<Communicator> ranks) {
    ranks->journal().set_interval(3);
    MultiWorkerMirroredStrategy strategy(std::move(ranks), {.devices = 1, .replicas = 1});
    const auto counter = std::make_shared<Counter>();
    if (prepare) prepare(worker, strategy, *counter);
    Trained trained = Train(strategy, counter, epochs);
    strategy.ranks()->journal().End();  // where one may die, too
    all[worker] = std::move(trained);
  });
  return all;
}

void ExpectAllAre(const Trained& expected, const std::vector<std::optional<Trained>>& all,
                  int survivors, const std::string& what) {
  int count = 0;
  for (const auto& own : all) {
    if (!own) continue;
    ++count;
    ExpectIs(expected, *own, what);
  }
  EXPECT_EQ(count, survivors) << what;
}

TEST(ElasticTest, NothingHappens) {
  ElasticJob job(3, 0);
  ExpectAllAre(Alone(), TrainElastic(job), 3, "undisturbed");
}

// How the training of each of three workers ended, with what they do after it; then they may
// train once more.
std::vector<std::string> EndsOf(const std::function<void(int, Strategy&, Counter&)>& prepare,
                                bool train_again = false) {
  ElasticJob job(3, 0);
  std::vector<std::string> ends(3, "well");
  distribute::RunElastic(job, [&](int worker, std::shared_ptr<Communicator> ranks) {
    MultiWorkerMirroredStrategy strategy(std::move(ranks), {.devices = 1, .replicas = 1});
    const auto counter = std::make_shared<Counter>();
    prepare(worker, strategy, *counter);
    try {
      Train(strategy, counter);
    } catch (const std::exception& error) {
      ends[worker] = error.what();
    }
    counter->on_batch = nullptr;
    if (train_again) Train(strategy, counter);
    strategy.ranks()->journal().End();
  });
  return ends;
}

void ExpectTheOthersAreTold(const std::vector<std::string>& ends, size_t failed,
                            const std::string& what, const std::string& why) {
  const std::string text = "[" + what + "] all workers must come to the end of the " + what +
                           "; got an error on worker " + std::to_string(failed) +
                           ", which has left the " + what + ": " + why + "; its";
  for (size_t worker = 0; worker < ends.size(); ++worker) {
    if (worker == failed) continue;
    EXPECT_NE(ends[worker].find(text), std::string::npos) << ends[worker];
  }
}

// A callback throws after a step where `fails` says so. With fewer cores than workers the last
// ones only follow.
std::vector<std::string> FailInCallbacks(const std::function<bool(int worker)>& fails,
                                         int cores = 3) {
  return EndsOf(
      [&](int worker, Strategy& strategy, Counter& counter) {
        strategy.ranks()->set_host_places(distribute::OnOneHost(3, cores));
        if (cores < 3) counter.digest_check = 0;
        counter.on_batch = [&, worker](int64_t steps) {
          if (steps == 5 && fails(worker)) throw std::runtime_error("broken callback\nand more");
        };
      },
      /*train_again=*/fails(0) && fails(1));  // what all have met is no end
}

TEST(ElasticTest, WhatOneWorkersProgramThrowsEndsTheOthersTrainingAtOnce) {
  const auto began = std::chrono::steady_clock::now();
  for (const int cores : {3, 1}) {
    const auto ends = FailInCallbacks([](int worker) { return worker == 1; }, cores);
    EXPECT_EQ(ends[1], "broken callback\nand more");
    ExpectTheOthersAreTold(ends, 1, "training", "broken callback");
  }
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(30))
      << "a partial is waited for for 60 s";
}

TEST(ElasticTest, WhatAllProgramsThrowLeavesTheJobAsItIs) {
  for (const std::string& end : FailInCallbacks([](int) { return true; }))
    EXPECT_EQ(end, "broken callback\nand more");
}

// Batches of which one fails, the first being 1.
Dataset BrokenBatches(int broken) {
  return Dataset::FromGenerator([broken] {
    return [broken, given = 0]() mutable -> std::optional<Element> {
      if (++given == broken) throw std::runtime_error("broken data");
      return Element{ZerosLike(Features()), ZerosLike(Labels())};
    };
  });
}

TEST(ElasticTest, WhatOneWorkersDataThrowEndsTheOthersEvaluationAndPredictionAtOnce) {
  const auto began = std::chrono::steady_clock::now();
  for (const auto& [predicts, at_once] : std::vector<std::pair<bool, bool>>{
           {false, false}, {false, true}, {true, false}, {true, true}}) {
    const auto ends = EndsOf([&](int worker, Strategy&, Counter& counter) {
      counter.after_fit = [&, worker] {
        const Dataset whole = Dataset::FromTensors({Features(), Labels()}).Repeat(4);
        // Who fails at once has left before the others come.
        if (at_once && worker != 2) std::this_thread::sleep_for(std::chrono::milliseconds(300));
        const Dataset batches = worker == 2 ? BrokenBatches(at_once ? 1 : 3) : whole;
        if (predicts) {
          counter.model->Predict(batches);
        } else {
          counter.model->Evaluate(batches);
        }
      };
    });
    EXPECT_EQ(ends[2], "broken data");
    ExpectTheOthersAreTold(ends, 2, "evaluation or prediction", "broken data");
  }
  EXPECT_LT(std::chrono::steady_clock::now() - began, std::chrono::seconds(30))
      << "a partial is waited for for 60 s";
}

// Wherever one dies: in steps, snapshots, validation, gatherings, evaluation, the last call.
TEST(ElasticTest, AWorkerDiesAnywhere) {
  const Trained expected = Alone();
  const int deaths = distribute::KillAnywhere(
      {2, 3, 4}, 8, /*seed=*/5, [](ElasticJob& job) { return TrainElastic(job); },
      [&](const auto& all, int survivors, const std::string& what) {
        ExpectAllAre(expected, all, survivors, what);
      });
  EXPECT_GE(deaths, 15);
}

// Of those that share out the steps, and of those that only follow.
TEST(ElasticTest, AWorkerOfACrowdedHostDiesAnywhere) {
  const Trained expected = Alone();
  for (const int cores : {1, 2}) {
    const int deaths = distribute::KillAnywhere(
        {3, 4}, 8, /*seed=*/15,
        [cores](ElasticJob& job) {
          return TrainElastic(job, [cores](int, Strategy& strategy, Counter&) {
            strategy.ranks()->set_host_places(distribute::OnOneHost(4, cores));
          });
        },
        [&](const auto& all, int survivors, const std::string& what) {
          ExpectAllAre(expected, all, survivors, what + " with cores " + std::to_string(cores));
        });
    EXPECT_GE(deaths, 10);
  }
}

// One that works or rests, while those that rest are some runs behind.
TEST(ElasticTest, AWorkerDiesWhileOthersAreBehind) {
  const Trained expected = Alone();
  const int deaths = distribute::KillAnywhere(
      {4}, 10, /*seed=*/27,
      [](ElasticJob& job) {
        return TrainElastic(job, [](int worker, Strategy& strategy, Counter& counter) {
          strategy.ranks()->set_host_places(distribute::OnOneHost(4, 2));
          counter.digest_check = 0;
          if (worker < 2) return;
          counter.on_batch = [](int64_t) {
            std::this_thread::sleep_for(std::chrono::milliseconds(3));
          };
        });
      },
      [&](const auto& all, int survivors, const std::string& what) {
        ExpectAllAre(expected, all, survivors, what);
      });
  EXPECT_GE(deaths, 7);
}

// Who rests has not even been told what it was left behind with.
TEST(ElasticTest, AWorkerDiesWhileOthersAreToldNothing) {
  constexpr int kEpochs = 12;
  for (const char* optimizer : {"adam", "muon"}) {
    const Trained expected = Alone(kEpochs, optimizer);
    for (const int cores : {1, 2}) {
      std::atomic<int> silent_runs = 0;
      const int deaths = distribute::KillAnywhere(
          {3, 4}, 8, /*seed=*/31,
          [&](ElasticJob& job) {
            const auto prepare = [&](int, Strategy& strategy, Counter& counter) {
              strategy.ranks()->set_host_places(distribute::OnOneHost(4, cores));
              counter.optimizer = optimizer;
              counter.digest_check = 0;
              counter.reads = false;
              counter.on_batch = [&](int64_t) {
                if (strategy.ranks()->notes().is_silent()) ++silent_runs;
              };
            };
            return TrainElastic(job, prepare, kEpochs);
          },
          [&](const auto& all, int survivors, const std::string& what) {
            ExpectAllAre(expected, all, survivors, what + " with cores " + std::to_string(cores));
          });
      EXPECT_GE(deaths, 10);
      EXPECT_GT(silent_runs, 200);
    }
  }
}

// What one worker alone has of an update that needs the whole matrix.
TEST(ElasticTest, TheOwnerOfAnUpdateDiesAnywhere) {
  const Trained expected = Alone(3, "muon");
  const int deaths = distribute::KillAnywhere(
      {2, 3}, 6, /*seed=*/9,
      [](ElasticJob& job) {
        return TrainElastic(job,
                            [](int, Strategy&, Counter& counter) { counter.optimizer = "muon"; });
      },
      [&](const auto& all, int survivors, const std::string& what) {
        ExpectAllAre(expected, all, survivors, what);
      });
  EXPECT_GE(deaths, 8);
}

TEST(ElasticTest, OneDiesAfterTheOtherUntilOneIsLeft) {
  const Trained expected = Alone();
  for (int64_t piece : {40, 90}) {
    ElasticJob job(4, 0);
    for (int victim : {2, 0, 3}) job.KillAt(victim, piece + 40 * victim);
    const auto all = TrainElastic(job);
    EXPECT_EQ(job.deaths(), 3);
    ExpectAllAre(expected, all, 1, "three of four die from piece " + std::to_string(piece));
  }
}

// Two that have no rows in common: the second copy is two ranks away.
TEST(ElasticTest, TwoDieAtOnce) {
  const Trained expected = Alone();
  for (int64_t piece : {60, 130, 200}) {
    ElasticJob job(4, 0);
    job.KillAt(0, piece);
    job.KillAt(1, piece);
    const auto all = TrainElastic(job);
    EXPECT_EQ(job.deaths(), 2);
    ExpectAllAre(expected, all, 2, "two of four die at piece " + std::to_string(piece));
  }
}

// Two of them have both copies of their rows.
TEST(ElasticTest, AllIsDoneAgainWhereAllCopiesAreLost) {
  const Trained expected = Alone();
  for (int64_t piece : {60, 130, 200}) {
    ElasticJob job(4, 0);
    for (int victim : {0, 1, 2}) job.KillAt(victim, piece);
    const auto all = TrainElastic(job);
    EXPECT_EQ(job.deaths(), 3);
    ExpectAllAre(expected, all, 1, "three of four die at piece " + std::to_string(piece));
  }
}

TEST(ElasticTest, CallbacksAreCalledOnce) {
  ElasticJob job(3, 0);
  job.KillAt(0, 120);
  std::vector<std::vector<int64_t>> steps(3);
  const auto all = TrainElastic(job, [&](int worker, Strategy&, Counter& counter) {
    counter.on_batch = [&own = steps[worker]](int64_t step) { own.push_back(step); };
  });
  EXPECT_EQ(job.deaths(), 1);
  for (int worker : {1, 2}) {
    ASSERT_TRUE(all[worker]);
    std::vector<int64_t> every;
    for (int64_t step = 1; step <= 12; ++step) every.push_back(step);
    EXPECT_EQ(steps[worker], every);
  }
}

TEST(ElasticTest, AJoinerTakesOverWhatItNeeds) {
  const Trained expected = Alone(8);
  for (const auto& [members, cores, reads] :
       std::vector<std::tuple<int, int, bool>>{{1, 4, true},
                                               {2, 4, true},
                                               {3, 4, true},
                                               {2, 1, true},
                                               {3, 2, true},
                                               {2, 1, false},
                                               {3, 2, false}}) {
    ElasticJob job(members, 1);
    const auto all = TrainElastic(
        job,
        [&, members = members, cores = cores, reads = reads](int worker, Strategy& strategy,
                                                             Counter& counter) {
          strategy.ranks()->set_host_places(distribute::OnOneHost(4, cores));
          counter.reads = reads;
          if (worker < members) {
            counter.on_batch = [&job, worker](int64_t step) {
              if (step == 5) job.AwaitJoiners(worker, 1);
            };
            return;
          }
          counter.after_fit = [&counter] {
            EXPECT_TRUE(counter.epochs_before && counter.epochs + *counter.epochs_before == 8);
          };
        },
        8);
    ExpectAllAre(expected, all, members + 1,
                 "one joins " + std::to_string(members) + " on " + std::to_string(cores));
  }
}

// One that works, and one that rests: what it asks for is heard some runs later.
TEST(ElasticTest, AWorkerOfACrowdedHostLeaves) {
  for (const bool reads : {true, false}) {
    const int epochs = reads ? 8 : 200;  // in silent runs it takes longer
    const Trained expected = Alone(epochs);
    for (const int cores : {1, 2}) {
      for (const int leaver : {0, 2}) {
        ElasticJob job(3, 0);
        const auto all = TrainElastic(
            job,
            [&](int worker, Strategy& strategy, Counter& counter) {
              strategy.ranks()->set_host_places(distribute::OnOneHost(4, cores));
              counter.reads = reads;
              if (!reads) counter.digest_check = 0;
              if (worker != leaver) return;
              counter.on_batch = [&strategy, reads](int64_t step) {
                if (step == (reads ? 4 : 21)) strategy.ranks()->AskToLeave();
              };
            },
            epochs);
        ExpectAllAre(expected, all, 2,
                     std::to_string(leaver) + " leaves " + std::to_string(cores) + " cores");
      }
    }
  }
}

TEST(ElasticTest, WhoBeganDiesAndTheJoinersGoOn) {
  const Trained expected = Alone(8);
  ElasticJob job(2, 2);
  const auto all = TrainElastic(
      job,
      [&](int worker, Strategy& strategy, Counter& counter) {
        if (worker > 1) return;
        counter.on_batch = [&job, worker](int64_t step) {
          if (step == 3) job.AwaitJoiners(worker, 2);
          if (step == 20 + worker) throw distribute::Killed();
        };
      },
      8);
  EXPECT_EQ(job.deaths(), 2);
  ExpectAllAre(expected, all, 2, "joiners are left");
}

// Nobody has what was trained: the job begins with those who came.
TEST(ElasticTest, AllMembersDieWhileOnlyNewcomersWait) {
  const Trained expected = Alone();
  for (int newcomers : {1, 2}) {
    ElasticJob job(1, newcomers);
    const auto all = TrainElastic(job, [&](int worker, Strategy&, Counter& counter) {
      if (worker > 0) return;
      counter.on_batch = [&job, newcomers](int64_t step) {
        if (step != 4) return;
        job.AwaitJoiners(0, newcomers);
        throw distribute::Killed();
      };
    });
    EXPECT_EQ(job.deaths(), 1);
    ExpectAllAre(expected, all, newcomers, std::to_string(newcomers) + " newcomers are left");
  }
}

TEST(ElasticTest, AWorkerLeavesAtTheEndOfAStep) {
  const Trained expected = Alone();
  for (int leaver : {0, 2}) {
    ElasticJob job(3, 0);
    const auto all = TrainElastic(job, [leaver](int worker, Strategy& strategy, Counter& counter) {
      if (worker != leaver) return;
      counter.on_batch = [&strategy](int64_t step) {
        if (step == 4) strategy.ranks()->AskToLeave();
      };
    });
    EXPECT_FALSE(all[leaver]);
    EXPECT_EQ(job.deaths(), 0);
    ExpectAllAre(expected, all, 2, "worker " + std::to_string(leaver) + " leaves");
  }
}

TEST(ElasticTest, AllLeaveToWhoWaitsToComeIn) {
  const Trained expected = Alone(8);
  for (int members : {1, 2}) {
    ElasticJob job(members, 1);
    const auto all = TrainElastic(
        job,
        [&](int worker, Strategy& strategy, Counter& counter) {
          if (worker >= members) return;
          counter.on_batch = [&job, &strategy, worker](int64_t step) {
            if (step != 5) return;
            job.AwaitJoiners(worker, 1);
            strategy.ranks()->AskToLeave();
          };
        },
        8);
    EXPECT_FALSE(all[0]);
    EXPECT_EQ(job.deaths(), 0);
    ExpectAllAre(expected, all, 1, std::to_string(members) + " leave to one");
  }
}

TEST(ElasticTest, AllLeaveAndSoTheTrainingStops) {
  ElasticJob job(2, 0);
  std::vector<int64_t> last(2);
  const auto all = TrainElastic(job, [&](int worker, Strategy& strategy, Counter& counter) {
    counter.on_batch = [&, worker](int64_t step) {
      last[worker] = step;
      if (step == 4) strategy.ranks()->AskToLeave();
    };
  });
  EXPECT_TRUE(all[0] && all[1]);
  EXPECT_EQ(last, (std::vector<int64_t>{5, 5}));
}

// What a loop of one's own ends with: a weight that is updated by rows, with momentum.
std::vector<float> TrainOwn(Strategy& strategy, const std::function<void(int64_t)>& on_step) {
  const auto scope = strategy.scope();
  const Variable weight(
      Tensor::FromVector(std::vector<float>(kFeatures * 400, 0.1f), Shape{kFeatures, 400}),
      {.name = "weight"});
  const Variable momentum(
      Tensor::FromVector(std::vector<float>(kFeatures * 400), Shape{kFeatures, 400}),
      {.name = "momentum", .trainable = false});
  const std::vector<float> rows = Features().ToVector<float>();
  const auto factory = [&rows]() -> BatchSource {
    return [&rows, next = int64_t{0}]() mutable -> std::optional<std::vector<Tensor>> {
      if (next == kExamples) return std::nullopt;
      const int64_t begin = next, count = std::min<int64_t>(16, kExamples - begin);
      next += count;
      return std::vector<Tensor>{Tensor::FromVector(
          std::vector<float>(rows.begin() + begin * kFeatures, rows.begin() + next * kFeatures),
          Shape{count, kFeatures})};
    };
  };
  const TrainResult result = strategy.Train(
      factory, 30,
      [&](const std::vector<Tensor>& batch) {
        GradientTape tape;
        const Tensor loss = ReduceMean(Square(MatMul(batch[0], weight)));
        const Tensor gradient = tape.Gradient(loss, weight);
        momentum.Assign(momentum * 0.9f + gradient);
        weight.AssignSub(momentum * 0.1f);
        return std::vector<Tensor>{loss};
      },
      {.shards = 4, .on_step = [&](int64_t step, const std::vector<Tensor>&) { on_step(step); }});
  EXPECT_EQ(result.steps, 30);
  return weight.value().ToVector<float>();
}

// Of tasks 0 to 2 those of `servers` are servers; task 3 joins, and task 0 dies.
void ExpectOwnLoopGoesOn(const std::set<int>& servers) {
  MirroredStrategy alone({.devices = 1, .replicas = 1});
  const std::vector<float> expected = TrainOwn(alone, [](int64_t) {});
  ElasticJob job(3, 1, servers);
  std::vector<std::vector<float>> all(4);
  distribute::RunElastic(job, [&](int worker, std::shared_ptr<Communicator> ranks) {
    ranks->journal().set_interval(3);
    ParameterServerStrategy strategy(std::move(ranks), {.devices = 1, .replicas = 1});
    auto trained = TrainOwn(strategy, [&](int64_t step) {
      if (worker < 3 && step == 5) job.AwaitJoiners(worker, 1);
      if (worker == 0 && step == 15) throw distribute::Killed();
    });
    strategy.ranks()->journal().End();
    all[worker] = std::move(trained);
  });
  EXPECT_EQ(job.deaths(), 1);
  for (int worker : {1, 2, 3}) EXPECT_EQ(all[worker], expected) << worker;
}

TEST(ElasticTest, LoopsOfOnesOwnGoOnToo) {
  ExpectOwnLoopGoesOn({});
  ExpectOwnLoopGoesOn({1});
  ExpectOwnLoopGoesOn({0, 3});
}

TEST(ElasticTest, AJoinerMustBeginWithTraining) {
  ElasticJob job(1, 1);
  Status status;
  distribute::RunElastic(job, [&](int worker, std::shared_ptr<Communicator> ranks) {
    MultiWorkerMirroredStrategy strategy(std::move(ranks), {.devices = 1, .replicas = 1});
    if (worker == 0) return;
    try {
      strategy.OnChief([] { return Status(); });
    } catch (const Error& error) {
      status = error.status();
    }
  });
  EXPECT_EQ(status.code(), Code::kFailedPrecondition);
  EXPECT_NE(status.message().find("strategy.Train(batches, steps, body)"), std::string::npos)
      << status.message();
}

// It evaluates and predicts by itself what the others do together, and is not the first of them.
TEST(ElasticTest, WhoIsLeftOutAfterItsTrainingGoesOnByItself) {
  const Trained expected = Alone();
  for (const int victim : {0, 1, 2}) {
    ElasticJob job(3, 0);
    std::vector<int> written(3);
    const auto all = TrainElastic(job, [&](int worker, Strategy& strategy, Counter& counter) {
      counter.after_fit = [&, worker] {
        if (worker == victim) job.LeaveOut(victim);
      };
      counter.at_end = [&, worker] {
        strategy.OnChief([&, worker] {
          ++written[worker];
          return Status::Ok();
        });
      };
    });
    ExpectAllAre(expected, all, 3, "worker " + std::to_string(victim) + " was left out");
    for (int worker = 0; worker < 3; ++worker)
      EXPECT_EQ(written[worker], worker == (victim == 0 ? 1 : 0) ? 1 : 0);
  }
}

// A call that would change something, which the others would not know of.
TEST(ElasticTest, WhoIsLeftOutIsRefusedOtherCalls) {
  ElasticJob job(2, 0);
  Status refused;
  TrainElastic(job, [&](int worker, Strategy& strategy, Counter& counter) {
    if (worker != 1) return;
    counter.after_fit = [&] { job.LeaveOut(1); };
    counter.at_end = [&] {
      try {
        strategy.ranks()->journal().Exchange([] { return std::string("own"); });
      } catch (const Error& error) {
        refused = error.status();
      }
    };
  });
  EXPECT_EQ(refused.code(), Code::kAborted);
  EXPECT_NE(refused.message().find("comes back in Model::Fit or Strategy::Train"),
            std::string::npos)
      << refused.message();
}

// As after SIGSTOP: the others went on, and the one that comes back is told how far.
TEST(ElasticTest, WhoWasLeftOutComesBack) {
  const Trained expected = Alone(8);
  ElasticJob job(3, 0);
  const auto all = TrainElastic(
      job,
      [&](int worker, Strategy&, Counter& counter) {
        if (worker != 1) return;
        counter.on_batch = [&job](int64_t step) {
          if (step == 6) job.LeaveOut(1);
        };
      },
      8);
  EXPECT_EQ(job.deaths(), 1);
  ExpectAllAre(expected, all, 3, "one was left out");
}

}  // namespace
}  // namespace lockstep
