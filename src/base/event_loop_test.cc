#include "base/event_loop.h"

#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <unistd.h>

#include <string>
#include <thread>

namespace lockstep::base {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

Duration ProcessorTimeOfThread() {
  rusage usage{};
  getrusage(RUSAGE_THREAD, &usage);
  const auto of = [](timeval time) {
    return std::chrono::seconds(time.tv_sec) + std::chrono::microseconds(time.tv_usec);
  };
  return of(usage.ru_utime) + of(usage.ru_stime);
}

// Has work whenever somebody has put some in.
class Counter final : public Poller {
 public:
  bool Poll() override {
    ++polls;
    if (pending.load() == 0) return false;
    done += pending.exchange(0);
    return true;
  }
  void BeforeBlocking() override { ++blocks; }
  void AfterBlocking() override { ++wakes; }
  std::atomic<int> pending{0};
  int done = 0, polls = 0, blocks = 0, wakes = 0;
};

// A pair of connected sockets.
struct Pair {
  Pair() { EXPECT_EQ(socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends), 0); }
  ~Pair() { Close(0), Close(1); }
  void Close(int end) {
    if (ends[end] >= 0) close(ends[end]);
    ends[end] = -1;
  }
  int ends[2] = {-1, -1};
};

TEST(EventLoopPoller, IsAskedWhileTheLoopIsIdleAndWhileItIsBusy) {
  EventLoop loop;
  Counter counter;
  loop.AddPoller(counter);
  counter.pending = 3;
  EXPECT_TRUE(loop.RunUntil([&] { return counter.done == 3; }, seconds(10)));
  // Work that never ends does not keep pollers from their turn.
  Work again = [&] { loop.Post(again); };
  loop.Post(again);
  counter.pending = 4;
  EXPECT_TRUE(loop.RunUntil([&] { return counter.done == 7; }, seconds(10)));
  again = [] {};
  loop.RemovePoller(counter);
  counter.pending = 1;
  EXPECT_FALSE(loop.RunUntil([&] { return counter.done == 8; }, milliseconds(5)));
}

TEST(EventLoopPoller, LetsAnIdleLoopBlockAndIsToldOfIt) {
  EventLoop loop;
  Counter counter;
  loop.AddPoller(counter);
  const Duration before = ProcessorTimeOfThread();
  EXPECT_FALSE(loop.RunUntil([] { return false; }, milliseconds(200)));
  EXPECT_LT(ProcessorTimeOfThread() - before, milliseconds(60));
  EXPECT_GE(counter.blocks, 1);
  EXPECT_EQ(counter.blocks, counter.wakes);
  loop.RemovePoller(counter);
}

TEST(EventLoopPoller, WorksAgainAfterBlockingWhenSomebodyWakesTheLoop) {
  EventLoop loop;
  loop.set_patience({.spins = 0, .yielding = Duration{0}});
  Counter counter;
  loop.AddPoller(counter);
  EventThread other;
  for (int round = 1; round <= 20; ++round) {
    other.executor().PostAfter(milliseconds(2), [&] {
      counter.pending = 1;
      loop.Wake();
    });
    EXPECT_TRUE(loop.RunUntil([&] { return counter.done == round; }, seconds(10)));
  }
  // Posts and timers wake it too.
  int posted = 0;
  other.executor().PostAfter(milliseconds(2), [&] { loop.Post([&] { ++posted; }); });
  EXPECT_TRUE(loop.RunUntil([&] { return posted == 1; }, seconds(10)));
  const Time now = loop.Now();
  loop.PostAfter(milliseconds(3), [&] { ++posted; });
  EXPECT_TRUE(loop.RunUntil([&] { return posted == 2; }, seconds(10)));
  EXPECT_GE(loop.Now() - now, milliseconds(3));
  EXPECT_GE(counter.blocks, 20);
  loop.RemovePoller(counter);
}

// Others need not wake it, and it needs little of its core.
TEST(EventLoopPoller, IsAskedNowAndThenByALoopThatNaps) {
  EventLoop loop;
  Counter counter;
  loop.AddPoller(counter);
  loop.set_nap(milliseconds(2));
  std::thread other([&counter] {
    std::this_thread::sleep_for(milliseconds(30));
    counter.pending = 1;
  });
  const Duration before = ProcessorTimeOfThread();
  EXPECT_TRUE(loop.RunUntil([&] { return counter.done == 1; }, seconds(10)));
  other.join();
  EXPECT_EQ(counter.blocks, 0);
  EXPECT_LE(counter.polls, 2 * 30);
  EXPECT_LT(ProcessorTimeOfThread() - before, milliseconds(20));
  loop.RemovePoller(counter);
}

TEST(EventLoopPoller, PostsAndFilesEndANap) {
  EventLoop loop;
  Counter counter;
  Pair pair;
  loop.AddPoller(counter);
  loop.set_nap(std::chrono::hours(1));
  bool posted = false, ready = false;
  std::thread other([&] {
    std::this_thread::sleep_for(milliseconds(5));
    loop.Post([&posted] { posted = true; });
  });
  EXPECT_TRUE(loop.RunUntil([&] { return posted; }, seconds(10)));
  other.join();
  loop.WatchFile(pair.ends[0], true, false, [&](FileEvents) {
    ready = true;
    loop.UnwatchFile(pair.ends[0]);
  });
  EXPECT_EQ(write(pair.ends[1], "x", 1), 1);
  EXPECT_TRUE(loop.RunUntil([&] { return ready; }, seconds(10)));
  loop.RemovePoller(counter);
}

TEST(EventLoopPoller, StopEndsABlockedLoop) {
  EventLoop here;
  Counter counter;
  bool added = false;
  EventThread thread;  // ends before what it polls
  thread.executor().Post([&] {
    thread.loop().AddPoller(counter);
    here.Post([&] { added = true; });
  });
  EXPECT_TRUE(here.RunUntil([&] { return added; }, seconds(10)));
  EXPECT_FALSE(here.RunUntil([] { return false; }, milliseconds(20)));
}  // the thread is joined

TEST(EventLoopFiles, CallsTheHandlerForAsLongAsTheFileIsReady) {
  EventLoop loop;
  Pair pair;
  std::string got;
  FileEvents last;
  ASSERT_TRUE(loop.WatchFile(pair.ends[0], true, false, [&](FileEvents events) {
    last = events;
    char byte = 0;
    if (read(pair.ends[0], &byte, 1) == 1) got += byte;
  }));
  EXPECT_EQ(write(pair.ends[1], "abc", 3), 3);
  EXPECT_TRUE(loop.RunUntil([&] { return got == "abc"; }, seconds(10)));
  EXPECT_TRUE(last.readable);
  EXPECT_FALSE(last.writable);
  EXPECT_FALSE(last.broken);
  pair.Close(1);
  EXPECT_TRUE(loop.RunUntil([&] { return last.broken; }, seconds(10)));
  loop.UnwatchFile(pair.ends[0]);
  EXPECT_FALSE(loop.RunUntil([] { return false; }, milliseconds(5)));
  EXPECT_FALSE(loop.WatchFile(-1, true, false, [](FileEvents) {}));
}

TEST(EventLoopFiles, AHandlerMayRemoveAnotherThatIsReadyToo) {
  EventLoop loop;
  Pair pairs[2];
  int calls = 0;
  for (int i : {0, 1}) {
    EXPECT_EQ(write(pairs[i].ends[1], "x", 1), 1);
    loop.WatchFile(pairs[i].ends[0], true, true, [&](FileEvents events) {
      ++calls;
      EXPECT_TRUE(events.readable && events.writable);
      for (int k : {0, 1}) loop.UnwatchFile(pairs[k].ends[0]);
    });
  }
  EXPECT_FALSE(loop.RunUntil([] { return false; }, milliseconds(5)));
  EXPECT_EQ(calls, 1);
}

TEST(EventLoopFiles, AreServedWhileWorkKeepsComing) {
  EventLoop loop;
  Pair pair;
  bool called = false;
  loop.WatchFile(pair.ends[0], false, true, [&](FileEvents) {
    called = true;
    loop.UnwatchFile(pair.ends[0]);
  });
  Work again = [&] { loop.Post(again); };
  loop.Post(again);
  EXPECT_TRUE(loop.RunUntil([&] { return called; }, seconds(10)));
  again = [] {};
}

}  // namespace
}  // namespace lockstep::base
