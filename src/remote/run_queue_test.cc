#include "remote/run_queue.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <deque>
#include <set>
#include <string>

#include "base/randomness.h"

namespace lockstep::remote {
namespace {

std::shared_ptr<runtime::VariableCell> Cell(const std::string& name) {
  return std::make_shared<runtime::VariableCell>(name, Scalar(0.f));
}

std::vector<runtime::VariableUse> Uses(std::vector<runtime::VariableUse> uses) {
  std::sort(uses.begin(), uses.end(),
            [](const auto& a, const auto& b) { return a.cell.get() < b.cell.get(); });
  return uses;
}

class Queue : public testing::Test {
 protected:
  RunQueue::Turn Enter(uint64_t age, bool alone, std::vector<runtime::VariableUse> uses) {
    const auto turn = queue.Enter({age, age}, age, alone, Uses(std::move(uses)),
                                  {.begin = [this, age] { events += "b" + std::to_string(age); },
                                   .again = [this, age] { events += "a" + std::to_string(age); }});
    return turn;
  }
  void Leave(uint64_t age) { queue.Leave({age, age}, age); }

  RunQueue queue;
  std::string events;
  const std::shared_ptr<runtime::VariableCell> x = Cell("x"), y = Cell("y");
};

TEST_F(Queue, ReadersShareAndWritersTakeTurns) {
  EXPECT_EQ(Enter(1, true, {{x, false}}), RunQueue::Turn::kNow);
  EXPECT_EQ(Enter(2, true, {{x, false}, {y, true}}), RunQueue::Turn::kNow);
  EXPECT_EQ(Enter(5, true, {{x, true}}), RunQueue::Turn::kLater);
  EXPECT_EQ(Enter(4, true, {{x, true}}), RunQueue::Turn::kLater);
  // A younger reader does not overtake a writer that waits.
  EXPECT_EQ(Enter(6, true, {{x, false}}), RunQueue::Turn::kLater);
  Leave(1);
  EXPECT_EQ(events, "");
  Leave(2);
  EXPECT_EQ(events, "b4");
  Leave(4);
  EXPECT_EQ(events, "b4b5");
  Leave(5);
  EXPECT_EQ(events, "b4b5b6");
}

TEST_F(Queue, OfRunsOnSeveralTasksTheYoungerOneTriesAgain) {
  EXPECT_EQ(Enter(3, false, {{x, true}}), RunQueue::Turn::kNow);
  EXPECT_EQ(Enter(5, false, {{x, true}}), RunQueue::Turn::kAgain);
  EXPECT_EQ(Enter(2, false, {{x, true}}), RunQueue::Turn::kLater);
  // One that waits for a younger run must not find itself behind an older one.
  EXPECT_EQ(Enter(1, false, {{x, true}}), RunQueue::Turn::kLater);
  Leave(3);
  EXPECT_EQ(events, "b1a2");
  // Nor does it queue behind one that waits.
  EXPECT_EQ(Enter(4, true, {{x, true}}), RunQueue::Turn::kLater);
  EXPECT_EQ(Enter(6, false, {{x, true}}), RunQueue::Turn::kAgain);
}

// Clients with runs on several tasks at random, in any order of messages: all come to an end.
TEST(RunQueue, NoCircleForms) {
  constexpr int kTasks = 3, kRuns = 40, kVariables = 2;
  for (uint64_t seed = 0; seed < 200; ++seed) {
    base::SeededRandomness randomness(seed);
    std::vector<std::vector<std::shared_ptr<runtime::VariableCell>>> cells(kTasks);
    for (auto& own : cells) {
      for (int v = 0; v < kVariables; ++v) own.push_back(Cell("v"));
    }
    RunQueue queues[kTasks];
    struct Run {
      std::set<int> tasks;
      int has = 0;
      bool over = false;
      bool again = false;
    };
    std::vector<Run> runs(kRuns);
    std::vector<std::deque<std::function<void()>>> messages(kRuns);  // by run, in order
    int over = 0;
    const auto leave = [&](int run) {
      for (int task : runs[run].tasks) {
        messages[run].push_back([&, run, task] {
          queues[task].Leave({uint64_t(run), 0}, uint64_t(run));
        });
      }
    };
    const auto got = [&](int run) {
      Run& own = runs[run];
      if (own.again || ++own.has < static_cast<int>(own.tasks.size())) return;
      own.over = true;
      ++over;
      leave(run);
    };
    std::function<void(int)> ask = [&](int run) {
      runs[run].has = 0;
      runs[run].again = false;
      for (int task : runs[run].tasks) {
        messages[run].push_back([&, run, task] {
          if (runs[run].again) return;
          std::vector<runtime::VariableUse> uses;
          for (const auto& cell : cells[task]) {
            if (randomness.Chance(0.7)) uses.push_back({cell, randomness.Chance(0.7)});
          }
          const auto refuse = [&, run] {
            if (std::exchange(runs[run].again, true)) return;
            leave(run);
            messages[run].push_back([&, run] { ask(run); });
          };
          const auto turn =
              queues[task].Enter({uint64_t(run), 0}, uint64_t(run), runs[run].tasks.size() == 1,
                                 Uses(uses), {.begin = [&, run] { got(run); }, .again = refuse});
          if (turn == RunQueue::Turn::kNow) got(run);
          if (turn == RunQueue::Turn::kAgain) refuse();
        });
      }
    };
    for (int run = 0; run < kRuns; ++run) {
      while (runs[run].tasks.empty()) {
        for (int task = 0; task < kTasks; ++task) {
          if (randomness.Chance(0.4)) runs[run].tasks.insert(task);
        }
      }
      ask(run);
    }
    for (int step = 0; step < 200000 && over < kRuns; ++step) {
      auto& own = messages[randomness.Below(kRuns)];
      if (own.empty()) continue;
      const auto message = std::move(own.front());
      own.pop_front();
      message();
    }
    EXPECT_EQ(over, kRuns) << "seed " << seed;
  }
}

}  // namespace
}  // namespace lockstep::remote
