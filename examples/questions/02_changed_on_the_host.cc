// Question 000, second program: the host changes what it got. That is a copy.
#include <vector>

#include "answer.h"
#include "lockstep/lockstep.h"
#include "lockstep/ops/broadcast.h"

int main() {
  using namespace lockstep;
  MirroredStrategy strategy;
  const auto scope = strategy.scope();
  const Variable x(Zeros({10}));
  const Function worker_function(
      [&] { return static_cast<Tensor>(strategy.Run([&] { return x.value(); })); });

  std::vector<float> received_x = worker_function().ToVector<float>();
  received_x[0] = 5.0f;
  const std::vector<float> updated_x = worker_function().ToVector<float>();

  Answer answer;
  answer.Line("Received x: " + Text(received_x[0]), "Received x: 5.0");
  answer.Line("Updated x: " + Text(updated_x[0]), "Updated x: 0.0");
  return answer.Status();
}
