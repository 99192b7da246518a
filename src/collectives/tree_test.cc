#include "collectives/tree.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

namespace lockstep::collectives {
namespace {

constexpr Leaf kMost = 70;

// The definition, word by word: [a, b) splits at the largest power of two below its length.
void AppendNodes(Node node, std::set<Node>* nodes) {
  nodes->insert(node);
  if (node.size() < 2) return;
  Leaf half = 1;
  while (half * 2 < node.size()) half *= 2;
  AppendNodes({node.begin, node.begin + half}, nodes);
  AppendNodes({node.begin + half, node.end}, nodes);
}

std::set<Node> NodesByDefinition(Leaf num_leaves) {
  std::set<Node> nodes;
  AppendNodes({0, num_leaves}, &nodes);
  return nodes;
}

TEST(Tree, SplitsAtTheLargestPowerOfTwoBelowTheLength) {
  EXPECT_EQ(LeftLength(2), 1u);
  EXPECT_EQ(LeftLength(3), 2u);
  EXPECT_EQ(LeftLength(4), 2u);
  EXPECT_EQ(LeftLength(5), 4u);
  EXPECT_EQ(LeftLength(8), 4u);
  EXPECT_EQ(LeftLength(9), 8u);
  EXPECT_EQ(LeftLength(0x80000001u), 0x80000000u);
  EXPECT_EQ(LeftChild({4, 7}), (Node{4, 6}));
  EXPECT_EQ(RightChild({4, 7}), (Node{6, 7}));
  EXPECT_EQ(ToString(Node{4, 7}), "[4,7)");
}

TEST(Tree, KnowsItsNodesParentsAndSiblings) {
  for (Leaf n = 1; n <= kMost; ++n) {
    const std::set<Node> nodes = NodesByDefinition(n);
    ASSERT_EQ(nodes.size(), 2u * n - 1);
    for (Leaf begin = 0; begin <= n + 1; ++begin) {
      for (Leaf end = 0; end <= n + 1; ++end)
        ASSERT_EQ(IsNode({begin, end}, n), nodes.contains({begin, end})) << n << begin << end;
    }
    for (Node node : nodes) {
      if (node.size() < 2) continue;
      const Node left = LeftChild(node), right = RightChild(node);
      ASSERT_EQ(Parent(left, n), node);
      ASSERT_EQ(Parent(right, n), node);
      ASSERT_EQ(Sibling(left, n), right);
      ASSERT_EQ(Sibling(right, n), left);
    }
  }
}

TEST(Tree, HoldsTheLargestLeafNumbers) {
  const Leaf n = 0xffffffffu;
  EXPECT_TRUE(IsNode({n - 1, n}, n));
  EXPECT_TRUE(IsNode({0x80000000u, n}, n));
  EXPECT_FALSE(IsNode({0x7fffffffu, n}, n));
  EXPECT_EQ(Parent({0x80000000u, n}, n), Root(n));
  EXPECT_EQ(Parent({n - 1, n}, n), (Node{n - 3, n}));
  EXPECT_EQ(Cover({1, n}, n).size(), 32u);
}

TEST(Tree, CoversEveryBlockWithItsMaximalNodes) {
  for (Leaf n = 1; n <= kMost; ++n) {
    for (Leaf begin = 0; begin <= n; ++begin) {
      for (Leaf end = begin; end <= n; ++end) {
        const Node block{begin, end};
        Leaf next = begin;
        for (Node node : Cover(block, n)) {
          ASSERT_EQ(node.begin, next);  // ascending, without gaps, nothing twice
          next = node.end;
          ASSERT_TRUE(IsNode(node, n));
          // Maximal: the parent reaches over the block.
          ASSERT_TRUE(node == Root(n) || !block.Contains(Parent(node, n)));
        }
        ASSERT_EQ(next, end);
      }
    }
  }
}

TEST(Tree, CoversAlignedBlocksWithOneNode) {
  for (Leaf ranks : {1u, 2u, 4u, 8u}) {
    for (Leaf rank = 0; rank < ranks; ++rank) {
      const Leaf size = 64 / ranks;
      EXPECT_EQ(Cover({rank * size, (rank + 1) * size}, 64).size(), 1u);
    }
  }
  EXPECT_EQ(Cover({3, 13}, 16), (std::vector<Node>{{3, 4}, {4, 8}, {8, 12}, {12, 13}}));
}

}  // namespace
}  // namespace lockstep::collectives
