#include "collectives/measured_way.h"

#include <gtest/gtest.h>

namespace lockstep::collectives {
namespace {

using std::chrono::microseconds;

// How many of `sums` are taken whole where the ways take so long; each 7th sum is disturbed.
int WholeOf(MeasuredWay& measured, int sums, microseconds whole, microseconds slices) {
  int taken = 0;
  for (int sum = 0; sum < sums; ++sum) {
    const SumWay way = measured.Next();
    taken += way == SumWay::kWhole ? 1 : 0;
    const microseconds disturbance(sum % 7 == 0 ? 1000 : 0);
    measured.Took(way, (way == SumWay::kWhole ? whole : slices) + disturbance);
  }
  return taken;
}

TEST(MeasuredWay, TakesWhatTookLessAndTriesTheOtherNowAndThen) {
  MeasuredWay far, near;
  const int whole = WholeOf(far, 10000, microseconds(50), microseconds(80));
  EXPECT_GT(whole, 9900);
  EXPECT_LT(whole, 10000);
  const int other = WholeOf(near, 10000, microseconds(80), microseconds(50));
  EXPECT_GT(other, 0);
  EXPECT_LT(other, 100);
}

TEST(MeasuredWay, ForgetsWhatTheMachineWasLike) {
  MeasuredWay measured;
  WholeOf(measured, 5000, microseconds(50), microseconds(80));
  // Both quicker than all that was seen before, and the other one is better now.
  const int late =
      WholeOf(measured, 10 * MeasuredWay::kLongest, microseconds(40), microseconds(20));
  EXPECT_LT(late, 2 * MeasuredWay::kLongest);
}

TEST(MeasuredWay, KeepsOnWhereNothingIsTold) {
  MeasuredWay measured;  // every sum ends by an error
  int whole = 0;
  for (int sum = 0; sum < 3000; ++sum) whole += measured.Next() == SumWay::kWhole ? 1 : 0;
  EXPECT_GT(whole, 0);
  EXPECT_LT(whole, 100);
}

}  // namespace
}  // namespace lockstep::collectives
