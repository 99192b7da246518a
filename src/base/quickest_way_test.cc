#include "base/quickest_way.h"

#include <gtest/gtest.h>

#include <deque>

namespace lockstep::base {
namespace {

using std::chrono::microseconds;

constexpr QuickestWay::Runs kRuns{4, 200, 200};

// How often each way is taken in some turns that take so long.
std::array<int, 2> Take(QuickestWay& ways, int turns, microseconds first, microseconds second) {
  std::array<int, 2> taken{};
  for (int i = 0; i < turns; ++i) {
    const size_t way = ways.Next();
    ways.Took(way, way == 0 ? first : second);
    ++taken[way];
  }
  return taken;
}

TEST(QuickestWay, BothAreTriedAndTheFasterOneIsTaken) {
  for (const bool swapped : {false, true}) {
    QuickestWay ways(2, kRuns);
    const microseconds slow(30), fast(20);
    const auto trial = Take(ways, 8, swapped ? fast : slow, swapped ? slow : fast);
    EXPECT_EQ(trial, (std::array{4, 4}));
    const auto taken = Take(ways, 100, swapped ? fast : slow, swapped ? slow : fast);
    EXPECT_EQ(taken[swapped ? 0 : 1], 100);
  }
}

TEST(QuickestWay, WhatIsMadeAtFirstDoesNotCount) {
  QuickestWay second(2, kRuns);
  Take(second, 4, microseconds(10), microseconds(0));
  Take(second, 1, microseconds(10), microseconds(10'000));
  Take(second, 3, microseconds(10), microseconds(5));
  EXPECT_EQ(second.Next(), 1u);
  QuickestWay first(2, kRuns);
  Take(first, 1, microseconds(10'000), microseconds(0));
  Take(first, 7, microseconds(10), microseconds(20));
  EXPECT_EQ(first.Next(), 0u);
}

TEST(QuickestWay, TheSlowerOneIsTriedAgainAndTakenOnceItIsFaster) {
  QuickestWay ways(2, kRuns);
  const auto before = Take(ways, 1000, microseconds(10), microseconds(20));
  EXPECT_GT(before[1], 4);
  EXPECT_LT(before[1], 40);
  const auto after = Take(ways, 1000, microseconds(10), microseconds(5));
  EXPECT_GT(after[1], 700);
}

// As where buckets of one form are summed side by side, or steps wait for each worker.
TEST(QuickestWay, LearnsAlsoWhereMuchIsUnderWayAtOnce) {
  for (const size_t under_way : {2, 4, 8, 30}) {
    QuickestWay ways(3, {8, 64, 1024});
    std::deque<size_t> begun;
    int quickest = 0;
    for (int i = 0; i < 5000; ++i) {
      begun.push_back(ways.Next());
      quickest += begun.back() == 2 ? 1 : 0;
      if (begun.size() < under_way) continue;
      ways.Took(begun.front(), microseconds(50 - 10 * static_cast<int>(begun.front())));
      begun.pop_front();
    }
    EXPECT_GT(quickest, 4500) << under_way;
  }
}

}  // namespace
}  // namespace lockstep::base
