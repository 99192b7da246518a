// Graphs with a damaged structure: the finder of static races gives races or an error that names
// the graph. The graphs are those of the corpus, and one with every op of the registry. A crash
// prints the case and its seed, which gives the same graph again:
//   LOCKSTEP_RACE_FUZZ_SEED=SEED LOCKSTEP_RACE_FUZZ_SECONDS=1 check_test --gtest_filter='RaceFuzz*'
// LOCKSTEP_RACE_FUZZ_SECONDS makes the test go on for so long.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <limits>
#include <random>

#include "base/environment.h"
#include "base/fuzz_case_test.h"
#include "graph/graph_def.h"
#include "graph/graph_def.pb.h"
#include "lockstep/check/static_races.h"
#include "ops/signature.h"

namespace lockstep {
namespace {

using graph_def::GraphDef;
using graph_def::NodeDef;
using Reports = base::FuzzCaseReports;

// A node of each op, which takes a constant for each value and a variable for each resource.
GraphDef GraphOfAllOps() {
  GraphDef graph;
  const auto add = [&](const std::string& name, const std::string& op) {
    NodeDef* node = graph.add_node();
    node->set_name(name);
    node->set_op(op);
    return node;
  };
  add("variable", "VarHandleOp");
  add("value", "Const");
  for (const ops::OpSpec* spec : ops::OpRegistry::Global().All()) {
    if (spec->signature == nullptr) continue;
    NodeDef* node = add("node_" + spec->name, spec->name);
    const ops::Signature& signature = *spec->signature;
    for (char kind : signature.inputs) node->add_input(kind == 'r' ? "variable" : "value");
    if (signature.rest != 0) node->add_input(signature.rest == 'r' ? "variable" : "value");
    for (const ops::AttributeRule& rule : signature.attributes)
      (*node->mutable_attr())[rule.name].set_i(1);
  }
  return graph;
}

std::vector<GraphDef> Corpus() {
  std::vector<GraphDef> graphs;
  std::vector<std::string> paths;
  const std::string folder = LOCKSTEP_SOURCE_DIR "/src/check/corpus";
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".pbtxt") paths.push_back(entry.path());
  }
  std::sort(paths.begin(), paths.end());
  for (const std::string& path : paths)
    graphs.push_back(*graph::ReadGraphDefFile(path).OrThrow().graph);
  for (int i = 0; i < 20; ++i) graphs.push_back(GraphOfAllOps());
  return graphs;
}

class StructureDamage {
 public:
  StructureDamage(uint64_t seed, const std::vector<std::string>& ops) : random_(seed), ops_(ops) {}

  void Apply(GraphDef* graph) {
    NodeDef* node = AnyNode(graph);
    if (node == nullptr) return;
    switch (Below(8)) {
      case 0:
      case 1:
        return Inputs(*graph, node);
      case 2:
      case 3:
        return Attributes(*graph, node);
      case 4:
        node->set_op(ops_[Below(ops_.size())]);
        return;
      case 5: {
        const NodeDef* other = AnyNode(graph);
        node->set_name(other == nullptr || Below(3) == 0 ? "" : other->name());
        return;
      }
      case 6:
        *graph->add_node() = *node;
        return;
      default:
        return Function(graph);
    }
  }

 private:
  uint64_t Below(uint64_t bound) { return bound == 0 ? 0 : random_() % bound; }

  // Of the graph or of one of its functions; nullptr where there is none.
  NodeDef* AnyNode(GraphDef* graph) {
    auto* library = graph->mutable_library();
    if (library->function_size() > 0 && Below(2) == 0) {
      auto* function = library->mutable_function(
          static_cast<int>(Below(static_cast<uint64_t>(library->function_size()))));
      if (function->node_def_size() > 0)
        return function->mutable_node_def(
            static_cast<int>(Below(static_cast<uint64_t>(function->node_def_size()))));
    }
    if (graph->node_size() == 0) return nullptr;
    return graph->mutable_node(static_cast<int>(Below(static_cast<uint64_t>(graph->node_size()))));
  }

  std::string AnyFunction(const GraphDef& graph) {
    const int count = graph.library().function_size();
    if (count == 0) return "none";
    return graph.library()
        .function(static_cast<int>(Below(static_cast<uint64_t>(count))))
        .signature()
        .name();
  }

  void Inputs(const GraphDef& graph, NodeDef* node) {
    const auto name = [&] {
      return graph.node_size() == 0
                 ? std::string("none")
                 : graph.node(static_cast<int>(Below(static_cast<uint64_t>(graph.node_size()))))
                       .name();
    };
    std::vector<std::string> inputs(node->input().begin(), node->input().end());
    switch (Below(5)) {
      case 0:
        if (!inputs.empty()) inputs.erase(inputs.begin() + static_cast<long>(Below(inputs.size())));
        break;
      case 1:
        std::shuffle(inputs.begin(), inputs.end(), random_);
        break;
      case 2:
        inputs.push_back("^" + (Below(3) == 0 ? node->name() : name()));
        break;
      case 3:
        inputs.push_back(name() +
                         (Below(2) == 0 ? "" : ":" + std::to_string(Below(5) * 700'000'000)));
        break;
      default: {
        const std::vector<std::string> odd = {"", "^", ":", ":0", "a:b:c:d", node->name()};
        inputs.insert(inputs.begin(), odd[Below(odd.size())]);
      }
    }
    node->clear_input();
    for (const std::string& input : inputs) node->add_input(input);
  }

  void Attributes(const GraphDef& graph, NodeDef* node) {
    const std::vector<std::string> names = {"f",
                                            "body",
                                            "cond",
                                            "then_branch",
                                            "else_branch",
                                            "branches",
                                            "value",
                                            "shared_name",
                                            "container",
                                            "frame_name",
                                            "dtype",
                                            "_class",
                                            "parallel_iterations",
                                            "_lower_using_switch_merge"};
    auto& attributes = *node->mutable_attr();
    std::string key = names[Below(names.size())];
    if (!attributes.empty() && Below(2) == 0)
      key = std::next(attributes.begin(), static_cast<long>(Below(attributes.size())))->first;
    if (Below(4) == 0) {
      attributes.erase(key);
      return;
    }
    auto& value = attributes[key];
    switch (Below(7)) {
      case 0:
        value.set_i(Below(2) == 0 ? std::numeric_limits<int64_t>::max()
                                  : std::numeric_limits<int64_t>::min());
        break;
      case 1:
        value.set_s(Below(2) == 0 ? "" : "loc:@" + node->name());
        break;
      case 2:
        value.mutable_func()->set_name(AnyFunction(graph));
        break;
      case 3:
        for (int i = 0; i < 3; ++i) value.mutable_list()->add_func()->set_name(AnyFunction(graph));
        break;
      case 4: {
        auto* tensor = value.mutable_tensor();
        tensor->mutable_tensor_shape()->add_dim()->set_size(std::numeric_limits<int64_t>::max());
        tensor->mutable_tensor_shape()->add_dim()->set_size(Below(2) == 0 ? -5 : int64_t{1} << 40);
        tensor->add_int_val(static_cast<int>(random_()));
        break;
      }
      case 5:
        value.set_b(Below(2) == 0);
        break;
      default:
        value.Clear();
    }
  }

  // A function that calls itself, one twice, or one whose results are gone.
  void Function(GraphDef* graph) {
    auto* library = graph->mutable_library();
    if (library->function_size() == 0) return;
    const int count = library->function_size();
    auto* function =
        library->mutable_function(static_cast<int>(Below(static_cast<uint64_t>(count))));
    switch (Below(4)) {
      case 0: {
        NodeDef* call = function->add_node_def();
        call->set_name("again");
        call->set_op(Below(2) == 0 ? "PartitionedCall" : function->signature().name());
        (*call->mutable_attr())["f"].mutable_func()->set_name(function->signature().name());
        return;
      }
      case 1: {
        const auto copy = *function;
        *library->add_function() = copy;
        return;
      }
      case 2:
        function->mutable_ret()->clear();
        return;
      default:
        function->mutable_signature()->clear_input_arg();
    }
  }

  std::mt19937_64 random_;
  const std::vector<std::string>& ops_;
};

TEST(RaceFuzzTest, EachGraphHasRacesOrAnErrorThatNamesIt) {
  const auto first = static_cast<uint64_t>(
      base::EnvironmentNumber("LOCKSTEP_RACE_FUZZ_SEED", 0, INT64_MAX).value_or(40));
  const int64_t seconds =
      base::EnvironmentNumber("LOCKSTEP_RACE_FUZZ_SECONDS", 1, 1 << 20).value_or(0);
  const std::vector<GraphDef> corpus = Corpus();
  std::vector<std::string> ops{"NoSuchOp", ""};
  for (const GraphDef& graph : corpus)
    for (const NodeDef& node : graph.node()) ops.push_back(node.op());
  std::sort(ops.begin(), ops.end());
  ops.erase(std::unique(ops.begin(), ops.end()), ops.end());
  ASSERT_GT(ops.size(), 300u);
  const Reports reports;
  const auto start = std::chrono::steady_clock::now();
  uint64_t count = 0;
  int64_t found = 0;
  const auto lasts = [&] {
    if (seconds == 0) return count < 2000;
    return std::chrono::steady_clock::now() - start < std::chrono::seconds(seconds);
  };
  for (; lasts() && !HasFailure(); ++count) {
    std::mt19937_64 random(first + count);
    GraphDef graph = corpus[random() % corpus.size()];
    StructureDamage damage(first + count, ops);
    for (uint64_t changes = 1 + random() % 3; changes > 0; --changes) damage.Apply(&graph);
    Reports::Begin("seed " + std::to_string(first + count) + ":\n" +
                   graph::GraphDefText(graph).substr(0, 6000));
    StaticRaceOptions options;
    options.replicas = 1 + static_cast<int>(random() % 2);
    try {
      const auto races = FindRaces(graph::GraphDefBinary(graph), "damaged", options);
      found += races.ok();
      if (!races.ok()) {
        EXPECT_THAT(races.status().message(), ::testing::HasSubstr("damaged"))
            << Reports::running();
      }
    } catch (const std::exception& error) {
      ADD_FAILURE() << Reports::running() << error.what();
    }
  }
  std::printf("seeds %llu to %llu: %lld graphs, the others refused\n",
              static_cast<unsigned long long>(first),
              static_cast<unsigned long long>(first + count - 1), static_cast<long long>(found));
  if (count > 500) {
    EXPECT_GT(found, static_cast<int64_t>(count / 10));
    EXPECT_LT(found, static_cast<int64_t>(count));
  }
}

}  // namespace
}  // namespace lockstep
