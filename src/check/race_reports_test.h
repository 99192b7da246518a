#pragma once

#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <thread>
#include <vector>

#include "lockstep/check/races.h"

/// What the tests of race checks share: threads that take turns, and the reports that follow.
namespace lockstep {

// Two threads that take turns in a given order, by a flag that the check does not see.
class Turns {
 public:
  void Begin(int turn) const {
    while (turn_.load() != turn) std::this_thread::yield();
  }
  void End() { turn_.fetch_add(1); }

 private:
  std::atomic<int> turn_{0};
};

// For a fixture: warns of races, from no report to none.
class RaceReportsTest {
 protected:
  RaceReportsTest() {
    SetRaceCheck(RaceCheck::kWarn);
    TakeRaceReports();
  }
  ~RaceReportsTest() {
    SetRaceCheck(RaceCheck::kWarn);
    TakeRaceReports();
  }

  // `first` and `last` on this thread, `between` on another that nothing orders with it. What
  // `last` throws is thrown.
  static void Interleave(const std::function<void()>& first, const std::function<void()>& between,
                         const std::function<void()>& last) {
    Turns turns;
    std::thread other([&] {
      turns.Begin(1);
      between();
      turns.End();
    });
    first();
    turns.End();
    turns.Begin(2);
    try {
      last();
    } catch (...) {
      other.join();
      throw;
    }
    other.join();
  }
  // The only report; fails where there is none, or another.
  static RaceReport Only() {
    const std::vector<RaceReport> reports = TakeRaceReports();
    EXPECT_EQ(reports.size(), 1u);
    return reports.empty() ? RaceReport{} : reports[0];
  }
  static void ExpectNone() {
    for (const RaceReport& report : TakeRaceReports()) ADD_FAILURE() << report.ToString();
  }
};

}  // namespace lockstep
