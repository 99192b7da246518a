#include "lockstep/check/static_races.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <random>
#include <set>
#include <sstream>

#include "graph/graph_def.h"
#include "graph/graph_def.pb.h"

namespace lockstep {

namespace {

using testing::HasSubstr;

const std::filesystem::path kCorpus =
    std::filesystem::path(LOCKSTEP_SOURCE_DIR) / "src/check/corpus";

std::string WithUnderscores(std::string_view words) {
  std::string text(words);
  std::replace(text.begin(), text.end(), ' ', '_');
  return text;
}

// As a line of the files beside the graphs.
std::string Line(const StaticRace& race) {
  std::ostringstream line;
  line << RaceKindName(race.kind) << " " << race.variable << " " << race.first.node << " "
       << race.second.node << " " << WithUnderscores(RaceEffectName(race.effect)) << " "
       << RaceScopeName(race.over) << " " << race.cure.from << "->" << race.cure.to;
  return line.str();
}

std::vector<std::string> Lines(const std::vector<StaticRace>& races) {
  std::vector<std::string> lines;
  for (const StaticRace& race : races) lines.push_back(Line(race));
  return lines;
}

std::vector<std::string> Expected(std::filesystem::path graph) {
  std::ifstream file(graph.replace_extension(".expected"));
  EXPECT_TRUE(file.is_open()) << graph;
  std::vector<std::string> lines;
  for (std::string line; std::getline(file, line);) lines.push_back(line);
  return lines;
}

TEST(StaticRacesTest, FindsAllPairsOfTheCorpusAndNoOther) {
  int racy = 0, sound = 0;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(kCorpus)) {
    if (entry.path().extension() != ".pbtxt") continue;
    SCOPED_TRACE(entry.path().filename());
    const auto races = FindRacesInFile(entry.path());
    ASSERT_TRUE(races.ok()) << races.status().ToString();
    const auto expected = Expected(entry.path());
    EXPECT_THAT(Lines(*races), testing::UnorderedElementsAreArray(expected));
    ++(expected.empty() ? sound : racy);
  }
  EXPECT_GE(racy, 80);
  EXPECT_GE(sound, 80);
}

// The node that a race names, in the graph or in the function that its calls lead to.
graph_def::NodeDef* NodeAt(graph_def::GraphDef* graph, const std::string& path) {
  for (auto& node : *graph->mutable_node()) {
    if (node.name() == path) return &node;
  }
  for (auto& function : *graph->mutable_library()->mutable_function()) {
    for (auto& node : *function.mutable_node_def()) {
      if (path == node.name() || path.ends_with("/" + node.name())) return &node;
    }
  }
  return nullptr;
}

// An edge for each race makes a sound graph of it.
TEST(StaticRacesTest, TheCuresCure) {
  int cured = 0;
  for (const auto& entry : std::filesystem::directory_iterator(kCorpus)) {
    if (entry.path().extension() != ".pbtxt") continue;
    SCOPED_TRACE(entry.path().filename());
    const auto races = FindRacesInFile(entry.path()).value();
    if (races.empty()) continue;
    auto read = graph::ReadGraphDefFile(entry.path()).value();
    std::set<std::string> edges;
    for (const StaticRace& race : races) {
      auto needed = race.cure.also;
      needed.emplace_back(race.cure.from, race.cure.to);
      for (const auto& [first, then] : needed) {
        if (!edges.insert(first + " " + then).second) continue;
        graph_def::NodeDef* from = NodeAt(read.graph.get(), first);
        graph_def::NodeDef* to = NodeAt(read.graph.get(), then);
        if (from == nullptr || to == nullptr) {
          ADD_FAILURE() << first << " or " << then << " is not there";
          continue;
        }
        to->add_input("^" + from->name());
      }
    }
    const auto left = FindRaces(graph::GraphDefText(*read.graph), "cured");
    ASSERT_TRUE(left.ok()) << left.status().ToString();
    EXPECT_THAT(Lines(*left), testing::IsEmpty());
    ++cured;
  }
  EXPECT_GE(cured, 30);
}

std::vector<StaticRace> Find(const std::string& text, const StaticRaceOptions& options = {}) {
  const auto races = FindRaces(text, "graph.pbtxt", options);
  EXPECT_TRUE(races.ok()) << races.status().ToString();
  return races.ok() ? *races : std::vector<StaticRace>();
}

constexpr const char* kReadAndAssign = R"(
node { name: "v" op: "VarHandleOp" attr { key: "dtype" value { type: DT_FLOAT } } }
node { name: "x" op: "Placeholder" }
node { name: "read" op: "ReadVariableOp" input: "v" }
node { name: "assign" op: "AssignVariableOp" input: "v" input: "x" }
)";

TEST(StaticRacesTest, TellsBothPlacesTheEffectAndTheCure) {
  const auto races = Find(kReadAndAssign);
  ASSERT_EQ(races.size(), 1u);
  EXPECT_EQ(races[0].first.line, 4);
  EXPECT_EQ(races[0].second.line, 5);
  EXPECT_TRUE(races[0].first.reads && !races[0].first.writes);
  EXPECT_TRUE(races[0].second.writes && !races[0].second.reads);
  EXPECT_EQ(races[0].ToString(),
            "race: variable \"v\": ReadVariableOp \"read\" (line 4) and AssignVariableOp "
            "\"assign\" (line 5) are not ordered\n"
            "  what can go wrong: stale read: the value from before or from after the write\n"
            "  cure: a control edge from \"read\" to \"assign\"\n");
}

TEST(StaticRacesTest, NamesLinesOfTheProgramThatTheGraphHasKept) {
  const auto races = Find(std::string(kReadAndAssign) + R"(
debug_info { files: "/usr/lib/site-packages/tf.py" files: "model.py"
  traces { key: "read" value { file_line_cols { file_index: 0 line: 7 } file_line_cols { file_index: 1 line: 12 } } }
  name_to_trace_id { key: "assign" value: 5 }
  traces_by_id { key: 5 value { frame_id: 9 } }
  frames_by_id { key: 9 value { file_index: 1 line: 14 } } })");
  ASSERT_EQ(races.size(), 1u);
  EXPECT_EQ(races[0].first.source, "model.py:12");
  EXPECT_EQ(races[0].second.source, "model.py:14");
}

// TensorFlow's traces begin with the outermost frame, and end in the library.
TEST(StaticRacesTest, NamesTheInnermostLineThatIsNoLibrarys) {
  const auto races = Find(std::string(kReadAndAssign) + R"(
debug_info { files: "main.py" files: "model.py" files: "/usr/lib/site-packages/tf.py"
  traces { key: "read" value { file_line_cols { file_index: 0 line: 90 }
    file_line_cols { file_index: 1 line: 12 } file_line_cols { file_index: 2 line: 7 } } }
  traces { key: "assign" value { file_line_cols { file_index: 2 line: 7 }
    file_line_cols { file_index: 1 line: 14 } file_line_cols { file_index: 0 line: 90 } } } })");
  ASSERT_EQ(races.size(), 1u);
  EXPECT_EQ(races[0].first.source, "model.py:12");
  EXPECT_EQ(races[0].second.source, "model.py:14");
}

// Each cure alone would do, but two that lead against each other could not both be put in.
TEST(StaticRacesTest, CuresOfSeveralVariablesGoTogether) {
  const auto races = FindRacesInFile(kCorpus / "tf_v1_swap.pbtxt").value();
  ASSERT_EQ(races.size(), 2u);
  EXPECT_NE(races[0].variable, races[1].variable);
  EXPECT_EQ(races[0].cure.from + races[0].cure.to, races[1].cure.from + races[1].cure.to);
}

TEST(StaticRacesTest, LooksIntoTheFunctionsOfDatasets) {
  const auto races = Find(R"(
node { name: "v" op: "VarHandleOp" attr { key: "dtype" value { type: DT_FLOAT } } }
node { name: "numbers" op: "TensorSliceDataset" }
node { name: "map" op: "MapDataset" input: "numbers" input: "v"
  attr { key: "f" value { func { name: "count" } } } }
library { function { signature { name: "count" input_arg { name: "x" type: DT_FLOAT }
    input_arg { name: "counter" type: DT_RESOURCE } output_arg { name: "y" type: DT_FLOAT } }
  node_def { name: "get" op: "ReadVariableOp" input: "counter" }
  node_def { name: "set" op: "AssignVariableOp" input: "counter" input: "x" }
  ret { key: "y" value: "get:value:0" } } })");
  ASSERT_EQ(races.size(), 1u);
  EXPECT_EQ(races[0].first.node + races[0].second.node, "getset");
  EXPECT_EQ(races[0].first.function, "count");
}

// An op that is no call, and carries out a function that is its attribute.
TEST(StaticRacesTest, LooksIntoTheFunctionsOfOtherOps) {
  const auto beside = [](const std::string& node) {
    return Find(R"(
node { name: "v" op: "VarHandleOp" } node { name: "x" op: "Placeholder" }
node { name: "map" op: "MapDefun" input: "x" input: "v"
  attr { key: "f" value { func { name: "look" } } } }
library { function { signature { name: "look" input_arg { name: "x" type: DT_FLOAT }
    input_arg { name: "v" type: DT_RESOURCE } output_arg { name: "y" type: DT_FLOAT } }
  node_def { name: "get" op: "ReadVariableOp" input: "v" }
  ret { key: "y" value: "get:value:0" } } }
)" + node);
  };
  EXPECT_THAT(beside(R"(node { name: "get" op: "ReadVariableOp" input: "v" })"),
              testing::IsEmpty());
  const auto races = beside(R"(node { name: "set" op: "AssignVariableOp" input: "v" input: "x" })");
  ASSERT_EQ(races.size(), 1u);
  EXPECT_EQ(races[0].first.node + " " + races[0].second.node, "map set");
}

TEST(StaticRacesTest, InitializersOfOneIteratorRunOneByOne) {
  const std::string graph = R"(
node { name: "it" op: "IteratorV2" } node { name: "data" op: "TensorSliceDataset" }
node { name: "first" op: "MakeIterator" input: "data" input: "it" }
node { name: "second" op: "MakeIterator" input: "data" input: "it" }
node { name: "next" op: "IteratorGetNext" input: "it" })";
  EXPECT_THAT(Find(graph), testing::IsEmpty());
  EXPECT_THAT(Find(graph + R"(node { name: "other" op: "IteratorGetNext" input: "it" })"),
              testing::SizeIs(1));
}

TEST(StaticRacesTest, NamesTheCallsAroundAnOp) {
  const auto races = FindRacesInFile(kCorpus / "nested_loop.pbtxt").value();
  ASSERT_EQ(races.size(), 1u);
  EXPECT_EQ(races[0].first.node, "outer/body/inner/body/set");
  EXPECT_EQ(races[0].first.call, "outer");
  EXPECT_EQ(races[0].first.function, "body");
  EXPECT_EQ(FindRacesInFile(kCorpus / "read_assign.pbtxt").value()[0].first.call, "");
}

TEST(StaticRacesTest, RunsCanBeNamed) {
  EXPECT_THAT(Find(kReadAndAssign, {.runs = {{"read"}, {"assign"}}}), testing::IsEmpty());
  EXPECT_THAT(Find(kReadAndAssign, {.runs = {{"read", "assign"}}}), testing::SizeIs(1));
  const auto wrong = FindRaces(kReadAndAssign, "g", {.runs = {{"raed"}}});
  EXPECT_EQ(wrong.status().code(), Code::kInvalidArgument);
  EXPECT_THAT(wrong.status().message(), HasSubstr("\"raed\""));
}

TEST(StaticRacesTest, ReplicasShareWhatIsNoWorkersOwn) {
  const std::string ordered = R"(
node { name: "v" op: "VarHandleOp" device: "/job:ps/task:0" }
node { name: "own" op: "VarHandleOp" device: "/job:worker/task:0" }
node { name: "read" op: "ReadVariableOp" input: "v" }
node { name: "more" op: "AddV2" input: "read" input: "read" }
node { name: "assign" op: "AssignVariableOp" input: "v" input: "more" }
node { name: "mine" op: "AssignVariableOp" input: "own" input: "more" }
)";
  EXPECT_THAT(Find(ordered), testing::IsEmpty());
  const auto races = Find(ordered, {.replicas = 4});
  ASSERT_EQ(races.size(), 2u);
  EXPECT_EQ(races[0].first.node + races[0].second.node, "readassign");
  EXPECT_EQ(races[0].effect, RaceEffect::kLostUpdate);
  EXPECT_EQ(races[1].first.node + races[1].second.node, "assignassign");
  for (const StaticRace& race : races) EXPECT_EQ(race.over, RaceScope::kReplicas);
}

TEST(StaticRacesTest, RefusesWhatIsNoWholeGraph) {
  const auto refusal = [](const std::string& text) {
    const auto races = FindRaces(text, "g.pbtxt");
    EXPECT_EQ(races.status().code(), Code::kInvalidArgument) << text;
    return races.ok() ? "" : races.status().message();
  };
  EXPECT_THAT(refusal("node { name: \"a\" op: \"Neg\"\n input: \"b\" }"),
              testing::AllOf(HasSubstr("got \"b\" in node \"a\""), HasSubstr("(g.pbtxt:1)")));
  EXPECT_THAT(refusal("\nnode { name: \"a\" op: \"NoOp\" }\nnode { name: \"a\" op: \"NoOp\" }"),
              HasSubstr("(g.pbtxt:3)"));
  EXPECT_THAT(refusal("node { op: \"NoOp\" }"), HasSubstr("must have a name"));
  EXPECT_THAT(refusal("\n"), HasSubstr("must have nodes or functions; got none (g.pbtxt)"));
  EXPECT_THAT(refusal("node { name: \"a\" op: \"Neg\" input: \"b\" }\n"
                      "node { name: \"b\" op: \"Neg\" input: \"a\" }"),
              HasSubstr("cycles"));
  EXPECT_THAT(refusal("node { name: \"a\" op: \"PartitionedCall\" attr { key: \"f\" value { func "
                      "{ name: \"f\" } } } }"),
              HasSubstr("got \"f\""));
  EXPECT_THAT(refusal("node { name: \"a\" op: \"Neg\" input: \"a:b:c\" }"), HasSubstr("a:b:c"));
}

// An unnamed read behind an assignment comes with it; one with a name somebody wants.
TEST(StaticRacesTest, ReadsThatSomebodyNamedCount) {
  const std::string graph = std::string(kReadAndAssign) + R"(versions { producer: 1000 }
node { name: "other" op: "AssignVariableOp" input: "v" input: "read" } )";
  const auto with = [&](const std::string& name) {
    return Find(graph + "node { name: \"" + name +
                "\" op: \"ReadVariableOp\" input: \"v\" input: \"^assign\" }");
  };
  EXPECT_THAT(with("ReadVariableOp_1"), testing::SizeIs(2));
  EXPECT_THAT(with("new_value"), testing::SizeIs(3));
}

TEST(StaticRacesTest, DatasetsThatAreReducedRunInTheGraph) {
  EXPECT_THAT(Find(std::string(kReadAndAssign) + R"(
node { name: "numbers" op: "TensorSliceDataset" }
node { name: "sum" op: "ReduceDataset" input: "numbers" input: "x" input: "v" input: "^assign" })"),
              testing::SizeIs(2));
}

// A value that asks first whether its variable has one is made for initializers, unless an op of
// the training takes it.
TEST(StaticRacesTest, ReadsThatAskFirstCountWhereTheyAreTaken) {
  const std::string graph = R"(
node { name: "v" op: "VarHandleOp" } node { name: "x" op: "Placeholder" }
node { name: "asked" op: "VarIsInitializedOp" input: "v" }
node { name: "handle" op: "Switch" input: "v" input: "asked" }
node { name: "value" op: "Switch" input: "x" input: "asked" }
node { name: "read" op: "ReadVariableOp" input: "handle:1" }
node { name: "either" op: "Merge" input: "value" input: "read" }
node { name: "set" op: "AssignVariableOp" input: "v" input: "x" })";
  EXPECT_THAT(Find(graph), testing::IsEmpty());
  EXPECT_THAT(Find(graph + R"(node { name: "more" op: "Neg" input: "either" })"),
              testing::SizeIs(1));
}

// A pair of accesses of "v", of which the second has its handle from elsewhere.
std::vector<StaticRace> FindWithHandle(const std::string& nodes) {
  return Find(R"(
node { name: "v" op: "VarHandleOp" attr { key: "dtype" value { type: DT_FLOAT } } }
node { name: "w" op: "VarHandleOp" attr { key: "dtype" value { type: DT_FLOAT } } }
node { name: "x" op: "Placeholder" } node { name: "i" op: "Placeholder" }
node { name: "zero" op: "Const" attr { key: "dtype" value { type: DT_INT32 } }
  attr { key: "value" value { tensor { dtype: DT_INT32 int_val: 0 } } } }
node { name: "get" op: "ReadVariableOp" input: "v" }
)" + nodes);
}

TEST(StaticRacesTest, FollowsHandlesThroughLists) {
  const std::string list = R"(
node { name: "list" op: "Pack" input: "v" input: "w" }
node { name: "one" op: "GatherV2" input: "list" input: "i" input: "zero" }
node { name: "set" op: "AssignVariableOp" input: "one" input: "x" })";
  const auto races = FindWithHandle(list);
  ASSERT_EQ(races.size(), 1u);
  EXPECT_EQ(races[0].first.node + " " + races[0].second.node, "get set");
  EXPECT_THAT(FindWithHandle(R"(node { name: "list" op: "Pack" input: "v" input: "w" })"),
              testing::IsEmpty());
}

TEST(StaticRacesTest, AHandleFromNobodyKnowsWhereMayBeOfAnyVariable) {
  const auto races = FindWithHandle(R"(
node { name: "queue" op: "FIFOQueueV2" }
node { name: "put" op: "QueueEnqueueV2" input: "queue" input: "v" }
node { name: "take" op: "QueueDequeueV2" input: "queue" input: "^put" }
node { name: "set" op: "AssignVariableOp" input: "take" input: "x" })");
  ASSERT_EQ(races.size(), 1u);
  EXPECT_EQ(races[0].first.node + " " + races[0].second.node, "get set");
  const auto alone = Find(R"(
node { name: "h" op: "Placeholder" } node { name: "x" op: "Placeholder" }
node { name: "get" op: "ReadVariableOp" input: "h" }
node { name: "set" op: "AssignVariableOp" input: "h" input: "x" })");
  ASSERT_EQ(alone.size(), 1u);
  EXPECT_EQ(alone[0].variable, "h");
}

// Two assignments of "v", each in a branch of its own.
std::vector<StaticRace> FindUnder(const std::string& one, const std::string& other) {
  const auto assign = [](const std::string& name, const std::string& predicate) {
    const size_t at = predicate.find(' ');
    return "node { name: \"" + name + "s\" op: \"Switch\" input: \"" + name + "x\" input: \"" +
           predicate.substr(0, at) + "\" }\nnode { name: \"" + name +
           "\" op: \"AssignVariableOp\" input: \"v\" input: \"" + name + "s" +
           (predicate.substr(at + 1) == "true" ? ":1" : "") + "\" }\n";
  };
  std::string text = R"(
node { name: "v" op: "VarHandleOp" attr { key: "dtype" value { type: DT_FLOAT } } }
node { name: "x" op: "Placeholder" } node { name: "f" op: "Placeholder" }
node { name: "n" op: "Placeholder" } node { name: "ax" op: "Placeholder" }
node { name: "bx" op: "Placeholder" }
)";
  for (const char* op : {"Less", "GreaterEqual", "Greater", "LessEqual", "Equal", "NotEqual"}) {
    for (const char* type : {"FLOAT", "INT32"}) {
      const std::string value = *type == 'F' ? "f" : "n";
      text += std::string("node { name: \"") + op + value + "\" op: \"" + op + "\" input: \"" +
              value + "\" input: \"x\" attr { key: \"T\" value { type: DT_" + type + " } } }\n";
    }
  }
  return Find(text + assign("a", one) + assign("b", other));
}

TEST(StaticRacesTest, ComparisonsThatCannotBothHoldKeepApart) {
  EXPECT_THAT(FindUnder("Lessf true", "GreaterEqualf true"), testing::IsEmpty());
  EXPECT_THAT(FindUnder("Lessf true", "Greaterf true"), testing::IsEmpty());
  EXPECT_THAT(FindUnder("Equalf true", "Greaterf true"), testing::IsEmpty());
  EXPECT_THAT(FindUnder("Equalf false", "NotEqualf false"), testing::IsEmpty());
  EXPECT_THAT(FindUnder("Lessn false", "GreaterEqualn false"), testing::IsEmpty());
  EXPECT_THAT(FindUnder("LessEqualn false", "Lessn true"), testing::IsEmpty());
  // NaN is neither less nor at least.
  EXPECT_THAT(FindUnder("Lessf false", "GreaterEqualf false"), testing::SizeIs(1));
  EXPECT_THAT(FindUnder("Lessf true", "LessEqualf true"), testing::SizeIs(1));
  EXPECT_THAT(FindUnder("Lessf true", "GreaterEqualn true"), testing::SizeIs(1));
}

TEST(StaticRacesTest, RefusesCallsThatGrowWithoutEnd) {
  std::string text = "library {\n";
  for (int i = 0; i < 40; ++i) {
    const std::string next = "f" + std::to_string(i + 1);
    text += "function { signature { name: \"f" + std::to_string(i) + "\" }\n";
    for (const char* name : {"a", "b"}) {
      text += std::string("node_def { name: \"") + name + "\" op: \"" + next + "\" }\n";
    }
    text += "}\n";
  }
  text += "function { signature { name: \"f40\" } } }\nnode { name: \"a\" op: \"f0\" }";
  EXPECT_EQ(FindRaces(text, "g").status().code(), Code::kResourceExhausted);
  // A chain of calls.
  std::string chain = "library {\n";
  for (int i = 0; i < 5000; ++i) {
    chain += "function { signature { name: \"f" + std::to_string(i) +
             "\" }\n node_def { name: \"a\" " + "op: \"f" + std::to_string(i + 1) + "\" } }\n";
  }
  chain += "}\nnode { name: \"a\" op: \"f0\" }";
  EXPECT_EQ(FindRaces(chain, "g").status().code(), Code::kResourceExhausted);
  // Accesses by the thousand in a chain, which are all ordered.
  std::string ordered =
      "node { name: \"v\" op: \"VarHandleOp\" } node { name: \"x\" op: \"Const\" }";
  for (int i = 0; i < 3000; ++i) {
    const std::string after = i == 0 ? "" : " input: \"^a" + std::to_string(i - 1) + "\"";
    ordered += "node { name: \"a" + std::to_string(i) +
               "\" op: \"AssignAddVariableOp\" input: \"v\" input: \"x\"" + after + " }\n";
  }
  EXPECT_TRUE(FindRaces(ordered, "g").value().empty());
  ordered += "node { name: \"r\" op: \"ReadVariableOp\" input: \"v\" input: \"^a2998\" }";
  EXPECT_EQ(FindRaces(ordered, "g").value().size(), 1u);
  // A long way for a value that was read.
  std::string way = kReadAndAssign;
  for (int i = 0; i < 100'000; ++i) {
    const std::string from = i == 0 ? "read" : "i" + std::to_string(i - 1);
    way +=
        "node { name: \"i" + std::to_string(i) + "\" op: \"Identity\" input: \"" + from + "\" }\n";
  }
  EXPECT_EQ(FindRaces(way, "g").value().size(), 1u);
  // A function that calls itself is looked at once.
  const std::string recursive = R"(
node { name: "v" op: "VarHandleOp" }
node { name: "a" op: "f" input: "v" }
library { function { signature { name: "f" input_arg { name: "h" type: DT_RESOURCE } }
  node_def { name: "again" op: "f" input: "h" } } })";
  EXPECT_TRUE(FindRaces(recursive, "g").ok());
}

// Texts with mistakes are errors with a place, or other graphs; never a crash or a long wait.
// `count` additions to an integer variable, which commute.
std::string ManyAdditions(int count) {
  std::string text =
      "node { name: \"x\" op: \"Const\" }\n"
      "node { name: \"v\" op: \"VarHandleOp\" attr { key: \"dtype\" value { type: DT_INT32 } } }\n";
  for (int i = 0; i < count; ++i) {
    text += "node { name: \"a" + std::to_string(i) +
            "\" op: \"AssignAddVariableOp\" input: \"v\" input: \"x\" }\n";
  }
  return text;
}

TEST(StaticRacesTest, OfMillionsOfPairsSomeOfEachKindAreTold) {
  std::string many = ManyAdditions(2200);
  EXPECT_THAT(Find(many), testing::IsEmpty());
  many += "node { name: \"r\" op: \"ReadVariableOp\" input: \"v\"";
  for (int i = 0; i < 2199; ++i) many += " input: \"^a" + std::to_string(i) + "\"";
  const auto one = Find(many + " }");
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0].first.node + " " + one[0].second.node, "a2199 r");
  EXPECT_EQ(one[0].more, 0);
  const auto some =
      Find(ManyAdditions(2200) + "node { name: \"r\" op: \"ReadVariableOp\" input: \"v\" }");
  ASSERT_EQ(some.size(), 100u);
  EXPECT_GE(some.back().more, 2100);
  EXPECT_THAT(some.back().ToString(), HasSubstr("more pairs of its accesses, not listed"));
}

TEST(StaticRacesTest, SurvivesAThousandDamagedGraphs) {
  std::vector<std::string> texts;
  for (const auto& entry : std::filesystem::directory_iterator(kCorpus)) {
    if (entry.path().extension() != ".pbtxt") continue;
    std::ifstream file(entry.path());
    texts.emplace_back(std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>());
  }
  std::sort(texts.begin(), texts.end());
  std::mt19937 random(7);
  int graphs = 0;
  for (int i = 0; i < 1000; ++i) {
    std::string text = texts[i % texts.size()];
    for (int changes = 1 + static_cast<int>(random() % 3); changes > 0; --changes) {
      const size_t at = random() % text.size(), other = random() % text.size();
      switch (random() % 4) {
        case 0:
          text[at] = static_cast<char>(random());
          break;
        case 1:  // a piece again elsewhere
          text.insert(at, text.substr(other, random() % 200));
          break;
        case 2:
          text.erase(at, random() % 50);
          break;
        default: {  // one name for another
          const size_t from = text.find('"', at), to = text.find('"', other);
          if (from == std::string::npos || to == std::string::npos) break;
          const size_t end = text.find('"', from + 1), last = text.find('"', to + 1);
          if (end == std::string::npos || last == std::string::npos) break;
          const std::string name = text.substr(to, last + 1 - to);
          text.replace(from, end + 1 - from, name);
        }
      }
    }
    const auto races = FindRaces(text, "damaged");
    graphs += races.ok();
    if (races.ok()) continue;
    EXPECT_THAT(races.status().message(), HasSubstr("damaged")) << text;
  }
  EXPECT_GT(graphs, 30);
  EXPECT_LT(graphs, 900);
}

}  // namespace

}  // namespace lockstep
