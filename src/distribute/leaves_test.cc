#include "distribute/leaves.h"

#include <gtest/gtest.h>

namespace lockstep::distribute {
namespace {

TEST(Leaves, FollowFromTheBatch) {
  const std::pair<int64_t, int> cases[] = {
      {0, 1},   {1, 1},   {31, 1},   {32, 2},    {63, 2},    {64, 4},    {127, 4},
      {128, 8}, {256, 8}, {1023, 8}, {1024, 16}, {2048, 32}, {4096, 64}, {1 << 20, 64}};
  for (const auto& [examples, shards] : cases) EXPECT_EQ(ShardsOf(examples), shards) << examples;
}

TEST(Leaves, AreThoseOfTheLargestReplica) {
  const Leaves leaves = MakeLeaves(100, 3);  // 34, 34 and 32
  EXPECT_EQ(leaves.shards_per_replica, 2);
  EXPECT_EQ(leaves.offsets, (std::vector<int64_t>{0, 17, 34, 51, 68, 84, 100}));
  EXPECT_EQ(MakeLeaves(100, 1, 5).count(), 5);
}

}  // namespace
}  // namespace lockstep::distribute
