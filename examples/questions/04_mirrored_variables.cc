// Question 001, first program: where the variables of a MirroredStrategy live.
#include "answer.h"
#include "lockstep/lockstep.h"
#include "lockstep/ops/broadcast.h"

int main() {
  using namespace lockstep;
  MirroredStrategy strategy;
  const auto scope = strategy.scope();
  const Variable weight([] { return RandomNormal({10, 10}); }, {.name = "weight"});
  const Variable bias(Zeros({10}), {.name = "bias"});

  Answer answer;
  answer.Line("Variables created with MirroredStrategy.",
              "Variables created with MirroredStrategy.");
  // Where each copy lives, and why.
  answer.Line(bias.ToString(),
              "MirroredVariable 'bias' float32[10], aggregation NONE, of mirrored with 1 "
              "replica: one copy in this process, the replica's");
  std::printf("%s\n", weight.ToString().c_str());
  answer.Holds(weight.shape() == Shape({10, 10}), "weight has 10 x 10 elements");
  return answer.Status();
}
