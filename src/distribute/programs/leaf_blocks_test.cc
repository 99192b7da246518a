#include "distribute/programs/leaf_blocks.h"

#include <gtest/gtest.h>

namespace lockstep::distribute {
namespace {

using collectives::Division;
using collectives::Leaf;

std::vector<Leaf> SizesOf(const Division& division) {
  std::vector<Leaf> sizes;
  for (int rank = 0; rank < division.num_ranks(); ++rank)
    sizes.push_back(division.block(rank).size());
  return sizes;
}

TEST(LeafBlocks, AreEvenInWholeGrains) {
  EXPECT_EQ(SizesOf(DivideLeaves(8, Roles(3))), (std::vector<Leaf>{3, 3, 2}));
  EXPECT_EQ(SizesOf(DivideLeaves(8, Roles(3), 2)), (std::vector<Leaf>{4, 2, 2}));
  EXPECT_EQ(SizesOf(DivideLeaves(7, Roles(3), 2)), (std::vector<Leaf>{4, 2, 1}));
  EXPECT_EQ(SizesOf(DivideLeaves(8, Roles::Of(3, 1), 2)), (std::vector<Leaf>{4, 2, 2, 0}));
}

// As docs/collectives.md counts them: nodes sent by the busiest rank, and the sums.
TEST(LeafBlocks, OfOneNodeEachSendLeast) {
  EXPECT_DOUBLE_EQ(TrafficOf(Division::Even(8, 2)), 1);
  EXPECT_DOUBLE_EQ(TrafficOf(Division::Even(8, 3)), 2);
  EXPECT_DOUBLE_EQ(TrafficOf(DivideLeaves(8, Roles(3), 2)), 4.0 / 3);
  EXPECT_DOUBLE_EQ(TrafficOf(Division::Even(8, 8)), 1.75);
}

TEST(LeafBlocks, AreChosenByWhatLeavesAndWireCost) {
  const Division even = Division::Even(8, 3);
  const auto chosen = [&](double leaf, double wire) {
    return SizesOf(ChooseBlocks(even, Roles(3), {.leaf = leaf, .wire = wire}));
  };
  EXPECT_EQ(chosen(40, 50), (std::vector<Leaf>{3, 3, 2})) << "a third of the wire is no leaf";
  EXPECT_EQ(chosen(40, 400), (std::vector<Leaf>{4, 2, 2}));
  EXPECT_EQ(chosen(40, 121), (std::vector<Leaf>{3, 3, 2})) << "it must be worth it";
  // Nothing to choose: a node each already.
  EXPECT_EQ(ChooseBlocks(Division::Even(8, 4), Roles(4), {.leaf = 0, .wire = 1}),
            Division::Even(8, 4));
}

// Nobody is left without work, whatever the wire costs.
TEST(LeafBlocks, LeaveNoWorkerEmpty) {
  for (const Leaf leaves : {5u, 7u, 8u, 12u, 64u}) {
    for (int workers = 2; workers <= 5; ++workers) {
      const Division division =
          ChooseBlocks(Division::Even(leaves, workers), Roles(workers), {.leaf = 0, .wire = 1});
      EXPECT_EQ(division.num_leaves(), leaves);
      for (const Leaf size : SizesOf(division)) EXPECT_GT(size, 0u) << leaves << " " << workers;
    }
  }
}

}  // namespace
}  // namespace lockstep::distribute
