// A read and an addition that nothing orders, fetched together, as in the questions' graphs: their
// order is not the program's to rely on, and `lockstep race --schedules 20 --
// example_questions_graph_orders` shows both results. With the argument ordered a control
// dependency says which one is meant.
#include <cstdio>
#include <optional>
#include <string>

#include "lockstep/lockstep.h"
#include "lockstep/runtime/graph.h"
#include "lockstep/runtime/session.h"

int main(int argc, char** argv) {
  using namespace lockstep;
  const bool ordered = argc > 1 && std::string(argv[1]) == "ordered";
  const Graph graph;
  const auto scope = graph.AsDefault();
  const Variable x(Scalar(1.0f), {.name = "x"});
  const Tensor added = x.AssignAdd(0.5f);
  std::optional<ControlDependencies> after;
  if (ordered) after.emplace(Tensors{added});
  const Tensor seen = x.value();
  after.reset();

  const Session session(graph);
  session.Run({GlobalVariablesInitializer()});
  std::printf("%.1f\n", session.Run({seen, added})[0].scalar<float>());
  return 0;
}
