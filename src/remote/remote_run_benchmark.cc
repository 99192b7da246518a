// How long a run on a server of this host takes, in another process.

#include <sys/wait.h>
#include <unistd.h>

#include <chrono>
#include <csignal>
#include <cstdio>

#include "lockstep/ops/math.h"
#include "lockstep/remote/server.h"
#include "lockstep/runtime/session.h"

namespace {

using namespace lockstep;

template <typename Body>
void Measure(const char* what, int runs, const Body& body) {
  constexpr int kRepeats = 5;
  double best = 1e9;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < runs; ++i) body();
    const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - begin;
    best = std::min(best, time.count() / runs);
  }
  std::printf("%-44s %9.2f us\n", what, best);
}

void Serve(const std::string& address, const ClusterSpec& cluster, int ready) {
  Server server(cluster, "ps", 0);
  const char byte = 0;
  if (write(ready, &byte, 1) == 1) server.Join();
}

}  // namespace

int main() {
  const std::string address = "unix:/tmp/lockstep-remote-run-" + std::to_string(getpid());
  const ClusterSpec cluster({{"ps", {address}}});
  int ready[2];
  if (pipe(ready) != 0) return 1;
  const pid_t child = fork();
  if (child == 0) {
    Serve(address, cluster, ready[1]);
    return 0;
  }
  char byte = 0;
  if (read(ready[0], &byte, 1) != 1) return 1;
  {
    const Graph graph;
    const auto scope = graph.AsDefault();
    const Tensor x = Placeholder(DType::kFloat32, {4});
    const Variable v(Tensor({1, 2, 3, 4}), {.name = "v"});
    const Tensor y = x * 2 + 1;
    const Tensor update = v.AssignAdd(x);
    const Variable large(Constant<float>(std::vector<float>(25 << 20), {25 << 20}),
                         {.name = "large"});
    const Session session("lockstep://" + address, {.graph = std::make_shared<Graph>(graph)});
    session.Run({graph.GlobalVariablesInitializer()});
    const Feeds feeds{{x, Tensor({1, 2, 3, 4})}};
    Measure("Run, a feed, two ops", 2000, [&] { session.Run({y}, feeds); });
    Measure("Run, a feed, a variable changed", 2000, [&] { session.Run({update}, feeds); });
    Measure("pull of 100 MiB", 2, [&] { session.Run({large}); });
  }
  kill(child, SIGTERM);
  int status = 0;
  waitpid(child, &status, 0);
  return 0;
}
