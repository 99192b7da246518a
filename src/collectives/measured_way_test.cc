#include "collectives/measured_way.h"

#include <gtest/gtest.h>

namespace lockstep::collectives {
namespace {

using std::chrono::microseconds;

constexpr SumWay kWays[] = {SumWay::kWhole, SumWay::kSlices, SumWay::kSlicesByPages};

// How many of `sums` take each way where these take so long; each 7th sum is disturbed.
std::array<int, kSumWays> Taken(MeasuredWay& measured, int sums,
                                const std::array<microseconds, kSumWays>& times) {
  std::array<int, kSumWays> taken{};
  for (int sum = 0; sum < sums; ++sum) {
    const auto way = static_cast<size_t>(measured.Next());
    ++taken[way];
    const microseconds disturbance(sum % 7 == 0 ? 1000 : 0);
    measured.Took(static_cast<SumWay>(way), times[way] + disturbance);
  }
  return taken;
}

TEST(MeasuredWay, TakesWhatTookLeastAndTriesTheOthersNowAndThen) {
  for (const SumWay best : kWays) {
    std::array<microseconds, kSumWays> times{microseconds(60), microseconds(70), microseconds(80)};
    times[static_cast<size_t>(best)] = microseconds(50);
    MeasuredWay measured(1 << 20);
    const auto taken = Taken(measured, 10000, times);
    for (const SumWay way : kWays) {
      const int sums = taken[static_cast<size_t>(way)];
      EXPECT_GT(sums, way == best ? 9800 : 0);
      EXPECT_LT(sums, way == best ? 10000 : 100);
    }
  }
}

TEST(MeasuredWay, ForgetsWhatTheMachineWasLike) {
  MeasuredWay measured(1 << 20);
  Taken(measured, 5000, {microseconds(50), microseconds(80), microseconds(80)});
  // All quicker than all that was seen before, and another one is best now.
  const auto late = Taken(measured, 10 * MeasuredWay::kLongest,
                          {microseconds(40), microseconds(30), microseconds(20)});
  EXPECT_GT(late[static_cast<size_t>(SumWay::kSlicesByPages)], 8 * MeasuredWay::kLongest);
}

// A slow rank takes five times as long to add up, twice as much when it adds up everything, and the
// quick one waits for it only where each adds up a slice.
TEST(MeasuredWay, CountsTheSlowestRank) {
  MeasuredWay measured(1 << 20);
  int whole = 0;
  for (int sum = 0; sum < 2000; ++sum) {
    const SumWay way = measured.Next();
    const bool is_whole = way == SumWay::kWhole;
    whole += is_whole ? 1 : 0;
    measured.Took(way, is_whole ? microseconds(50) : microseconds(150));
    measured.TookElsewhere(way, is_whole ? microseconds(250) : microseconds(150));
  }
  EXPECT_LT(whole, 50);
}

TEST(MeasuredWay, TriesNoPagesOfLargeSums) {
  MeasuredWay measured(4 << 20);
  const auto taken = Taken(measured, 3000, {microseconds(70), microseconds(60), microseconds(50)});
  EXPECT_EQ(taken[static_cast<size_t>(SumWay::kSlicesByPages)], 0);
  EXPECT_GT(taken[static_cast<size_t>(SumWay::kSlices)], 2900);
}

// As where every sum ends by an error.
TEST(MeasuredWay, GoesOnWhereNothingIsTold) {
  MeasuredWay measured(1 << 20);
  std::array<int, kSumWays> taken{};
  for (int sum = 0; sum < 3000; ++sum) ++taken[static_cast<size_t>(measured.Next())];
  for (const int sums : taken) EXPECT_GT(sums, 0);
}

}  // namespace
}  // namespace lockstep::collectives
