#include "base/shared_team.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <thread>
#include <vector>

#include "base/cores.h"

namespace lockstep::base {
namespace {

int Threads() {
  int count = 0;
  for ([[maybe_unused]] const auto& task : std::filesystem::directory_iterator("/proc/self/task"))
    ++count;
  return count;
}

int LanesOf(const LaneLease& lease) {
  std::atomic<int> calls{0};
  lease.team().Run([&](int) { ++calls; });
  return calls;
}

TEST(SharedTeam, IsOneForAllOwnersAndEndsWithTheLast) {
  // A sanitizer starts its own thread together with the first thread of the process.
  std::thread([] {}).join();
  const int before = Threads();
  {
    std::vector<std::shared_ptr<Team>> owners;
    for (int i = 0; i < 50; ++i) owners.push_back(SharedTeam(3));
    EXPECT_EQ(Threads(), before + 2);
    EXPECT_EQ(LanesOf(LaneLease(*owners[7])), 3);
  }
  EXPECT_EQ(Threads(), before);
  EXPECT_EQ(LanesOf(LaneLease(*SharedTeam(3))), 3);
}

TEST(LaneLease, IsOfOneLaneWhileAnotherHasTheTeam) {
  const auto team = SharedTeam(3);
  {
    const LaneLease first(*team);
    EXPECT_EQ(first.team().lanes(), 3);
    EXPECT_EQ(LanesOf(LaneLease(*team)), 1);
    std::thread([&] { EXPECT_EQ(LanesOf(LaneLease(*team)), 1); }).join();
  }
  EXPECT_EQ(LanesOf(LaneLease(*team)), 3);
}

TEST(LaneLease, TakesNoMoreLanesThanThereAreCoresBesideOtherTeams) {
  const int cores = Cores();
  const auto one = SharedTeam(cores + 1), other = SharedTeam(cores + 2);
  const LaneLease first(*one);
  EXPECT_EQ(first.team().lanes(), cores + 1) << "a run alone may have more";
  EXPECT_EQ(LaneLease(*other).team().lanes(), 1);
}

TEST(LaneLease, LeavesTheCoreOfAnotherThreadThatComputesAlone) {
  const int cores = Cores();
  const auto team = SharedTeam(cores + 1);
  auto first = std::make_unique<LaneLease>(*team);
  const auto second = std::make_unique<LaneLease>(*team);
  EXPECT_EQ(second->team().lanes(), 1);
  first.reset();
  EXPECT_EQ(LaneLease(*team).team().lanes(), 1);
  EXPECT_EQ(LaneLease(*team, 1).team().lanes(), 1) << "a small run is not counted";
}

TEST(LaneLease, LeavesAllLanesToARunBesideSmallOnes) {
  const auto team = SharedTeam(2);
  const LaneLease small(*team, 1);
  EXPECT_EQ(LanesOf(LaneLease(*team)), 2);
}

TEST(LaneLease, TakesAPowerOfTwoOfLanesWhereFewerAreWanted) {
  const auto team = SharedTeam(8);
  EXPECT_EQ(LanesOf(LaneLease(*team, 7)), 4);
  EXPECT_EQ(LanesOf(LaneLease(*team, 2)), 2);
  EXPECT_EQ(LanesOf(LaneLease(*team, 1)), 1);
  EXPECT_EQ(LanesOf(LaneLease(*team, 8)), 8);
}

TEST(LaneLease, KeepsToTheLimit) {
  const auto team = SharedTeam(4);
  SetLaneLimit(1);
  EXPECT_EQ(LanesOf(LaneLease(*team)), 1);
  EXPECT_EQ(DefaultTeam().lanes(), 1);
  SetLaneLimit(2);
  EXPECT_EQ(LanesOf(LaneLease(*team)), 2);
  EXPECT_LE(DefaultTeam().lanes(), 2);
  SetLaneLimit(0);
  EXPECT_EQ(LanesOf(LaneLease(*team)), 4);
  EXPECT_EQ(DefaultTeam().lanes(), DefaultLanes());
}

TEST(DefaultTeam, StartsItsThreadsWithTheFirstLeaseOfSeveralLanes) {
  if (DefaultLanes() < 2) GTEST_SKIP() << "needs two cores";
  Team& team = DefaultTeam();
  EXPECT_TRUE(team.is_default());
  EXPECT_EQ(LanesOf(LaneLease(team, 1)), 1);
  EXPECT_EQ(LanesOf(LaneLease(team)), DefaultLanes());
  EXPECT_TRUE(team.is_awake());
}

#if !defined(__SANITIZE_THREAD__)  // it does not follow a child that starts threads
TEST(SharedTeam, StartsNewThreadsInAChildProcess) {
  const auto team = SharedTeam(3);
  EXPECT_EQ(LanesOf(LaneLease(*team)), 3);
  const LaneLease held(*team);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(20);
    const int first = LanesOf(LaneLease(*team));
    const int second = LanesOf(LaneLease(DefaultTeam()));
    _exit(first == 3 && second == DefaultLanes() ? 0 : 1);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_TRUE(WIFEXITED(status) && WEXITSTATUS(status) == 0) << status;
}
#endif

// Several threads compute at the same time, each with the lanes that it gets.
TEST(LaneLease, ServesManyThreadsAtOnce) {
  const auto team = SharedTeam(2);
  std::atomic<int> wrong{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 500; ++i) {
        const LaneLease lease(*team);
        wrong += LanesOf(lease) != lease.team().lanes();
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, 0);
  EXPECT_EQ(LaneLease(*team).team().lanes(), 2);
}

}  // namespace
}  // namespace lockstep::base
