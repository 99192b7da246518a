// Question 003, third program: random numbers with and without a strategy. They follow from the
// seed and the place in the stream, so both draws are the same.
#include "answer.h"
#include "lockstep/lockstep.h"

int main() {
  using namespace lockstep;
  SetSeed(42);
  const Tensor sequential = RandomNormal({1, 5});

  MirroredStrategy strategy;
  const auto scope = strategy.scope();
  SetSeed(42);
  const Tensor parallel = strategy.Run([] { return RandomNormal({1, 5}); });

  Answer answer;
  char first[32];
  std::snprintf(first, sizeof(first), "%.7f", sequential.data<float>()[0]);
  answer.Line(first, "0.3274685");  // TensorFlow's
  answer.Line(parallel.ToString(), sequential.ToString());
  return answer.Status();
}
