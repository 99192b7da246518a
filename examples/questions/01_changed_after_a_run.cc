// Question 000, first program: a function assigns y to x and gives x; x is changed between two
// calls. What a call gives is a value: nothing that is assigned later shows in it, here or on the
// way to another device.
#include "answer.h"
#include "lockstep/lockstep.h"
#include "lockstep/ops/broadcast.h"

int main() {
  using namespace lockstep;
  MirroredStrategy strategy;
  const auto scope = strategy.scope();
  const Variable x(Zeros({10})), y(Ones({10}));

  const Function worker_function([&] {
    const Variable& global_x = x;  // strategy.run(lambda: x) gives the variable itself
    strategy.Run([&] { global_x.Assign(y); });
    return global_x.value();  // read after the assignment
  });

  const Tensor initial_x = worker_function();
  x.Assign(Zeros({10}) + 5.0f);
  const Tensor received_x = worker_function();

  Answer answer;
  answer.Line("Initial x: " + Text(initial_x.data<float>()[0]), "Initial x: 1.0");
  answer.Line("Received x after modification: " + Text(received_x.data<float>()[0]),
              "Received x after modification: 1.0");
  return answer.Status();
}
