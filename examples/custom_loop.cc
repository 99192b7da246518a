// A custom loop: every replica computes its gradients, the optimizer adds them over replicas and
// updates the weights once, and the losses are added for printing.
#include <cstdio>

#include "lockstep/distribute/strategy.h"
#include "lockstep/nn/layers.h"
#include "lockstep/nn/model.h"
#include "lockstep/nn/optimizers.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/reduce.h"
#include "lockstep/runtime/function.h"
#include "lockstep/runtime/gradient_tape.h"

int main() {
  using namespace lockstep;
  MirroredStrategy strategy({.replicas = 2});
  auto scope = strategy.scope();
  Sequential model({Dense(8, relu), Dense(1)});
  auto optimizer = optimizers::Adam({.learning_rate = 0.01});
  const Tensor x = Constant<float>({0, 0, 0, 1, 1, 0, 1, 1}, {4, 2});
  const Tensor y = Constant<float>({0, 1, 1, 0}, {4, 1});

  const auto replica_step = [&](const std::vector<Tensor>& batch) {
    GradientTape tape;
    const Tensor loss = ReduceSum(Square(model(batch[0], true) - batch[1])) / 4;
    optimizer->Apply(tape.Gradient(loss, model.trainable_variables()), model.trainable_variables());
    return loss;
  };
  const Function step([&](const Tensor& x, const Tensor& y) {
    return strategy.Reduce(ReduceOp::kSum, strategy.Run(replica_step, strategy.Split({x, y})), {});
  });

  const float first = step(x, y).scalar<float>();
  float last = first;
  for (int i = 0; i < 300; ++i) last = step(x, y).scalar<float>();
  std::printf("loss %.4f -> %.4f\n", first, last);
  return last < 0.5f * first ? 0 : 1;
}
