// Question 004, first program: a model under a MirroredStrategy. Its last layer gives logits while
// the loss, as it is named, expects probabilities; a line says so before the first step. An
// argument names a folder with MNIST; without it the digits are drawn.
#include "answer.h"
#include "lockstep/lockstep.h"

int main(int argc, char** argv) {
  using namespace lockstep;
  MirroredStrategy strategy;
  const auto scope = strategy.scope();
  Sequential model{Rescaling(1.0 / 255), Flatten(), Dense(128, relu), Dense(10)};
  model.Compile({.optimizer = optimizers::Adam(),
                 .loss = losses::SparseCategoricalCrossentropy(),
                 .metrics = {metrics::SparseCategoricalAccuracy("accuracy")}});

  const Dataset digits = argc > 1 ? Dataset::Mnist(argv[1]) : Dataset::Digits(/*seed=*/1, 640);
  const History history =
      model.Fit(digits.Batch(32), {.epochs = argc > 1 ? 10 : 2, .verbose = Verbosity::kLine});

  Answer answer;
  answer.Holds(history.history.at("loss").size() == (argc > 1 ? 10u : 2u), "all epochs have run");
  return answer.Status();
}
