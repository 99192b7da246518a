#include "base/team.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <atomic>
#include <fstream>
#include <thread>
#include <vector>

#include "base/shared_lock.h"
#include "lockstep/base/status.h"

namespace lockstep::base {
namespace {

TEST(Team, EveryLaneRunsEveryJobOnce) {
  for (int lanes : {1, 2, 3, 8}) {
    Team team(lanes);
    std::vector<int> calls(lanes, 0);
    for (int job = 0; job < 200; ++job) team.Run([&](int lane) { ++calls[lane]; });
    for (int count : calls) EXPECT_EQ(count, 200) << lanes;
  }
}

TEST(Team, BarrierSeparatesPhases) {
  for (int lanes : {2, 3, 5}) {
    Team team(lanes);
    std::vector<int> value(lanes, 0);
    std::atomic<int> wrong{0};
    team.Run([&](int lane) {
      for (int phase = 1; phase <= 100; ++phase) {
        value[lane] = phase;
        team.Barrier(lane);
        for (int v : value) wrong += v != phase;
        team.Barrier(lane);
      }
    });
    EXPECT_EQ(wrong, 0) << lanes;
  }
}

TEST(Team, ConcurrentCallersAreServedOneAfterTheOther) {
  Team team(2);
  int64_t sum = 0;  // written by lane 0 of each job only
  std::vector<std::thread> callers;
  for (int t = 0; t < 4; ++t) {
    callers.emplace_back([&] {
      for (int i = 0; i < 100; ++i) {
        team.Run([&](int lane) {
          if (lane == 0) ++sum;
        });
      }
    });
  }
  for (auto& caller : callers) caller.join();
  EXPECT_EQ(sum, 400);
}

TEST(Team, WakesLanesThatHaveGoneToSleep) {
  Team team(2);
  std::atomic<int> calls{0};
  for (int i = 0; i < 3; ++i) {
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    team.Run([&](int) { ++calls; });
  }
  EXPECT_EQ(calls, 6);
}

#if !defined(__SANITIZE_ADDRESS__) && !defined(__SANITIZE_THREAD__)  // they need much room
TEST(Team, SaysThatThreadsCannotBeStarted) {
  int64_t pages = 0;
  std::ifstream("/proc/self/statm") >> pages;
  rlimit before{};
  ASSERT_EQ(getrlimit(RLIMIT_AS, &before), 0);
  rlimit tight = before;
  tight.rlim_cur = static_cast<rlim_t>(pages) * 4096 + (rlim_t{64} << 20);
  ASSERT_EQ(setrlimit(RLIMIT_AS, &tight), 0);
  std::string text;
  try {
    const Team team(1024);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), Code::kResourceExhausted);
    text = error.what();
  }
  ASSERT_EQ(setrlimit(RLIMIT_AS, &before), 0);
  EXPECT_NE(text.find("[team] every lane must have a thread; got "), std::string::npos) << text;
  EXPECT_NE(text.find(" of 1024, then: ResourceExhausted: [thread] a thread must be started; got "
                      "\"Resource temporarily unavailable\""),
            std::string::npos)
      << text;
  Team(2).Run([](int) {});
}
#endif

TEST(SharedLock, WritersExcludeEverybody) {
  SharedLock lock;
  int64_t value = 0, copy = 0;
  std::atomic<int> torn{0};
  std::vector<std::thread> threads;
  for (int t = 0; t < 3; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < 2000; ++i) {
        lock.Lock();
        ++value;
        ++copy;
        lock.Unlock();
        lock.LockShared();
        torn += value != copy;
        lock.UnlockShared();
      }
    });
  }
  for (auto& thread : threads) thread.join();
  EXPECT_EQ(value, 6000);
  EXPECT_EQ(torn, 0);
}

}  // namespace
}  // namespace lockstep::base
