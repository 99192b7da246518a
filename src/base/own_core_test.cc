#include "base/own_core.h"

#include <gtest/gtest.h>

#include <vector>

namespace lockstep::base {
namespace {

// What a thread publishes while others are on the cores that `is_taken` names.
template <typename IsTaken>
std::vector<int> Published(OwnCore& own, const IsTaken& is_taken) {
  std::vector<int> cores;
  own.Seek(is_taken, [&](int core) { cores.push_back(core); });
  return cores;
}

TEST(OwnCore, StaysWhereNobodyElseRuns) {
  OwnCore own;
  EXPECT_TRUE(Published(own, [](int) { return false; }).empty());
}

TEST(OwnCore, StaysWhereAllCoresAreTaken) {
  OwnCore own;
  EXPECT_TRUE(Published(own, [](int) { return true; }).empty());
}

TEST(OwnCore, GoesToTheCoreThatIsFree) {
  const std::vector<int> cores = CoreNumbers();
  if (cores.size() < 2) GTEST_SKIP() << "needs two cores";
  for (const int free : cores) {
    // The system may move the thread in between, but not each time.
    bool is_there = false;
    for (int tries = 0; tries < 20 && !is_there; ++tries) {
      OwnCore own;
      GoToCore(free == cores.front() ? cores.back() : cores.front());
      const std::vector<int> published = Published(own, [free](int core) { return core != free; });
      is_there = published == std::vector<int>{free} && CurrentCore() == free;
    }
    EXPECT_TRUE(is_there) << free;
    EXPECT_EQ(CoreNumbers(), cores) << "where it may run stays as it was";
  }
}

TEST(OwnCore, TakesItsTimeBetweenMoves) {
  if (CoreNumbers().size() < 2) GTEST_SKIP() << "needs two cores";
  OwnCore own;
  MonotonicClock clock;
  const Time began = clock.Now();
  int moves = 0;
  while (clock.Now() - began < std::chrono::milliseconds(20)) {
    const int here = CurrentCore();
    moves += static_cast<int>(Published(own, [here](int core) { return core == here; }).size());
  }
  EXPECT_GE(moves, 1);
  EXPECT_LE(moves, 1 + (clock.Now() - began) / std::chrono::milliseconds(1));
}

}  // namespace
}  // namespace lockstep::base
