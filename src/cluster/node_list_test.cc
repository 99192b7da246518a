#include "cluster/node_list.h"

#include <gtest/gtest.h>

namespace lockstep::cluster {
namespace {

using Names = std::vector<std::string>;

TEST(NodeList, ExpandsRangesAndKeepsZeros) {
  const std::pair<const char*, Names> cases[] = {
      {"a", {"a"}},
      {"a,b-1", {"a", "b-1"}},
      {"n[1-3]", {"n1", "n2", "n3"}},
      {"n[08-10,7]x,y", {"n08x", "n09x", "n10x", "n7x", "y"}},
      {"r[1-2]n[0-1]", {"r1n0", "r1n1", "r2n0", "r2n1"}},
      {"n[5]", {"n5"}}};
  for (const auto& [text, expected] : cases) {
    const auto hosts = ExpandNodeList(text);
    ASSERT_TRUE(hosts.ok()) << hosts.status().message();
    EXPECT_EQ(*hosts, expected) << text;
  }
  EXPECT_EQ(ExpandNodeList("n[00001-100000]")->size(), 100'000u);
}

TEST(NodeList, SaysWhereItIsWrong) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "a host must have a name; got '' (column 1)"},
      {"a,,b", "a host must have a name; got 'a,,b' (column 3)"},
      {"n[1-3", "a bracket must be closed by ]; got 'n[1-3' (column 2)"},
      {"n1-3]", "a ] must have its [; got 'n1-3]' (column 5)"},
      {"n[3-1]", "a range must not run backwards; got 'n[3-1]' (column 3)"},
      {"n[1,a]", "a range must be two numbers, as in [01-03,7]; got 'n[1,a]' (column 5)"},
      {"n[]", "a range must be two numbers, as in [01-03,7]; got 'n[]' (column 3)"},
      {"a b", "a list must not have spaces; got 'a b' (column 2)"}};
  for (const auto& [text, message] : cases) {
    const auto hosts = ExpandNodeList(text);
    EXPECT_EQ(hosts.status().code(), Code::kInvalidArgument) << text;
    EXPECT_EQ(hosts.status().message(), message);
  }
  for (const char* text : {"n[0-999999998]", "n[0-99999]n[0-99999]", "n[0-99999],m[0-99999]"}) {
    EXPECT_EQ(ExpandNodeList(text).status().code(), Code::kOutOfRange) << text;
  }
}

TEST(NodeList, ExpandsTasksPerNode) {
  EXPECT_EQ(*ExpandTasksPerNode("2(x3),1"), (std::vector<int>{2, 2, 2, 1}));
  EXPECT_EQ(*ExpandTasksPerNode("4"), (std::vector<int>{4}));
  for (const char* text : {"", "2,", "2(x)", "2(x0)", "2(x3", "(x3)", "a", "-1"}) {
    EXPECT_EQ(ExpandTasksPerNode(text).status().code(), Code::kInvalidArgument) << text;
  }
  EXPECT_EQ(ExpandTasksPerNode("1(x99999),1(x99999)").status().code(), Code::kOutOfRange);
}

}  // namespace
}  // namespace lockstep::cluster
