// Several workers end with the bits of one process.

#include <cmath>

#include "base/hash.h"
#include "distribute/worker_threads_test.h"
#include "gtest/gtest.h"
#include "lockstep/distribute/strategy.h"
#include "lockstep/nn/constraints.h"
#include "lockstep/nn/layers.h"
#include "lockstep/nn/model.h"
#include "lockstep/nn/optimizers.h"
#include "lockstep/nn/regularizers.h"

namespace lockstep {
namespace {

constexpr int64_t kExamples = 50;
constexpr int64_t kFeatures = 12;

Tensor Features() {
  std::vector<float> values(kExamples * kFeatures);
  for (size_t i = 0; i < values.size(); ++i) values[i] = std::sin(0.7f * static_cast<float>(i));
  return Tensor::FromVector(values, Shape{kExamples, kFeatures});
}

Tensor Labels() {
  std::vector<int32_t> labels(kExamples);
  for (size_t i = 0; i < labels.size(); ++i) labels[i] = static_cast<int32_t>(i * i % 4);
  return Tensor::FromVector(labels, Shape{kExamples});
}

struct Trained {
  std::string weights;
  std::string state;
  std::map<std::string, std::vector<double>> history;
  Logs evaluated;
  std::string predictions;
  bool operator==(const Trained&) const = default;
};

using MakeOptimizer = std::function<OptimizerPtr()>;

// The digests after two epochs whose last batch is uneven.
Trained Train(Strategy& strategy, const MakeOptimizer& optimizer) {
  const auto scope = strategy.scope();
  Sequential model({Dense(400, DenseOptions{.activation = relu,
                                            .kernel_regularizer = regularizers::L1L2(0.001, 0.01),
                                            .kernel_constraint = constraints::MaxNorm(1.5)}),
                    BatchNormalization(), Dropout(0.2), Dense(4)});
  model.Compile({.optimizer = optimizer(),
                 .loss = losses::SparseCategoricalCrossentropy(/*from_logits=*/true),
                 .metrics = {metrics::SparseCategoricalAccuracy("accuracy")}});
  const History history =
      model.Fit(Features(), Labels(),
                {.batch_size = 16, .epochs = 2, .verbose = Verbosity::kSilent, .shards = 4});
  const Tensor predictions = model.Predict(Features(), 20);
  return {model.WeightsDigest(), model.StateDigest(), history.history,
          model.Evaluate(Features(), Labels(), 20),
          std::to_string(base::Hash64(std::string_view(
              static_cast<const char*>(predictions.raw_data()), predictions.num_bytes())))};
}

Trained TrainAlone(const MakeOptimizer& optimizer, int replicas) {
  SetRandomSeed(7);
  MirroredStrategy strategy({.devices = 2, .replicas = replicas});
  return Train(strategy, optimizer);
}

std::vector<Trained> TrainTogether(const MakeOptimizer& optimizer, int replicas, int workers,
                                   int devices) {
  SetRandomSeed(7);
  std::vector<Trained> all(workers);
  distribute::RunWorkers(workers, [&](std::shared_ptr<distribute::Communicator> ranks) {
    const int rank = ranks->rank();
    MultiWorkerMirroredStrategy strategy(std::move(ranks),
                                         {.devices = devices, .replicas = replicas});
    all[rank] = Train(strategy, optimizer);
  });
  return all;
}

TEST(MultiWorkerTest, EveryRuleGivesTheBitsOfOneProcess) {
  for (const std::string& name : optimizers::Names()) {
    const MakeOptimizer make = [&] { return optimizers::Get(name); };
    const Trained expected = TrainAlone(make, 1);
    for (int workers : {2, 3}) {
      for (const Trained& own : TrainTogether(make, 1, workers, 1)) {
        EXPECT_EQ(own.weights, expected.weights) << name << " over " << workers;
        EXPECT_EQ(own.state, expected.state) << name << " over " << workers;
        EXPECT_EQ(own.history, expected.history) << name << " over " << workers;
        EXPECT_EQ(own.evaluated, expected.evaluated) << name << " over " << workers;
        EXPECT_EQ(own.predictions, expected.predictions) << name << " over " << workers;
      }
    }
  }
}

}  // namespace
}  // namespace lockstep
