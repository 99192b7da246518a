#include "runtime/lane_shares.h"

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <numeric>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace lockstep::runtime {
namespace {

using ::testing::ElementsAre;

// Runs of a plan whose lanes take so long for their rows of domain 0.
void RunMany(LaneShares& shares, int lanes, int runs,
             const std::function<uint64_t(int lane, LaneShares::Share)>& time) {
  for (int run = 0; run < runs; ++run) {
    for (int lane = 0; lane < lanes && shares.measures(); ++lane)
      shares.Add(0, lane, time(lane, shares.Of(0, lane)));
    shares.EndRun();
  }
}

std::vector<int64_t> EndsOf(const LaneShares& shares, int domain, int lanes) {
  std::vector<int64_t> ends;
  for (int lane = 0; lane < lanes; ++lane) {
    EXPECT_EQ(shares.Of(domain, lane).begin, lane == 0 ? 0 : ends.back());
    ends.push_back(shares.Of(domain, lane).end);
  }
  return ends;
}

TEST(LaneShares, AreEvenAtFirst) {
  const LaneShares shares({{784, 16}, {10, 1}, {3, 1}, {1, 1}, {0, 1}}, 4);
  EXPECT_THAT(EndsOf(shares, 0, 4), ElementsAre(192, 384, 576, 784));
  EXPECT_THAT(EndsOf(shares, 1, 4), ElementsAre(2, 5, 7, 10));
  EXPECT_THAT(EndsOf(shares, 2, 4), ElementsAre(0, 1, 2, 3));
  EXPECT_THAT(EndsOf(shares, 3, 4), ElementsAre(0, 0, 0, 1));
  EXPECT_THAT(EndsOf(shares, 4, 4), ElementsAre(0, 0, 0, 0));
}

TEST(LaneShares, BalancedEndsGiveAllTheSameTime) {
  EXPECT_THAT(LaneShares::Balanced({50, 100}, {10, 10}), ElementsAre(50, 100));
  // The first lane's grains take 2, the second one's 1.
  EXPECT_THAT(LaneShares::Balanced({50, 100}, {100, 50}), ElementsAre(38, 100));
  EXPECT_THAT(LaneShares::Balanced({50, 100}, {50, 100}), ElementsAre(63, 100));
  // All the work is in one lane's share, or in its neighbour's.
  EXPECT_THAT(LaneShares::Balanced({40, 80, 120}, {0, 90, 0}), ElementsAre(53, 67, 120));
  EXPECT_THAT(LaneShares::Balanced({40, 80, 120}, {90, 0, 0}), ElementsAre(13, 27, 120));
  EXPECT_THAT(LaneShares::Balanced({100}, {7}), ElementsAre(100));
}

// Images have ink in the middle, and more of it below.
uint64_t Ink(LaneShares::Share share) {
  uint64_t time = 0;
  for (int64_t row = share.begin; row < share.end; ++row)
    time += static_cast<uint64_t>(200 + std::max<int64_t>(0, 300 - std::abs(row - 450)));
  return time;
}

TEST(LaneShares, BecomeSuchThatAllLanesWorkAsLong) {
  for (const int lanes : {2, 3, 5}) {
    LaneShares shares({{784, 4}}, lanes);
    RunMany(shares, lanes, 300, [](int, LaneShares::Share share) { return Ink(share); });
    std::vector<uint64_t> times;
    for (const int64_t end : EndsOf(shares, 0, lanes)) EXPECT_TRUE(end % 4 == 0);
    for (int lane = 0; lane < lanes; ++lane) times.push_back(Ink(shares.Of(0, lane)));
    const double mean = static_cast<double>(std::accumulate(times.begin(), times.end(), 0ul)) /
                        static_cast<double>(lanes);
    const LaneShares even({{784, 4}}, lanes);
    uint64_t most_before = 0;
    for (int lane = 0; lane < lanes; ++lane)
      most_before = std::max(most_before, Ink(even.Of(0, lane)));
    const uint64_t most = *std::max_element(times.begin(), times.end());
    EXPECT_LT(most, most_before);
    EXPECT_LT(static_cast<double>(most), mean * 1.1) << lanes << " lanes";
  }
}

TEST(LaneShares, FollowACoreThatBecomesSlower) {
  LaneShares shares({{1000, 1}}, 2);
  RunMany(shares, 2, 300, [](int lane, LaneShares::Share share) {
    return static_cast<uint64_t>((share.end - share.begin) * (lane == 0 ? 130 : 100));
  });
  EXPECT_NEAR(static_cast<double>(shares.Of(0, 0).end), 1000 * 100 / 230.0, 10);
  RunMany(shares, 2, 1000, [](int, LaneShares::Share share) {
    return static_cast<uint64_t>((share.end - share.begin) * 100);
  });
  EXPECT_NEAR(static_cast<double>(shares.Of(0, 0).end), 500, 10);
}

// A lane that lost its core for a while in some runs keeps its rows.
TEST(LaneShares, AFewLateRunsMoveNothing) {
  LaneShares shares({{1000, 1}}, 2);
  int runs = 0;
  RunMany(shares, 2, 500, [&](int lane, LaneShares::Share share) {
    const bool late = lane == 0 && ++runs % 3 == 0;
    return static_cast<uint64_t>((share.end - share.begin) * (late ? 5000 : 100));
  });
  EXPECT_THAT(EndsOf(shares, 0, 2), ElementsAre(500, 1000));
}

TEST(LaneShares, LeaveEachLaneAFifthOfAnEvenShare) {
  LaneShares shares({{400, 1}}, 4);
  RunMany(shares, 4, 500, [](int lane, LaneShares::Share) { return lane == 1 ? 1000000u : 1u; });
  for (int lane = 0; lane < 4; ++lane) {
    const auto [begin, end] = shares.Of(0, lane);
    EXPECT_GE(end - begin, 20);
    EXPECT_LE(end - begin, 180);
  }
}

TEST(LaneShares, OfFewGrainsOrOneLaneAreNeverMeasured) {
  for (auto& [rows, grain, lanes] :
       std::vector<std::array<int64_t, 3>>{{15, 1, 2}, {240, 16, 2}, {1000, 1, 1}, {0, 1, 2}}) {
    LaneShares shares({{rows, grain}}, static_cast<int>(lanes));
    for (int run = 0; run < 100; ++run) {
      EXPECT_FALSE(shares.measures());
      shares.EndRun();
    }
  }
}

// Most runs of a long training are not measured.
TEST(LaneShares, MeasureSeldomWhereNothingChanges) {
  LaneShares shares({{1000, 1}}, 2);
  int measured = 0;
  for (int run = 0; run < 10000; ++run) {
    measured += shares.measures();
    for (int lane = 0; lane < 2 && shares.measures(); ++lane) shares.Add(0, lane, 1000);
    shares.EndRun();
  }
  EXPECT_LT(measured, 10000 / 16 + 50);
  EXPECT_GT(measured, 10000 / 16 - 50);
}

}  // namespace
}  // namespace lockstep::runtime
