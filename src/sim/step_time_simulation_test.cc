#include <gtest/gtest.h>

#include <cstdio>

#include "collectives/plan.h"
#include "distribute/workers/communicator.h"
#include "lockstep/nn/callbacks.h"
#include "lockstep/nn/layers.h"
#include "lockstep/nn/optimizers.h"
#include "lockstep/ops/activation.h"
#include "sim/fit_job_test.h"

/// How long a step takes in virtual time on machines that are all equal: what a leaf and an update
/// cost is given, and so is the wire; who waits for whom, and for what, is the code of production.

namespace lockstep::sim {
namespace {

constexpr int kLeaves = 8;
constexpr int64_t kBatch = 64, kFeatures = 784, kSteps = 24;
// Until blocks are chosen by what runs have cost, and the program is made for them.
constexpr int64_t kFirstSteps = 12;
// An MLP 784-128-10 with Adam: 8 examples forward and backward, and the update of all weights.
constexpr base::Duration kLeafTime = std::chrono::microseconds(40);
constexpr base::Duration kUpdateTime = std::chrono::microseconds(30);

struct Wire {
  const char* name;
  base::Duration latency;
  double nanoseconds_a_byte;
};

class Machine final : public Callback {
 public:
  Machine(Program& program, Strategy& strategy, std::vector<base::Time>* ends)
      : program_(program), strategy_(strategy), ends_(ends) {}
  void OnTrainBatchBegin(int64_t) override {
    const int ranks = strategy_.ranks()->num_ranks();
    const collectives::Division& made = strategy_.ranks()->division();
    const auto division =
        made.num_leaves() > 0 ? made : collectives::Division::Even(kLeaves, ranks);
    const auto own = division.block(strategy_.ranks()->rank());
    program_.Compute(own.size() * kLeafTime + kUpdateTime / ranks);
  }
  void OnTrainBatchEnd(int64_t, const LogsSource&) override {
    ends_->push_back(program_.world().scheduler().Now());
  }
  std::string name() const override { return ""; }

 private:
  Program& program_;
  Strategy& strategy_;
  std::vector<base::Time>* ends_;
};

void TrainMlp(Strategy& strategy, const CallbackPtr& machine) {
  const auto scope = strategy.scope();
  Sequential model{Dense(128, DenseOptions{.activation = relu}), Dense(10)};
  model.Compile({.optimizer = optimizers::Get("adam"),
                 .loss = losses::SparseCategoricalCrossentropy(/*from_logits=*/true)});
  std::vector<float> values(kBatch * kFeatures);
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<float>(i % 17) / 17.0f;
  std::vector<int32_t> labels(kBatch);
  for (size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<int32_t>(i % 10);
  model.Fit(Tensor::FromVector(values, Shape{kBatch, kFeatures}),
            Tensor::FromVector(labels, Shape{kBatch}),
            {.batch_size = kBatch,
             .epochs = kSteps,
             .verbose = Verbosity::kSilent,
             .callbacks = {machine},
             .shards = kLeaves});
}

// Mean time of a step once its blocks are chosen, and without snapshots.
double StepMicroseconds(int ranks, const Wire& wire) {
  WorldOptions options{.num_ranks = ranks};
  options.scheduler = {.longest_work = base::Duration(0), .lanes = 2};
  options.network.shortest_delay = options.network.longest_delay = wire.latency;
  options.network.nanoseconds_a_byte = wire.nanoseconds_a_byte;
  World world(1, options);
  FitJobSettings settings;
  settings.interval = 1000;
  settings.longest_compute = base::Duration(0);
  settings.wire.first_resend = settings.wire.longest_resend = std::chrono::seconds(1);
  std::vector<std::vector<base::Time>> ends(ranks);
  settings.body = [&](Strategy& strategy, Program& program) {
    TrainMlp(strategy, std::make_shared<Machine>(program, strategy, &ends[program.rank()]));
  };
  FitJob job(world, settings);
  for (int rank = 0; rank < ranks; ++rank) job.Start(rank);
  EXPECT_TRUE(world.RunUntil([&] { return job.AllEnded(); }, std::chrono::minutes(1)))
      << job.Describe();
  EXPECT_EQ(job.Count(FitJob::End::kTrained), ranks) << job.Describe();
  const std::vector<base::Time>& steps = ends[0];
  if (steps.size() != kSteps) {
    ADD_FAILURE() << steps.size() << " steps";
    return 0;
  }
  return static_cast<double>((steps.back() - steps[kFirstSteps]).count()) / 1000 /
         (kSteps - 1 - kFirstSteps);
}

TEST(SimulatedStepTime, ThreeWorkersTakeLittleLongerThanTwoForTheSameBatch) {
  constexpr Wire kWires[] = {{"memory of a host", std::chrono::microseconds(2), 0.1},
                             {"100 Gb/s", std::chrono::microseconds(5), 0.08},
                             {"25 Gb/s", std::chrono::microseconds(10), 0.32},
                             {"10 Gb/s", std::chrono::microseconds(20), 0.8}};
  for (const Wire& wire : kWires) {
    double times[5];
    for (int ranks = 1; ranks <= 4; ++ranks) times[ranks] = StepMicroseconds(ranks, wire);
    std::printf("%-17s 1: %6.1f us, 2: %6.1f, 3: %6.1f, 4: %6.1f; 3 to 2: %.2f\n", wire.name,
                times[1], times[2], times[3], times[4], times[3] / times[2]);
    EXPECT_LE(times[3], 1.3 * times[2]) << wire.name;
    EXPECT_LT(times[4], times[1] + wire.nanoseconds_a_byte * 2e6) << wire.name;
  }
}

}  // namespace
}  // namespace lockstep::sim
