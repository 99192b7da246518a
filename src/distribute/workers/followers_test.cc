#include "distribute/workers/followers.h"

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <optional>
#include <vector>

#include "distribute/workers/worker_threads_test.h"

namespace lockstep::distribute {
namespace {

// What a program with exchanges does in each run, but for these.
uint32_t RunOf(Communicator& ranks, const Roles& roles, uint64_t spacing, uint32_t notes = 0) {
  const bool rests = roles.Rests(ranks.rank());
  const uint64_t step = ranks.NextStep();
  ranks.followers().BeginRun(roles, ranks.notes().runs() + 1, step, spacing, false);
  const uint32_t told = ranks.BeginNotes(rests);
  std::optional<Status> status;
  ranks.followers().WhenNear([&](const Status& near) { status = near; });
  ranks.WaitUntil([&] { return status.has_value(); });
  EXPECT_TRUE(status->ok());
  ranks.notes().BringsNotes();
  ranks.notes().EndRun(ranks.followers().EndRun(rests));
  ranks.followers().Hear(notes);
  return told;
}

void Pause(Communicator& ranks, base::Duration length) {
  bool is_over = false;
  ranks.executor().PostAfter(length, [&is_over] { is_over = true; });
  ranks.WaitUntil([&is_over] { return is_over; });
}

// One that works, one that takes its time.
struct Pair {
  const Roles roles = Roles(2).WithResting({false, true});
  std::atomic<uint64_t> begun{0};  // by who rests
  std::atomic<uint64_t> longest_lead{0};

  void Run(uint64_t runs, uint64_t spacing, uint32_t notes = 0) {
    RunWorkers(2, [&](const std::shared_ptr<Communicator>& ranks) {
      for (uint64_t run = 1; run <= runs; ++run) {
        if (ranks->rank() == 1) {
          Pause(*ranks, std::chrono::microseconds(300));
          begun = run;
        }
        RunOf(*ranks, roles, spacing, notes);
        if (ranks->rank() == 1) continue;
        const uint64_t behind = begun;
        longest_lead = std::max<uint64_t>(longest_lead, run - std::min(run, behind));
        EXPECT_LE(ranks->notes().all_began(), behind) << "in run " << run;
      }
    });
  }
};

TEST(Followers, WhoWorksIsAheadAsFarAsItMay) {
  for (const uint64_t spacing : {uint64_t{3}, uint64_t{32}}) {
    Pair pair;
    pair.Run(150, spacing, kPaceNote * 32);
    EXPECT_LE(pair.longest_lead, 2 * spacing);
    EXPECT_GT(pair.longest_lead, spacing / 2) << "nobody waits for each single run";
  }
}

TEST(Followers, WhereRunsAreLongTheyTellMoreOften) {
  Pair pair;
  pair.Run(60, Followers::kMostRuns, kPaceNote * (1 + 4));
  EXPECT_LE(pair.longest_lead, 2 * Followers::kFewestRuns);
}

// So raised where each run takes longer than that, by who works.
TEST(Followers, WhoWorksTellsThatRunsAreLong) {
  const Roles roles = Roles(2).WithResting({false, true});
  for (const auto pause : {base::Duration{}, 2 * Followers::kBetweenMessages / 8}) {
    RunWorkers(2, [&](const std::shared_ptr<Communicator>& ranks) {
      for (int run = 0; run < 8; ++run) {
        if (ranks->rank() == 0) Pause(*ranks, pause);
        RunOf(*ranks, roles, 2);
      }
      const uint32_t told = ranks->notes().own() & kPaceNotes;
      EXPECT_EQ(told == kPaceNote, ranks->rank() == 0 && pause > base::Duration{});
      EXPECT_EQ(told == 0, ranks->rank() == 1);
    });
  }
}

TEST(Followers, WhereRunsCarryMuchNobodyIsBehind) {
  Pair pair;
  pair.Run(20, 0);
  EXPECT_EQ(pair.longest_lead, 0u);
}

TEST(Followers, MuchIsNotKeptForThemOftenTimes) {
  EXPECT_EQ(Followers::SpacingFor(0), Followers::kMostRuns);
  EXPECT_EQ(Followers::SpacingFor(1 << 16), Followers::kMostRuns);
  EXPECT_EQ(Followers::SpacingFor(1 << 19), 32u);
  EXPECT_EQ(Followers::SpacingFor(5 << 20), 3u);
  EXPECT_EQ(Followers::SpacingFor(int64_t{1} << 40), 0u);
}

// Runs are not silent where somebody is to be heard soon.
TEST(Followers, RunsInBetweenMayBeSilent) {
  const Roles roles = Roles(2).WithResting({false, true});
  for (const uint32_t pace : {uint32_t{kPaceNote}, uint32_t{kPaceNote} * 2}) {
    RunWorkers(2, [&](const std::shared_ptr<Communicator>& ranks) {
      std::vector<uint64_t> heard;
      ranks->followers().Hear(pace);
      for (uint64_t run = 1; run <= 40; ++run) {
        const bool may_be_silent = run != 20;
        if (!ranks->followers().BeginRun(roles, run, ranks->NextStep(), /*most=*/3, may_be_silent))
          heard.push_back(run);
        std::optional<Status> status;
        ranks->followers().WhenNear([&](const Status& near) { status = near; });
        ranks->WaitUntil([&] { return status.has_value(); });
        ranks->followers().EndRun(roles.Rests(ranks->rank()));
      }
      if (pace == kPaceNote) {
        EXPECT_EQ(heard.size(), 40u);
      } else {
        EXPECT_EQ(heard, (std::vector<uint64_t>{1, 17, 20, 36}));
      }
    });
  }
}

TEST(Followers, WhatTheyTellIsPassedOn) {
  const Roles roles = Roles(3).WithResting({false, false, true});
  RunWorkers(3, [&](const std::shared_ptr<Communicator>& ranks) {
    if (ranks->rank() == 2) ranks->notes().Raise(kStopNote);
    bool heard = false;
    for (uint64_t run = 0; run <= Followers::kMostLead; ++run)
      heard = (RunOf(*ranks, roles, Followers::kMostRuns) & kStopNote) != 0 || heard;
    EXPECT_TRUE(heard);
  });
}

// A rank that rests knows of a run that all have begun when who works has ended a later one.
TEST(Followers, WhatAllHaveBegunIsKnown) {
  const Roles roles = Roles(2).WithResting({false, true});
  RunWorkers(2, [&](const std::shared_ptr<Communicator>& ranks) {
    for (int run = 1; run <= 5; ++run) RunOf(*ranks, roles, 2);
    // Runs 1, 3 and 5 told; that of 3 was waited for in run 5, that of 1 in run 3.
    EXPECT_EQ(ranks->notes().all_began(), ranks->rank() == 0 ? 3u : 1u);
  });
}

TEST(Followers, WaitingEndsWithTheEpoch) {
  const Roles roles = Roles(2).WithResting({false, true});
  RunWorkers(2, [&](const std::shared_ptr<Communicator>& ranks) {
    if (ranks->rank() == 1) {
      ranks->group().Abort(Status(Code::kUnavailable, "somebody died"));
      return;
    }
    const uint64_t step = ranks->NextStep();
    ranks->followers().BeginRun(roles, ranks->notes().runs() + 1, step, 0, false);
    ranks->BeginNotes();
    std::optional<Status> status;
    ranks->followers().WhenNear([&](const Status& near) { status = near; });
    ranks->WaitUntil([&] { return status.has_value(); });
    EXPECT_EQ(status->code(), Code::kAborted);
  });
}

}  // namespace
}  // namespace lockstep::distribute
