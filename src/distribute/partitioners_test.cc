#include "lockstep/distribute/partitioners.h"

#include "gmock/gmock.h"
#include "gtest/gtest.h"
#include "lockstep/base/status.h"

namespace lockstep {
namespace {

using ::testing::ElementsAre;

TEST(PartitionersTest, CutAsTensorFlowDoes) {
  const DType f = DType::kFloat32;
  const Partitioner fixed = partitioners::FixedShards(3);
  EXPECT_THAT(fixed({10, 8}, f), ElementsAre(3, 1));
  EXPECT_THAT(fixed({2, 4000}, f), ElementsAre(2, 1));
  EXPECT_THAT(fixed({7}, f), ElementsAre(3));
  EXPECT_THAT(fixed({}, f), ElementsAre());
  const Partitioner least = partitioners::MinSize(1024, 4);
  EXPECT_THAT(least({10, 8}, f), ElementsAre(1, 1));
  EXPECT_THAT(least({100, 16}, f), ElementsAre(4, 1));
  EXPECT_THAT(least({2, 4000}, f), ElementsAre(2, 1));
  EXPECT_THAT(least({65}, DType::kString), ElementsAre(2));
  const Partitioner most = partitioners::MaxSize(1024);
  EXPECT_THAT(most({100, 16}, f), ElementsAre(7, 1));
  EXPECT_THAT(most({2, 4000}, f), ElementsAre(2, 1));
  EXPECT_THAT(partitioners::MaxSize(1024, 3)({100, 16}, f), ElementsAre(3, 1));
}

TEST(PartitionersTest, RowsOfShardsAreEven) {
  EXPECT_THAT(ShardRows(5, 2), ElementsAre(3, 2));
  EXPECT_THAT(ShardRows(7, 3), ElementsAre(3, 2, 2));
  EXPECT_THAT(ShardRows(0, 1), ElementsAre(0));
}

TEST(PartitionersTest, RefuseNumbersBelowOne) {
  try {
    partitioners::MaxSize(0);
    FAIL();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kInvalidArgument);
    EXPECT_EQ(error.status().message(), "[MaxSize] max_shard_bytes must be at least 1; got 0");
  }
}

}  // namespace
}  // namespace lockstep
