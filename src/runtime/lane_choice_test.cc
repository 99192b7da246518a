#include "runtime/lane_choice.h"

#include <gtest/gtest.h>

namespace lockstep::runtime {
namespace {

using std::chrono::microseconds;

// Runs of which one lane takes `one`, and several `several`; gives how many of the last 1000 took
// several lanes.
int Settled(LaneChoice& choice, microseconds one, microseconds several, int lanes = 4) {
  int count = 0;
  for (int i = 0; i < 3000; ++i) {
    const LaneChoice::Run run = choice.Next(lanes);
    choice.Took(run, run.lanes > 1 ? several : one);
    if (i >= 2000) count += run.lanes > 1;
  }
  return count;
}

TEST(LaneChoice, TakesOneLaneForSmallPlansAndAllForLargeOnes) {
  LaneChoice small(10'000), large(1e9);
  EXPECT_EQ(small.Next(8).lanes, 1);
  EXPECT_FALSE(small.Next(8).is_measured);
  EXPECT_EQ(large.Next(8).lanes, 8);
  EXPECT_FALSE(large.Next(8).is_measured);
  EXPECT_EQ(large.Next(1).lanes, 1);
}

TEST(LaneChoice, TakesTheFasterWayInBetween) {
  for (const double cost : {1e6, 5e7}) {
    LaneChoice gains(cost), loses(cost);
    EXPECT_GT(Settled(gains, microseconds(200), microseconds(120)), 950) << cost;
    EXPECT_LT(Settled(loses, microseconds(200), microseconds(300)), 50) << cost;
  }
}

TEST(LaneChoice, StaysWithOneLaneForShortRuns) {
  LaneChoice choice(1e6);
  EXPECT_EQ(Settled(choice, microseconds(8), microseconds(4)), 0);
  EXPECT_FALSE(choice.Next(4).is_measured);
}

TEST(LaneChoice, FollowsAChange) {
  LaneChoice choice(1e6);
  EXPECT_GT(Settled(choice, microseconds(200), microseconds(120)), 950);
  for (int i = 0; i < 5; ++i) Settled(choice, microseconds(200), microseconds(900));
  EXPECT_LT(Settled(choice, microseconds(200), microseconds(900)), 50);
}

TEST(LaneChoice, TakesFewerLanesThanThereAreForMediumWork) {
  LaneChoice choice(4e6);
  for (int i = 0; i < 100; ++i) {
    const LaneChoice::Run run = choice.Next(64);
    EXPECT_LE(run.lanes, 4);
    choice.Took(run, microseconds(100));
  }
}

TEST(LaneChoice, MeasuresNoRunsAtTheSameTime) {
  LaneChoice choice(1e6);
  const LaneChoice::Run first = choice.Next(2);
  EXPECT_TRUE(first.is_measured);
  EXPECT_FALSE(choice.Next(2).is_measured);
  choice.Took(first, std::nullopt);
  EXPECT_TRUE(choice.Next(2).is_measured);
}

}  // namespace
}  // namespace lockstep::runtime
