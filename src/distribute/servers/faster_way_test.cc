#include "distribute/servers/faster_way.h"

#include <gtest/gtest.h>

namespace lockstep::distribute {
namespace {

using std::chrono::microseconds;

// How often each way is taken in some turns that take so long.
std::array<int, 2> Take(FasterWay& ways, int turns, microseconds first, microseconds second) {
  std::array<int, 2> taken{};
  for (int i = 0; i < turns; ++i) {
    const FasterWay::Way way = ways.Next();
    ways.Took(way, way == FasterWay::kFirst ? first : second);
    ++taken[way];
  }
  return taken;
}

TEST(FasterWay, BothAreTriedAndTheFasterOneIsTaken) {
  for (const bool swapped : {false, true}) {
    FasterWay ways;
    const microseconds slow(30), fast(20);
    const auto trial = Take(ways, 8, swapped ? fast : slow, swapped ? slow : fast);
    EXPECT_EQ(trial, (std::array{4, 4}));
    const auto taken = Take(ways, 100, swapped ? fast : slow, swapped ? slow : fast);
    EXPECT_EQ(taken[swapped ? 0 : 1], 100);
  }
}

TEST(FasterWay, WhatIsMadeAtFirstDoesNotCount) {
  FasterWay ways;
  Take(ways, 2, microseconds(10), microseconds(10'000));
  Take(ways, 6, microseconds(10), microseconds(5));
  EXPECT_EQ(ways.Next(), FasterWay::kSecond);
}

TEST(FasterWay, TheSlowerOneIsTriedAgainAndTakenOnceItIsFaster) {
  FasterWay ways;
  const auto before = Take(ways, 1000, microseconds(10), microseconds(20));
  EXPECT_GT(before[1], 4);
  EXPECT_LT(before[1], 40);
  const auto after = Take(ways, 1000, microseconds(10), microseconds(5));
  EXPECT_GT(after[1], 700);
}

}  // namespace
}  // namespace lockstep::distribute
