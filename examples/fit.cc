// The program that a Keras user reads at sight: a strategy, its scope, a model, Fit, Evaluate.
#include <cstdio>

#include "lockstep/lockstep.h"

int main() {
  using namespace lockstep;
  MirroredStrategy strategy;  // all cores; the bits are those of one
  const auto scope = strategy.scope();

  Sequential model{Rescaling(1.0 / 255), Flatten(), Dense(128, relu), Dense(10)};
  model.Compile({.optimizer = optimizers::Adam(),
                 .loss = losses::SparseCategoricalCrossentropy(/*from_logits=*/true),
                 .metrics = {metrics::SparseCategoricalAccuracy("accuracy")}});

  const Dataset digits = Dataset::Digits(/*seed=*/1, 2000).Shuffle(2000).Batch(32);
  model.Fit(digits, {.epochs = 4, .verbose = Verbosity::kLine});
  const Logs test = model.Evaluate(Dataset::Digits(1, 500, /*train=*/false).Batch(100));
  std::printf("test accuracy %.3f, digest %s\n", test.at("accuracy"),
              model.WeightsDigest().c_str());
  return test.at("accuracy") > 0.7 ? 0 : 1;
}
