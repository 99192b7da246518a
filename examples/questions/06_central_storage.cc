// Question 001, third program: variables of a CentralStorageStrategy live on one device, and all
// devices compute with them.
#include <cstdio>

#include "answer.h"
#include "lockstep/lockstep.h"
#include "lockstep/ops/broadcast.h"

int main() {
  using namespace lockstep;
  CentralStorageStrategy strategy;
  const auto scope = strategy.scope();
  const Variable weight_c([] { return RandomNormal({10, 10}); }, {.name = "weight_c"});
  const Variable bias_c(Zeros({10}), {.name = "bias_c"});

  Answer answer;
  answer.Line("Variables created with CentralStorageStrategy.",
              "Variables created with CentralStorageStrategy.");
  std::printf("%s\n%s\n", weight_c.ToString().c_str(), bias_c.ToString().c_str());
  answer.Holds(weight_c.shape() == Shape({10, 10}), "weight_c has 10 x 10 elements");
  return answer.Status();
}
