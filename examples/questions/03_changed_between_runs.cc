// Question 000, third program: a variable is assigned between two calls. Each call reads the value
// of its time, and what the first one gave stays.
#include "answer.h"
#include "lockstep/lockstep.h"
#include "lockstep/ops/broadcast.h"

int main() {
  using namespace lockstep;
  MirroredStrategy strategy;
  const auto scope = strategy.scope();
  const Variable x(Zeros({10}));
  const Tensor increment(1.0f);
  const Function worker_function(
      [&] { return static_cast<Tensor>(strategy.Run([&] { return x.value() + increment; })); });

  const Tensor initial_tensor = worker_function();
  x.Assign(Ones({10}));
  const Tensor final_tensor = worker_function();

  Answer answer;
  answer.Line("Initial_tensor[0]: " + Text(initial_tensor.data<float>()[0]),
              "Initial_tensor[0]: 1.0");
  answer.Line("Final_tensor[0]: " + Text(final_tensor.data<float>()[0]), "Final_tensor[0]: 2.0");
  return answer.Status();
}
