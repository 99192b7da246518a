// Damaged graphs on the wire: each is a graph that can be run, or an error of few codes. The graphs
// hold every op. A crash prints the graph and its seed, which gives the same graph again:
//   LOCKSTEP_GRAPH_FUZZ_SEED=SEED LOCKSTEP_GRAPH_FUZZ_GRAPHS=1 remote_test
//   --gtest_filter='GraphFuzz*'
// LOCKSTEP_GRAPH_FUZZ_SECONDS makes the test go on for so long.

#include <gtest/gtest.h>

#include <chrono>
#include <cstdio>
#include <map>
#include <set>

#include "base/clock.h"
#include "base/environment.h"
#include "base/fuzz_case_test.h"
#include "base/mutation_test.h"
#include "base/shared_team.h"
#include "graph/bodies.h"
#include "remote/loose_graph_test.h"
#include "remote/resources.h"
#include "remote/wire.h"
#include "runtime/host_ops.h"
#include "runtime/program.h"
#include "runtime/session_callable.h"
#include "runtime/variable_hold.h"

namespace lockstep::remote {
namespace {

using Reports = base::FuzzCaseReports;

std::vector<const ops::OpSpec*> OpsOfGraphs() {
  std::vector<const ops::OpSpec*> specs;
  for (const ops::OpSpec* spec : ops::OpRegistry::Global().All()) {
    if (spec->signature != nullptr) specs.push_back(spec);
  }
  return specs;
}

// Whether a run ends by itself: no op waits for another part or another run, prints, or repeats
// without a small limit.
bool Ends(const graph::Graph& graph) {
  for (const graph::Node& node : graph.nodes()) {
    const ops::OpSpec& spec = *node.spec;
    if (spec.asynchronous || spec.meets || spec.name == "PrintV2" || spec.name == "_Hold" ||
        runtime::MayWait(node)) {
      return false;
    }
    if (spec.name == "While") {
      const int64_t most = node.attributes.GetOr<int64_t>("maximum_iterations", -1);
      if (most < 0 || most > 10) return false;
    }
    for (const graph::Graph* body : graph::BodiesOf(node.attributes)) {
      if (!Ends(*body)) return false;
    }
  }
  return true;
}

void RunOnce(const graph::Graph& graph) {
  std::vector<Tensor> arguments;
  for (graph::Endpoint parameter : graph.parameters()) {
    const ops::TensorType& type = graph.type(parameter);
    if (!type.shape.fully_known() || type.dtype == DType::kResource ||
        type.dtype == DType::kString || type.shape.num_elements() > 1000) {
      return;
    }
    const std::vector<double> zeros(static_cast<size_t>(type.shape.num_elements()));
    arguments.push_back(
        ops::Emit1("Cast", {Tensor::FromVector(zeros, type.shape)}, {{"DstT", type.dtype}}));
  }
  const runtime::Program program(graph);
  (void)program.Run(arguments, base::DefaultTeam());
}

// The same as a server does when a client registers a graph, and a run of it.
Status Register(const std::string& bytes, const std::vector<const ops::OpSpec*>& specs,
                std::set<std::string>* taken) {
  Resources resources("/job:worker/task:0");
  cluster::FieldReader reader(bytes);
  Result<graph::Graph> graph =
      TakeGraph(&reader, {[&](const WireVariable& one) { return resources.VariableFor(one); },
                          [&](const WireObject& one) { return resources.ObjectFor(one); }});
  if (!graph.ok()) return graph.status();
  for (const graph::Node& node : graph->nodes()) taken->insert(node.spec->name);
  try {
    (void)runtime::UsesOf(*graph);
    (void)runtime::NeededValues(*graph);
    if (Ends(*graph)) RunOnce(*graph);
  } catch (const Error& error) {
    return error.status();
  }
  return Status::Ok();
}

TEST(GraphFuzzTest, EachGraphIsTakenOrRefused) {
  const auto first = static_cast<uint64_t>(
      base::EnvironmentNumber("LOCKSTEP_GRAPH_FUZZ_SEED", 0, INT64_MAX).value_or(40));
  const int64_t graphs =
      base::EnvironmentNumber("LOCKSTEP_GRAPH_FUZZ_GRAPHS", 1, INT64_MAX).value_or(6000);
  const int64_t seconds =
      base::EnvironmentNumber("LOCKSTEP_GRAPH_FUZZ_SECONDS", 1, 1 << 20).value_or(0);
  const std::vector<const ops::OpSpec*> specs = OpsOfGraphs();
  ASSERT_GT(specs.size(), 250u);
  const Reports reports;
  const base::FuzzMemoryLimit memory;
  std::map<Code, int64_t> outcomes;
  std::set<std::string> taken;
  const base::MonotonicClock clock;
  const base::Time start = clock.Now();
  const auto lasts = [&](int64_t count) {
    if (seconds == 0) return count < graphs;
    return clock.Now() - start < std::chrono::seconds(seconds);
  };
  int64_t count = 0;
  for (; lasts(count) && !HasFailure(); ++count) {
    const uint64_t seed = first + static_cast<uint64_t>(count);
    Reports::Begin("seed " + std::to_string(seed) + ": drawing the graph");
    std::mt19937_64 random(seed);
    LooseGraphDraws draws(seed, specs);
    LooseGraph graph = draws.Draw(1 + static_cast<int>(random() % 4), specs[seed % specs.size()]);
    for (uint64_t damage = random() % 3; damage > 0; --damage) draws.Damage(&graph);
    std::string bytes = graph.Bytes();
    const bool is_cut = random() % 10 == 0;
    if (is_cut) bytes = base::Mutate(bytes, bytes, random);
    Reports::Describe("seed " + std::to_string(seed) + (is_cut ? ", bytes damaged" : "") + ":\n" +
                      graph.ToString());
    try {
      const Status status = Register(bytes, specs, &taken);
      ++outcomes[status.code()];
      if (status.code() == Code::kInternal || status.code() == Code::kUnknown)
        ADD_FAILURE() << Reports::running() << status.ToString();
    } catch (const std::exception& error) {
      ADD_FAILURE() << Reports::running() << error.what();
    }
  }
  std::printf("seeds %llu to %llu:", static_cast<unsigned long long>(first),
              static_cast<unsigned long long>(first + static_cast<uint64_t>(count) - 1));
  for (const auto& [code, number] : outcomes)
    std::printf(" %lld %s", static_cast<long long>(number), std::string(CodeName(code)).c_str());
  std::string never;
  for (const ops::OpSpec* spec : specs) never += taken.contains(spec->name) ? "" : " " + spec->name;
  std::printf("\nops that no graph was taken with:%s\n", never.c_str());
  if (count > 1000) {
    EXPECT_GT(outcomes[Code::kOk], count / 20);
  }
}

}  // namespace
}  // namespace lockstep::remote
