// How long Session::Run takes for a small graph that has been compiled.

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <thread>
#include <vector>

#include "lockstep/ops/math.h"
#include "lockstep/runtime/session.h"

namespace {

template <typename Body>
void Measure(const char* what, const Body& body) {
  constexpr int kRuns = 20000, kRepeats = 5;
  double best = 1e9;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    const auto begin = std::chrono::steady_clock::now();
    for (int i = 0; i < kRuns; ++i) body();
    const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - begin;
    best = std::min(best, time.count() / kRuns);
  }
  std::printf("%-50s %7.3f us\n", what, best);
}

// `threads` at once, each of which runs so often; microseconds a run.
template <typename Body>
void MeasureThreads(const char* what, int threads, const Body& body) {
  constexpr int kRuns = 20000, kRepeats = 3;
  double best = 1e9;
  for (int repeat = 0; repeat < kRepeats; ++repeat) {
    std::vector<std::thread> all;
    const auto begin = std::chrono::steady_clock::now();
    for (int t = 0; t < threads; ++t) {
      all.emplace_back([&] {
        for (int i = 0; i < kRuns; ++i) body();
      });
    }
    for (std::thread& thread : all) thread.join();
    const std::chrono::duration<double, std::micro> time = std::chrono::steady_clock::now() - begin;
    best = std::min(best, time.count() / kRuns / threads);
  }
  std::printf("%-50s %7.3f us\n", what, best);
}

}  // namespace

int main() {
  using namespace lockstep;
  const Graph graph;
  const auto scope = graph.AsDefault();
  const Tensor x = Placeholder(DType::kFloat32, {4});
  const Variable v(Tensor({1, 2, 3, 4}), {.name = "v"});
  const Tensor y = x * 2 + 1;
  const Tensor read = x * v.value();
  const Tensor update = v.AssignAdd(x);
  const Session session(graph);
  session.Run({graph.GlobalVariablesInitializer()});
  const Feeds feeds{{x, Tensor({1, 2, 3, 4})}};
  const std::vector<Tensor> values{feeds[0].value};
  const RunOptions relaxed{.consistency = Consistency::kRelaxed};
  Measure("Run, a feed, two ops", [&] { session.Run({y}, feeds); });
  Measure("Run, a feed, a variable read", [&] { session.Run({read}, feeds); });
  Measure("Run, a feed, a variable changed", [&] { session.Run({update}, feeds); });
  Measure("Run, relaxed, a variable changed", [&] { session.Run({update}, feeds, {}, relaxed); });
  MeasureThreads("five threads, a variable changed", 5, [&] { session.Run({update}, feeds); });
  MeasureThreads("five threads, relaxed, a variable changed", 5,
                 [&] { session.Run({update}, feeds, {}, relaxed); });
  const auto callable = session.MakeCallable({y}, {x});
  Measure("a callable, two ops", [&] { callable(values); });
}
