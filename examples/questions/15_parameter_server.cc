// Question 004, third program: w on a parameter server, by an explicit device, and a training loop
// whose ops are on workers. Here the cluster is three servers in this process, each of which could
// be a process or a machine of its own: `lockstep serve`. Two workers learn a linear map from their
// halves of the data; each step is one run, which takes place on all tasks or on none.
#include <unistd.h>

#include <filesystem>
#include <memory>
#include <thread>
#include <vector>

#include "answer.h"
#include "lockstep/lockstep.h"

namespace {

using namespace lockstep;

constexpr int kFeatures = 8, kOutputs = 3, kExamples = 32, kSteps = 60;

// Numbers in [-1, 1) that follow from their place.
Tensor Numbers(int rows, int columns, uint32_t state) {
  std::vector<float> values(static_cast<size_t>(rows) * columns);
  for (float& value : values) {
    state = state * 1664525u + 1013904223u;
    value = static_cast<float>(state >> 8) / 8388608.0f - 1.0f;
  }
  return Constant<float>(values, {rows, columns});
}

}  // namespace

int main() {
  const std::string folder = std::filesystem::temp_directory_path() /
                             ("lockstep-15-" + std::to_string(static_cast<long>(getpid())));
  std::filesystem::create_directory(folder);
  const ClusterSpec cluster(
      {{"ps", {"unix:" + folder + "/ps0"}},
       {"worker", {"unix:" + folder + "/worker0", "unix:" + folder + "/worker1"}}});
  std::vector<std::unique_ptr<Server>> servers;
  servers.push_back(std::make_unique<Server>(cluster, "ps", 0));
  for (int i = 0; i < 2; ++i) servers.push_back(std::make_unique<Server>(cluster, "worker", i));

  const Graph graph;
  const auto scope = graph.AsDefault();
  Variable w;
  {
    const Device on_server("/job:ps/task:0");
    w = Variable(Numbers(kFeatures, kOutputs, 7), {.name = "w"});
  }
  const Tensor truth = Numbers(kFeatures, kOutputs, 99);
  std::vector<Operation> steps;
  std::vector<Tensor> losses;
  for (int i = 0; i < 2; ++i) {
    const Device on_worker("/job:worker/task:" + std::to_string(i));
    const Tensor x = Numbers(kExamples, kFeatures, 1000 + static_cast<uint32_t>(i));
    const Tensor difference = MatMul(x, w.value()) - MatMul(x, truth);
    const Tensor loss = ReduceMean(Square(difference));
    losses.push_back(loss);
    steps.push_back(Graph::Default().Group({w.AssignSub(Gradients(loss, w) * 0.5f)}));
  }

  const Session chief(servers[1]->target(), {.graph = std::make_shared<Graph>(graph)});
  chief.Run({GlobalVariablesInitializer()});
  const float before = chief.Eval(losses[0]).scalar<float>();
  std::vector<std::thread> workers;
  for (size_t i = 0; i < 2; ++i) {
    workers.emplace_back([&, i] {
      const Session session(servers[1 + i]->target(), {.graph = std::make_shared<Graph>(graph)});
      for (int step = 0; step < kSteps; ++step) session.Run({steps[i]});
    });
  }
  for (std::thread& worker : workers) worker.join();
  const float after = chief.Eval(losses[0]).scalar<float>();

  Answer answer;
  std::printf("loss %g, after %d steps of each worker %g\n", before, kSteps, after);
  answer.Holds(after < 0.01f * before, "the loss falls to less than a hundredth");
  bool on_server = false;
  for (const std::string& line : chief.PlacementLog()) {
    if (line.starts_with("w (VarHandleOp) ")) std::printf("%s\n", line.c_str());
    on_server |= line.starts_with("w (VarHandleOp) on /job:ps/replica:0/task:0/device:CPU:0");
  }
  answer.Holds(on_server, "w is on the parameter server");
  servers.clear();
  std::filesystem::remove_all(folder);
  return answer.Status();
}
