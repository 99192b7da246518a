// strategy.Train: the body is traced once for each shape of a batch and sees the global batch,
// which is cut over replicas and devices as Fit cuts it; so any number of devices gives the same
// bits.
#include <cstdio>

#include "lockstep/distribute/strategy.h"
#include "lockstep/nn/layers.h"
#include "lockstep/nn/model.h"
#include "lockstep/nn/optimizers.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/reduce.h"
#include "lockstep/runtime/gradient_tape.h"

int main() {
  using namespace lockstep;
  MirroredStrategy strategy;
  auto scope = strategy.scope();
  Sequential model({Dense(8, relu), Dense(1)});
  auto optimizer = optimizers::Adam({.learning_rate = 0.01});

  const Tensor x = Constant<float>({0, 0, 0, 1, 1, 0, 1, 1}, {4, 2});
  const Tensor y = Constant<float>({0, 1, 1, 0}, {4, 1});
  const Dataset xor_table = Dataset::FromTensorSlices(x, y).Batch(4);
  const auto body = [&](const std::vector<Tensor>& batch) {
    GradientTape tape;
    const Tensor loss = ReduceMean(Square(model(batch[0], true) - batch[1]));
    optimizer->Apply(tape.Gradient(loss, model.trainable_variables()), model.trainable_variables());
    return std::vector<Tensor>{loss};
  };

  const float first = strategy.Train(xor_table, 1, body).last[0].scalar<float>();
  const float last = strategy.Train(xor_table, 300, body).last[0].scalar<float>();
  std::printf("loss %.4f -> %.4f\n", first, last);
  return last < 0.5f * first ? 0 : 1;
}
