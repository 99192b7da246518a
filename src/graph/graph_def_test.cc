#include "graph/graph_def.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "base/mutation_test.h"
#include "graph/graph_def.pb.h"

namespace lockstep::graph {

namespace {

using testing::HasSubstr;

// The spellings that the text form allows.
constexpr const char* kSpellings = R"(# a comment
node { name: "v" op: 'VariableV2'
  attr { key: "dtype" value { type: DT_FLOAT } };
  attr: { key: "shape", value: { shape: { dim: { size: 2 }, dim { size: -1 } } } }
}
node: <
  name: "long" "er"; op: "Const"
  attr { key: "value" value { tensor { dtype: DT_FLOAT tensor_shape { dim { size: 2 } }
    tensor_content: "\000\000\200?\x00\x00\x00@" } } }
>
node { name: "late", op: "Assign", input: ["v", "longer"], input: "^v" device: "/cpu:0"
       attr { key: "T" value { type: 1 } } attr { key: "use_locking" value { b: true } }
       attr { key: "f" value { f: -inf } } }
library { function { signature { name: "f" input_arg { name: "x" type: DT_RESOURCE } }
    node_def { name: "read" op: "ReadVariableOp" input: "x" }
    ret { key: "y" value: "read:value:0" } } }
versions { producer: 2474 min_consumer: 12 }
)";

TEST(GraphDefTest, ReadsTheSpellingsOfTheTextFormWithLines) {
  const auto read = ReadGraphDefText(kSpellings, "g.pbtxt");
  ASSERT_TRUE(read.ok()) << read.status().ToString();
  const auto& graph = *read->graph;
  ASSERT_EQ(graph.node_size(), 3);
  EXPECT_THAT(read->node_lines, testing::ElementsAre(2, 6, 11));
  ASSERT_EQ(read->function_node_lines.size(), 1u);
  EXPECT_THAT(read->function_node_lines[0], testing::ElementsAre(15));
  EXPECT_EQ(graph.node(0).attr().at("shape").shape().dim(1).size(), -1);
  EXPECT_EQ(graph.node(1).name(), "longer");
  EXPECT_EQ(graph.node(1).attr().at("value").tensor().tensor_content(),
            std::string("\0\0\x80?\0\0\0@", 8));
  EXPECT_THAT(graph.node(2).input(), testing::ElementsAre("v", "longer", "^v"));
  EXPECT_EQ(graph.node(2).attr().at("T").type(), graph_def::DT_FLOAT);
  EXPECT_EQ(graph.library().function(0).ret().at("y"), "read:value:0");
  EXPECT_EQ(graph.versions().producer(), 2474);
}

TEST(GraphDefTest, BothFormsComeBackAsTheyWere) {
  const auto read = ReadGraphDefText(kSpellings, "g.pbtxt");
  ASSERT_TRUE(read.ok());
  const std::string binary = GraphDefBinary(*read->graph);
  const std::string text = GraphDefText(*read->graph);
  const auto again = ReadGraphDef(binary, "g.pb");
  ASSERT_TRUE(again.ok()) << again.status().ToString();
  EXPECT_EQ(GraphDefText(*again->graph), text);
  EXPECT_THAT(again->node_lines, testing::Each(0));
  const auto reread = ReadGraphDef(text, "g.pbtxt");
  ASSERT_TRUE(reread.ok()) << reread.status().ToString();
  EXPECT_EQ(GraphDefBinary(*reread->graph), binary);
}

TEST(GraphDefTest, NamesLineAndColumnOfAMistake) {
  const auto at = [](const char* text) {
    const auto read = ReadGraphDefText(text, "g.pbtxt");
    EXPECT_EQ(read.status().code(), Code::kInvalidArgument) << text;
    return read.ok() ? "" : read.status().message();
  };
  EXPECT_THAT(at("node {\n  nam: \"v\"\n}"), HasSubstr("nam"));
  EXPECT_THAT(at("node {\n  nam: \"v\"\n}"), HasSubstr("(g.pbtxt:2:6)"));
  EXPECT_THAT(at("node { name: \"v\" "), HasSubstr("(g.pbtxt:1:18)"));
  EXPECT_THAT(at("node { name: \"v }\n"), HasSubstr("(g.pbtxt:1:"));
  EXPECT_THAT(at("node { attr { key: \"T\" value { type: DT_NONE } } }"), HasSubstr("DT_NONE"));
  EXPECT_THAT(at("node { name: \"\\377\" }"), HasSubstr("must be UTF-8"));
  EXPECT_THAT(at("node { attr { key: \"\xc0\x80\" } }"), HasSubstr("AttrEntry.key (g.pbtxt)"));
  EXPECT_TRUE(ReadGraphDefText("node { name: \"\u00fc\xe2\x82\xac\" }", "g").ok());
  std::string deep = "node { experimental_type { ";
  for (int i = 0; i < 1000; ++i) deep += "args { ";
  EXPECT_THAT(at(deep.c_str()), HasSubstr("100 levels"));
}

TEST(GraphDefTest, RefusesBytesThatAreNoGraph) {
  const auto broken = ReadGraphDef(std::string("\x0a\x05\x0a\x01", 4), "g.pb");
  EXPECT_EQ(broken.status().code(), Code::kInvalidArgument);
  EXPECT_THAT(broken.status().message(), HasSubstr("4 bytes"));
  EXPECT_THAT(broken.status().message(), HasSubstr("g.pb"));
  EXPECT_EQ(ReadGraphDefFile("/no/such/file").status().code(), Code::kNotFound);
  const std::string huge(kMaxGraphDefBytes + 1, ' ');
  EXPECT_EQ(ReadGraphDef(huge, "g").status().code(), Code::kResourceExhausted);
}

TEST(GraphDefTest, AThousandDamagedFilesAreAnErrorOrAGraph) {
  const uint64_t seed = base::TestSeed(51);
  const std::string text = kSpellings;
  const std::string binary = GraphDefBinary(*ReadGraphDefText(text, "g")->graph);
  for (const std::string& whole : {text, binary}) {
    int refused = 0;
    for (uint64_t item = 0; item < 1000; ++item) {
      SCOPED_TRACE("LOCKSTEP_TEST_SEED=" + std::to_string(seed) + ", item " + std::to_string(item));
      std::mt19937_64 random(seed * 1000 + item);
      const auto read = ReadGraphDef(base::Mutate(whole, whole, random), "mutant");
      refused += !read.ok();
      if (read.ok()) {
        ASSERT_LE(GraphDefBinary(*read->graph).size(), 4 * whole.size());
      } else {
        ASSERT_EQ(read.status().code(), Code::kInvalidArgument);
        ASSERT_THAT(read.status().message(), HasSubstr("mutant"));
      }
    }
    EXPECT_GT(refused, 200) << "the damage does none";
    EXPECT_LT(refused, 1000) << "no damaged graph was read";
  }
}

TEST(GraphDefTest, ReadsNamesOfInputs) {
  EXPECT_EQ(ParseInputName("a")->node, "a");
  EXPECT_EQ(ParseInputName("a:2")->index, 2);
  EXPECT_TRUE(ParseInputName("^a/b")->control);
  EXPECT_EQ(ParseInputName("^a/b")->node, "a/b");
  EXPECT_EQ(ParseInputName("a:output_true:1")->output, "output_true");
  EXPECT_EQ(ParseInputName("a:output_true:1")->index, 1);
  EXPECT_EQ(ParseInputName("a:x").status().code(), Code::kInvalidArgument);
  EXPECT_EQ(ParseInputName("a:").status().code(), Code::kInvalidArgument);
  EXPECT_EQ(ParseInputName("a:-1").status().code(), Code::kInvalidArgument);
}

}  // namespace

}  // namespace lockstep::graph
