#include "base/fiber.h"

#include <gtest/gtest.h>

#include <stdexcept>
#include <string>
#include <vector>

namespace lockstep::base {
namespace {

TEST(FiberGroup, RunsOneFiberAtATimeInTheOrderAsked) {
  std::string trace;
  FiberGroup* group = nullptr;
  FiberGroup fibers(3, [&](int i) {
    trace += "a" + std::to_string(i) + " ";
    group->Suspend(i);
    trace += "b" + std::to_string(i) + " ";
  });
  group = &fibers;
  for (int i : {0, 1, 2}) EXPECT_TRUE(fibers.Resume(i));
  for (int i : {2, 0, 1}) EXPECT_FALSE(fibers.Resume(i));
  EXPECT_EQ(trace, "a0 a1 a2 b2 b0 b1 ");
  EXPECT_TRUE(fibers.ended(1));
}

TEST(FiberGroup, RethrowsTheExceptionThatEndedAFiber) {
  FiberGroup fibers(2, [](int i) {
    if (i == 1) throw std::runtime_error("fiber 1");
  });
  EXPECT_FALSE(fibers.Resume(0));
  try {
    fibers.Resume(1);
    FAIL() << "nothing was thrown";
  } catch (const std::runtime_error& error) {
    EXPECT_STREQ(error.what(), "fiber 1");
  }
  EXPECT_TRUE(fibers.ended(1));
}

TEST(FiberGroup, UnwindsFibersThatHaveNotEnded) {
  struct Counted {
    explicit Counted(int* count) : count(count) {}
    ~Counted() { ++*count; }
    int* count;
  };
  int unwound = 0, started = 0, passed = 0;
  {
    FiberGroup* group = nullptr;
    FiberGroup fibers(3, [&](int i) {
      Counted counted(&unwound);
      ++started;
      group->Suspend(i);
      ++passed;
    });
    group = &fibers;
    fibers.Resume(0);
    fibers.Resume(1);  // fiber 2 never starts
  }
  EXPECT_EQ(started, 2);
  EXPECT_EQ(unwound, 2);
  EXPECT_EQ(passed, 0);
}

TEST(FiberGroup, HasThreadLocalStateOfItsOwn) {
  static thread_local int mine = 7;
  mine = 1;
  std::vector<int> seen;
  FiberGroup fibers(2, [&](int i) {
    seen.push_back(mine);
    mine = 10 + i;
  });
  fibers.Resume(0);
  fibers.Resume(1);
  EXPECT_EQ(seen, (std::vector<int>{7, 7}));
  EXPECT_EQ(mine, 1);
}

}  // namespace
}  // namespace lockstep::base
