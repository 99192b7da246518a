#include "base/executor.h"

#include <gtest/gtest.h>

#include <vector>

#include "base/event_loop.h"
#include "base/probe.h"
#include "base/randomness.h"
#include "base/task.h"
#include "lockstep/base/status.h"

namespace lockstep::base {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

TEST(EventLoop, RunsByTimeThenByOrderOfPosting) {
  EventLoop loop;
  std::vector<int> order;
  const Time now = loop.Now();
  loop.PostAt(now + milliseconds(200), [&] { order.push_back(4); });
  loop.PostAt(now + milliseconds(100), [&] { order.push_back(2); });
  loop.PostAt(now + milliseconds(100), [&] { order.push_back(3); });
  loop.PostAt(now - seconds(1), [&] { order.push_back(0); });
  loop.Post([&] { order.push_back(1); });
  EXPECT_TRUE(loop.RunUntil([&] { return order.size() == 5; }, seconds(10)));
  EXPECT_EQ(order, (std::vector<int>{0, 1, 2, 3, 4}));
  EXPECT_GE(loop.Now() - now, milliseconds(200));
}

TEST(EventLoop, CancelTakesBackWhatHasNotBegun) {
  EventLoop loop;
  int ran = 0;
  const TimerId late = loop.PostAfter(milliseconds(1), [&] { ran += 1; });
  const TimerId early = loop.PostAt(loop.Now(), [&] { ran += 10; });
  EXPECT_TRUE(loop.Cancel(late));
  EXPECT_FALSE(loop.Cancel(late));
  EXPECT_TRUE(loop.RunUntil([&] { return ran != 0; }, seconds(10)));
  EXPECT_FALSE(loop.Cancel(early));
  EXPECT_FALSE(loop.RunUntil([] { return false; }, milliseconds(5)));
  EXPECT_EQ(ran, 10);
}

TEST(EventLoop, StopsFromItsOwnWorkAndFromAnotherThread) {
  EventLoop loop;
  int ran = 0;
  loop.Post([&] {
    ++ran;
    loop.Stop();
  });
  loop.Post([&] { ++ran; });
  loop.Run();
  EXPECT_EQ(ran, 1);

  EventLoop here;
  EventThread thread;  // ends before what it posts to
  bool answered = false;
  thread.executor().Post([&] { here.Post([&] { answered = true; }); });
  EXPECT_TRUE(here.RunUntil([&] { return answered; }, seconds(10)));
}

TEST(Timer, DiesWithItsOwnerAndIsReplacedByANewStart) {
  EventLoop loop;
  int ran = 0;
  {
    Timer timer;
    timer.StartAfter(loop, milliseconds(0), [&] { ran += 1; });
  }
  Timer timer;
  timer.StartAfter(loop, milliseconds(0), [&] { ran += 10; });
  timer.StartAfter(loop, milliseconds(0), [&] { ran += 100; });
  EXPECT_FALSE(loop.RunUntil([] { return false; }, milliseconds(3)));
  EXPECT_EQ(ran, 100);
}

TEST(Task, GivesValuesAndExceptionsToWhoAwaits) {
  EventLoop loop;
  TaskScope scope(loop);
  std::vector<int> seen;
  auto twice = [](Executor& executor, int value) -> Task<int> {
    co_await Sleep(executor, milliseconds(1));
    if (value < 0) throw Error(Code::kInvalidArgument, "negative");
    co_return 2 * value;
  };
  auto body = [&]() -> Task<void> {
    seen.push_back(co_await twice(loop, 21));
    try {
      seen.push_back(co_await twice(loop, -1));
    } catch (const Error& error) {
      seen.push_back(static_cast<int>(error.code()));
    }
  };
  scope.Spawn(body());
  EXPECT_EQ(scope.unfinished(), 1u);
  EXPECT_TRUE(loop.RunUntil([&] { return scope.unfinished() == 0; }, seconds(10)));
  EXPECT_EQ(seen, (std::vector<int>{42, 3}));
}

TEST(Task, EventualWakesItsWaiterOnceAndOutlivesIt) {
  EventLoop loop;
  auto value = std::make_unique<Eventual<int>>(loop);
  auto set = value->Setter();
  std::vector<int> seen;
  auto body = [&]() -> Task<void> { seen.push_back(co_await *value); };
  {
    TaskScope scope(loop);
    scope.Spawn(body());
    loop.PostAfter(milliseconds(1), [&] {
      set(7);
      set(8);
    });
    EXPECT_TRUE(loop.RunUntil([&] { return scope.unfinished() == 0; }, seconds(10)));
    EXPECT_EQ(seen, (std::vector<int>{7}));
  }
  value = std::make_unique<Eventual<int>>(loop);
  set = value->Setter();
  {
    TaskScope scope(loop);
    scope.Spawn(body());
    EXPECT_FALSE(loop.RunUntil([] { return false; }, milliseconds(3)));
    set(9);  // the waiter is due, but its scope ends first
  }
  value.reset();
  EXPECT_FALSE(loop.RunUntil([] { return false; }, milliseconds(3)));
  EXPECT_EQ(seen, (std::vector<int>{7}));
}

TEST(Randomness, EqualSeedsGiveEqualDrawsInsideTheirBounds) {
  SeededRandomness a(7), b(7), c(8);
  bool differs = false;
  std::vector<int> buckets(10);
  for (int i = 0; i < 10000; ++i) {
    const uint64_t draw = a.Next();
    EXPECT_EQ(draw, b.Next());
    differs = differs || draw != c.Next();
    ++buckets[a.Below(10)];
    b.Next();
  }
  EXPECT_TRUE(differs);
  for (int count : buckets) EXPECT_NEAR(count, 1000, 200);
  EXPECT_EQ(a.Below(0), 0u);
  EXPECT_EQ(a.Below(1), 0u);
  EXPECT_EQ(a.Between(-3, -3), -3);
  EXPECT_FALSE(a.Chance(0.0));
  EXPECT_TRUE(a.Chance(1.0));
}

TEST(Probe, IsListedBeforeItIsReached) {
  const auto hits = [] {
    for (const Probe* probe : AllProbes())
      if (std::string(probe->name()) == "probe of the test") return static_cast<int>(probe->hits());
    return -1;
  };
  const auto reach = [](bool go) {
    if (go) LOCKSTEP_PROBE("probe of the test");
  };
  EXPECT_EQ(hits(), 0);
  reach(false);
  EXPECT_EQ(hits(), 0);
  reach(true);
  EXPECT_EQ(hits(), 1);
}

}  // namespace
}  // namespace lockstep::base
