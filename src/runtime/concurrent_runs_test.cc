// Threads that read, write and run functions at the same time.

#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "lockstep/ops/comparison.h"
#include "lockstep/ops/math.h"
#include "lockstep/ops/reduce.h"
#include "lockstep/runtime/control_flow.h"
#include "lockstep/runtime/function.h"
#include "lockstep/runtime/variable.h"

namespace lockstep {
namespace {

constexpr int kThreads = 8;
constexpr int kRuns = 50;

void OnThreads(const std::function<void(int)>& body) {
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) threads.emplace_back(body, t);
  for (std::thread& thread : threads) thread.join();
}

TEST(ConcurrentRuns, AddingLosesNothing) {
  const Variable sum(Tensor({0, 0}));
  OnThreads([&](int) {
    for (int i = 0; i < kRuns; ++i) sum.AssignAdd(Tensor({1, 2}));
  });
  EXPECT_EQ(sum.value().ToVector<float>(),
            (std::vector<float>{kThreads * kRuns, 2 * kThreads * kRuns}));
  EXPECT_EQ(sum.version(), uint64_t{kThreads * kRuns});
}

TEST(ConcurrentRuns, CompareAndAssignLetsOneThrough) {
  const Variable count(Scalar<int64_t>(0));
  OnThreads([&](int) {
    for (int i = 0; i < kRuns; ++i) {
      Tensor seen = count.value();
      while (!count.CompareAndAssign(seen, seen + 1).scalar<bool>()) seen = count.value();
    }
  });
  EXPECT_EQ(count.value().scalar<int64_t>(), kThreads * kRuns);
}

TEST(ConcurrentRuns, ScattersToCommonRowsLoseNothing) {
  const Variable rows(Tensor({{0, 0}, {0, 0}, {0, 0}}));
  OnThreads([&](int thread) {
    const Tensor places = Constant<int32_t>({thread % 3, 1});
    for (int i = 0; i < kRuns; ++i)
      rows.Scatter(ScatterKind::kAdd, places, Tensor({{1, 1}, {1, 1}}));
  });
  float total = 0;
  for (float value : rows.value().ToVector<float>()) total += value;
  EXPECT_EQ(total, 4 * kThreads * kRuns);
}

// A run with control flow has several parts; nobody comes in between.
TEST(ConcurrentRuns, FunctionsWithControlFlowAreSerialisable) {
  const Variable count(Scalar(0.0f)), copy(Scalar(0.0f));
  const Function increment([&] {
    const Tensor seen = count.value();
    const Tensor steps =
        WhileLoop([](const Tensors& v) { return Less(v[0], 3); },
                  [](const Tensors& v) { return Tensors{v[0] + 1}; }, {Scalar<int32_t>(0)})[0];
    const Tensor next = Cond(
        Equal(steps, 3), [&] { return seen + 1; }, [&] { return seen; });
    count.Assign(next);
    const Tensor again = Cond(
        Equal(steps, 3), [&] { return count.value(); }, [&] { return seen; });
    copy.Assign(again);
    return next;
  });
  const Function difference([&] {
    const Tensor first = count.value();
    const Tensor steps =
        WhileLoop([](const Tensors& v) { return Less(v[0], 3); },
                  [](const Tensors& v) { return Tensors{v[0] + 1}; }, {Scalar<int32_t>(0)})[0];
    return Cond(
        Equal(steps, 3), [&] { return first - copy.value(); }, [&] { return first; });
  });
  std::atomic<int> torn{0};
  OnThreads([&](int thread) {
    for (int i = 0; i < kRuns; ++i) {
      if (thread % 2 == 0) {
        increment();
      } else {
        torn += difference().scalar<float>() != 0;
      }
    }
  });
  EXPECT_EQ(count.value().scalar<float>(), kThreads / 2 * kRuns);
  EXPECT_EQ(torn, 0);
}

TEST(ConcurrentRuns, PlansAndProgramsAndEagerCodeMeet) {
  const Variable a(Scalar(100.0f)), b(Scalar(0.0f));
  const Function plan([&] {
    a.AssignSub(1);
    b.AssignAdd(1);
    return a.value() + b.value();
  });
  const Function program([&] {
    const Tensor some = Cond(
        Greater(a.value(), -1e6f), [&] { return Scalar(2.0f) * 1; },
        [&] { return Scalar(0.0f) * 1; });
    b.AssignAdd(some);
    const Tensor same = Cond(
        Greater(some, 0), [&] { return some * 1; }, [&] { return some * 0; });
    a.AssignSub(same);
    return a.value() + b.value();
  });
  std::atomic<int> wrong{0};
  OnThreads([&](int thread) {
    for (int i = 0; i < kRuns; ++i) {
      if (thread % 4 == 3) {
        a.AssignAdd(0);
        b.value();
      } else {
        wrong += (thread % 2 == 0 ? plan() : program()).scalar<float>() != 100;
      }
    }
  });
  EXPECT_EQ(wrong, 0);
}

}  // namespace
}  // namespace lockstep
