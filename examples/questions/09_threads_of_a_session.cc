// Question 002, third program: five threads run an update of x and two gradients behind it. Each
// run is one step to the others: it sees its own update and nothing of another's half. So the first
// numbers are 3, 4, 5, 6 and 7 in some order, and the second is always 2.
#include <algorithm>
#include <mutex>
#include <thread>
#include <vector>

#include "answer.h"
#include "lockstep/lockstep.h"

int main() {
  using namespace lockstep;
  const Graph graph;
  const auto scope = graph.AsDefault();
  const Variable x(1.0f, {.name = "x"}), y(2.0f, {.name = "y"});
  const Tensor x_update_op = x.AssignAdd(0.5f);
  Tensor grad1, grad2;
  {
    const ControlDependencies after({x_update_op});
    grad1 = Gradients(Square(x) + Square(y), x);
  }
  {
    const ControlDependencies after({x_update_op});
    grad2 = Gradients(Multiply(x, y), x);
  }

  Answer answer;
  for (int round = 0; round < 200; ++round) {
    const Session session(graph);
    session.Run({GlobalVariablesInitializer()});
    std::mutex mutex;
    std::vector<std::pair<float, float>> results;
    std::vector<std::thread> threads;
    for (int i = 0; i < 5; ++i) {
      threads.emplace_back([&] {
        const auto grads = session.Run({grad1, grad2});
        const std::lock_guard lock(mutex);
        results.emplace_back(grads[0].scalar<float>(), grads[1].scalar<float>());
      });
    }
    for (std::thread& thread : threads) thread.join();
    std::sort(results.begin(), results.end());
    for (int i = 0; i < 5; ++i) {
      answer.Holds(results[i].first == 3.0f + static_cast<float>(i) && results[i].second == 2.0f,
                   "each run has seen its own update alone");
      if (round > 0) continue;
      answer.Line(
          "Gradient Results = (" + Text(results[i].first) + ", " + Text(results[i].second) + ")",
          "Gradient Results = (" + Text(3.0f + static_cast<float>(i)) + ", 2.0)");
    }
  }
  return answer.Status();
}
