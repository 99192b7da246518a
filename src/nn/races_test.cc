// What training does by itself is no race between threads.

#include "lockstep/check/races.h"

#include <gtest/gtest.h>

#include <thread>

#include "base/thread_watch.h"
#include "lockstep/data/dataset.h"
#include "lockstep/nn/callbacks.h"
#include "lockstep/nn/layers.h"
#include "lockstep/nn/loss.h"
#include "lockstep/nn/model.h"
#include "lockstep/nn/optimizers.h"

namespace lockstep {
namespace {

class TrainingRaces : public testing::Test {
 protected:
  TrainingRaces() {
    SetRaceCheck(RaceCheck::kRaise);
    model.Compile({.optimizer = optimizers::Adam(),
                   .loss = losses::SparseCategoricalCrossentropy(/*from_logits=*/true)});
  }
  ~TrainingRaces() override {
    EXPECT_TRUE(TakeRaceReports().empty());
    SetRaceCheck(RaceCheck::kWarn);
  }
  void Fit(const std::vector<std::shared_ptr<Callback>>& callbacks) {
    model.Fit(Dataset::Digits(1, 64).Batch(16).Prefetch(2),
              {.epochs = 4, .verbose = Verbosity::kSilent, .callbacks = callbacks});
  }
  std::vector<Tensor> Weights() {
    std::vector<Tensor> values;
    for (const Variable& weight : model.trainable_variables()) values.push_back(weight.value());
    return values;
  }
  void RollBackTo(const std::vector<Tensor>& values) {
    const std::vector<Variable> weights = model.trainable_variables();
    for (size_t i = 0; i < weights.size(); ++i) weights[i].Assign(values[i]);
  }
  Sequential model{Rescaling(1.0 / 255), Flatten(), Dense(8, relu), Dense(10)};
};

TEST_F(TrainingRaces, CallbacksThatReadAndRestoreWeights) {
  Fit({callbacks::EarlyStopping({.monitor = "loss", .patience = 0, .restore_best_weights = true})});
  const std::vector<Tensor> best = Weights();
  Fit({});
  RollBackTo(best);
  Fit({});
}

TEST_F(TrainingRaces, AThreadThatTrainsAndIsJoined) {
  if (!base::WatchesThreads()) GTEST_SKIP() << "the sanitizer watches the threads";
  Fit({});
  const std::vector<Tensor> best = Weights();
  std::thread([&] { Fit({}); }).join();
  RollBackTo(best);
  Fit({});
}

}  // namespace
}  // namespace lockstep
