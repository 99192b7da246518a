// Question 002, second program: two gradients in a group, and x read after the session has been
// closed. As it stands, the error names the session, where it was closed, and the line; with the
// read moved into the block it is right.
#include "answer.h"
#include "lockstep/lockstep.h"

namespace {

using namespace lockstep;

struct Program {
  Variable x;
  Operation parallel_group;
};

Program CreateParallelRaceGraph() {
  const Variable x(1.0f, {.name = "x"});
  const Tensor x_update_op = x.AssignAdd(0.5f);
  Tensor grad_1, grad_2;
  {
    const ControlDependencies after({x_update_op});
    grad_1 = Gradients(Square(x), x);
  }
  {
    const ControlDependencies after({x_update_op});
    grad_2 = Gradients(Square(x), x);
  }
  return {x, Graph::Default().Group({grad_1, grad_2})};
}

// What a variable or an op gives, as Python prints it.
std::string Printed(const Tensor& value) {
  return value.defined() ? Text(value.scalar<float>()) : "None";
}

}  // namespace

int main() {
  Answer answer;
  for (int i = 0; i < 5; ++i) {
    const Graph graph;
    const auto scope = graph.AsDefault();
    const auto [x_var, group_op] = CreateParallelRaceGraph();
    const Session session(graph);
    session.Run({GlobalVariablesInitializer()});
    const Tensor grad_results = session.Run({group_op})[0];
    const Tensor x_value = session.Eval(x_var);
    session.Close();
    const std::string start = "Iteration " + std::to_string(i) + ":  Updated x: ";
    answer.Line(start + Printed(x_value) + ", Gradients = " + Printed(grad_results),
                start + "1.5, Gradients = None");
    try {
      session.Eval(x_var);  // as asked: after the block
      answer.Holds(false, "a closed session runs nothing");
    } catch (const Error& error) {
      if (i == 0) std::printf("%s\n", error.what());
      const std::string text = error.what();
      answer.Holds(error.code() == Code::kFailedPrecondition, "its code is FailedPrecondition");
      answer.Holds(text.find("a closed session must not be used") != std::string::npos &&
                       text.find("08_grouped_gradients.cc:48") != std::string::npos &&
                       text.find("08_grouped_gradients.cc:53") != std::string::npos,
                   "the error names the session and both lines");
    }
  }
  return answer.Status();
}
