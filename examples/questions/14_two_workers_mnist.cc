// Question 004, second program: the model of the first one over several workers from TF_CONFIG.
// With the same number of replicas the weights have the bits of one process: `lockstep verify
// --workers 1,2 -- example_questions_14_two_workers_mnist` compares them. An argument names a
// folder with MNIST.
#include <cstdio>

#include "lockstep/lockstep.h"

int main(int argc, char** argv) {
  using namespace lockstep;
  MultiWorkerMirroredStrategy strategy({.devices = 1, .replicas = 2});
  const auto scope = strategy.scope();
  Sequential model{Rescaling(1.0 / 255), Flatten(), Dense(128, relu), Dense(10)};
  model.Compile({.optimizer = optimizers::Adam(),
                 .loss = losses::SparseCategoricalCrossentropy(/*from_logits=*/true),
                 .metrics = {metrics::SparseCategoricalAccuracy("accuracy")}});
  const Dataset digits = argc > 1 ? Dataset::Mnist(argv[1]) : Dataset::Digits(/*seed=*/1, 640);
  model.Fit(digits.Batch(32), {.epochs = argc > 1 ? 10 : 2, .verbose = Verbosity::kSilent});
  std::printf("{\"weights_digest\": \"%s\"}\n", model.WeightsDigest().c_str());
  return 0;
}
