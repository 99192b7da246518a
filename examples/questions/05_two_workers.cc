// Question 001, second program: variables on two workers, each a process. The question sets
// TF_CONFIG by hand, once for each task; `lockstep launch --workers 2 --
// example_questions_05_two_workers` does so for both. A task that is alone waits, and says for
// whom.
#include <cstdio>

#include "answer.h"
#include "lockstep/lockstep.h"
#include "lockstep/ops/broadcast.h"

int main() {
  using namespace lockstep;
  MultiWorkerMirroredStrategy strategy({.devices = 1});
  const auto scope = strategy.scope();
  const Variable weight_m([] { return RandomNormal({10, 10}); }, {.name = "weight_m"});
  const Variable bias_m(Zeros({10}), {.name = "bias_m"});

  Answer answer;
  answer.Line("Variables created with MultiWorkerMirroredStrategy.",
              "Variables created with MultiWorkerMirroredStrategy.");
  std::printf("%s\n", weight_m.ToString().c_str());
  answer.Holds(strategy.num_workers() == 2, "two workers");
  return answer.Status();
}
