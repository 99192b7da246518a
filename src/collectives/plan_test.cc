#include "collectives/plan.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>

#include "base/randomness.h"
#include "collectives/relay.h"

namespace lockstep::collectives {
namespace {

// Whether the children of `node`, or it, can be put together from `known`.
bool CanMake(Node node, const std::set<Node>& known) {
  if (known.contains(node)) return true;
  return node.size() > 1 && CanMake(LeftChild(node), known) && CanMake(RightChild(node), known);
}

// Plays the transfers until nothing moves; expects that all went and every rank has the root.
void ExpectEveryRankGetsTheRoot(const Division& division, const Slice& slice) {
  const Leaf n = division.num_leaves();
  std::vector<std::set<Node>> known(division.num_ranks());
  for (int rank = 0; rank < division.num_ranks(); ++rank)
    for (Node node : Cover(division.block(rank), n)) known[rank].insert(node);
  std::vector<Transfer> waiting = slice.transfers;
  for (bool moved = true; moved && !waiting.empty();) {
    const size_t before = waiting.size();
    std::erase_if(waiting, [&](const Transfer& transfer) {
      if (!CanMake(transfer.node, known[transfer.from])) return false;
      known[transfer.to].insert(transfer.node);
      return true;
    });
    moved = waiting.size() < before;
  }
  ASSERT_TRUE(waiting.empty());
  for (const auto& nodes : known) ASSERT_TRUE(CanMake(Root(n), nodes));
  for (const Transfer& transfer : slice.transfers) {
    ASSERT_NE(transfer.from, transfer.to);
    ASSERT_TRUE(IsNode(transfer.node, n));
  }
  std::vector<Transfer> sorted = slice.transfers;
  std::sort(sorted.begin(), sorted.end());
  ASSERT_EQ(std::adjacent_find(sorted.begin(), sorted.end()), sorted.end()) << "sent twice";
}

Division RandomDivision(base::Randomness& randomness, Leaf num_leaves, int num_ranks) {
  std::vector<Leaf> borders{0, num_leaves};
  while (static_cast<int>(borders.size()) < num_ranks + 1)
    borders.push_back(static_cast<Leaf>(randomness.Below(num_leaves + 1)));
  std::sort(borders.begin(), borders.end());
  return Division::FromBorders(borders).OrThrow();
}

TEST(Plan, BringsTheRootToEveryRankForEveryDivision) {
  base::SeededRandomness randomness(1);
  for (int ranks : {1, 2, 3, 4, 5, 7, 8}) {
    for (Leaf n : {1u, 2u, 3u, 5u, 8u, 13u, 16u, 31u, 64u}) {
      for (int round = 0; round < 6; ++round) {
        const Division division =
            round == 0 ? Division::Even(n, ranks) : RandomDivision(randomness, n, ranks);
        for (size_t count : {size_t{0}, size_t{1}, size_t{100}, size_t{1000}}) {
          for (auto algorithm : {Algorithm::kExchange, Algorithm::kSlices, Algorithm::kRelay}) {
            const Plan plan = MakePlan(division, count, 4, algorithm);
            size_t next = 0;
            for (const Slice& slice : plan.slices) {
              ASSERT_EQ(slice.begin, next);
              ASSERT_EQ(slice.begin % 16, 0u);
              next = slice.end;
              ExpectEveryRankGetsTheRoot(division, slice);
              if (HasFatalFailure()) return;
            }
            ASSERT_EQ(next, count);
          }
        }
      }
    }
  }
}

TEST(Plan, LetsRankZeroChooseBetweenTheWholeAndSlices) {
  for (int ranks : {1, 2, 3, 8}) {
    const auto n = static_cast<Leaf>(ranks + 1);
    const Division division = Division::Even(n, ranks);
    const Plan plan = MakePlan(division, 1000, 4, Algorithm::kMeasured);
    ASSERT_EQ(plan.slices.size(), static_cast<size_t>(ranks + 1));
    EXPECT_EQ(plan.slices[0].owner, -1);
    EXPECT_EQ(plan.slices[0].end, 1000u);
    ExpectEveryRankGetsTheRoot(division, plan.slices[0]);
    size_t next = 0;
    for (int rank = 0; rank < ranks; ++rank) {
      const Slice& slice = plan.slices[static_cast<size_t>(rank + 1)];
      EXPECT_EQ(slice.begin, next);
      EXPECT_EQ(slice.owner, rank);
      ASSERT_EQ(slice.transfers.size(), static_cast<size_t>(ranks - 1));
      for (const Transfer& transfer : slice.transfers) EXPECT_EQ(transfer.node, Root(n));
      next = slice.end;
    }
    EXPECT_EQ(next, 1000u);
  }
}

TEST(Plan, SendsWhatRecursiveHalvingSendsForEqualBlocksOfAPowerOfTwo) {
  for (int ranks : {2, 4, 8, 16}) {
    for (auto algorithm : {Algorithm::kSlices, Algorithm::kRelay}) {
      const size_t count = 16 * 16 * 10;
      const Plan plan = MakePlan(Division::Even(64, ranks), count, 4, algorithm);
      for (int rank = 0; rank < ranks; ++rank)
        EXPECT_EQ(plan.ElementsSent(rank), 2 * count * (ranks - 1) / ranks);
    }
  }
}

TEST(Plan, RelaysSendNoMoreThanDirectTransfersAndLessWhereBlocksAreUneven) {
  const auto direct = [](const Division& division, int owner) {
    size_t transfers = 0;
    for (int rank = 0; rank < division.num_ranks(); ++rank)
      if (rank != owner) transfers += Cover(division.block(rank), division.num_leaves()).size();
    return transfers;
  };
  base::SeededRandomness randomness(2);
  bool fewer = false;
  for (int round = 0; round < 300; ++round) {
    const int ranks = static_cast<int>(1 + randomness.Below(9));
    const Leaf n = static_cast<Leaf>(1 + randomness.Below(40));
    const Division division = RandomDivision(randomness, n, ranks);
    const int owner = static_cast<int>(randomness.Below(ranks));
    const size_t relayed = RelayTransfers(division, owner).size();
    EXPECT_LE(relayed, direct(division, owner));
    fewer = fewer || relayed < direct(division, owner);
  }
  EXPECT_TRUE(fewer);
  // [0,3) [3,6) [6,8): rank 2 would get [0,2) [2,3) [3,4) [4,6) directly.
  const Division thirds = Division::Even(8, 3);
  EXPECT_EQ(direct(thirds, 2), 4u);
  EXPECT_EQ(RelayTransfers(thirds, 2).size(), 3u);
}

TEST(Plan, TakesOneHopForSmallSumsAndSlicesForLargeOnes) {
  const Division division = Division::Even(8, 8);
  EXPECT_EQ(MakePlan(division, 1, 4, Algorithm::kAuto).algorithm, Algorithm::kExchange);
  EXPECT_EQ(MakePlan(division, 1 << 20, 4, Algorithm::kAuto).algorithm, Algorithm::kSlices);
  // Two ranks send as much either way, but add up half of it each.
  const Division halves = Division::Even(2, 2);
  EXPECT_EQ(MakePlan(halves, 1 << 10, 4, Algorithm::kAuto).algorithm, Algorithm::kExchange);
  EXPECT_EQ(MakePlan(halves, 1 << 13, 4, Algorithm::kAuto).algorithm, Algorithm::kMeasured);
  EXPECT_EQ(MakePlan(halves, 1 << 24, 4, Algorithm::kAuto).algorithm, Algorithm::kMeasured);
  // Who tells the way must have a part to tell it with.
  const Division second = Division::FromBorders({0, 0, 4}).OrThrow();
  EXPECT_EQ(MakePlan(second, 1 << 14, 4, Algorithm::kAuto).algorithm, Algorithm::kExchange);
  EXPECT_EQ(MakePlan(halves, 31, 4, Algorithm::kMeasured).algorithm, Algorithm::kExchange);
  EXPECT_EQ(MakePlan(halves, 32, 4, Algorithm::kMeasured).slices.size(), 3u);
  EXPECT_TRUE(MakePlan(Division::Even(0, 3), 5, 4, Algorithm::kAuto).slices.empty());
}

TEST(Plan, TakesAHopMoreBetweenHostsOnlyForWhatTakesLonger) {
  const auto between_hosts = [](Leaf ranks, size_t bytes) {
    return MakePlan(Division::Even(ranks, static_cast<int>(ranks)), bytes / 4, 4, Algorithm::kAuto,
                    kBetweenHostsCost)
        .algorithm;
  };
  EXPECT_EQ(between_hosts(2, 1 << 18), Algorithm::kExchange);
  EXPECT_EQ(between_hosts(2, 4 << 20), Algorithm::kSlices);
  EXPECT_EQ(between_hosts(4, 8 << 10), Algorithm::kExchange);
  EXPECT_EQ(between_hosts(4, 1 << 18), Algorithm::kSlices);
}

TEST(Division, RefusesBordersThatDoNotRiseFromZero) {
  for (std::vector<Leaf> borders : {std::vector<Leaf>{}, {0}, {1, 2}, {0, 3, 2}}) {
    const auto division = Division::FromBorders(borders);
    ASSERT_FALSE(division.ok());
    EXPECT_EQ(division.status().code(), Code::kInvalidArgument);
  }
  EXPECT_EQ(Division::FromBorders({0, 3, 2}).status().message(),
            "[division] borders must rise from 0, one more than ranks; got [0,3,2]");
  EXPECT_EQ(Division::Even(7, 3).borders(), (std::vector<Leaf>{0, 3, 5, 7}));
  EXPECT_EQ(Division::Even(2, 4).borders(), (std::vector<Leaf>{0, 1, 2, 2, 2}));
}

}  // namespace
}  // namespace lockstep::collectives
