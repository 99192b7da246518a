// Question 002, first program: an update of x, and two gradients that wait for it by control
// dependencies. The update is complete before anything behind it reads x: the gradients are those
// at the new value, in every run. A run is one step to all others.
#include "answer.h"
#include "lockstep/lockstep.h"

int main() {
  using namespace lockstep;
  Answer answer;
  for (int i = 0; i < 5; ++i) {
    const Graph graph;
    const auto scope = graph.AsDefault();
    const Variable x(1.0f, {.name = "x"}), y(2.0f, {.name = "y"});
    const Tensor x_update_op = x.AssignAdd(0.5f);
    Tensor loss_grad, other_grad;
    {
      const ControlDependencies after({x_update_op});
      loss_grad = Gradients(Square(x) + Square(y), x);
    }
    {
      const ControlDependencies after({x_update_op});
      other_grad = Gradients(Multiply(x, y), x);
    }
    const Session session(graph);
    session.Run({GlobalVariablesInitializer()});
    const auto grads = session.Run({loss_grad, other_grad});
    answer.Line("Iteration " + std::to_string(i) + ": Loss Grad=" + Text(grads[0].scalar<float>()) +
                    ", Other Grad=" + Text(grads[1].scalar<float>()),
                "Iteration " + std::to_string(i) + ": Loss Grad=3.0, Other Grad=2.0");
  }
  return answer.Status();
}
