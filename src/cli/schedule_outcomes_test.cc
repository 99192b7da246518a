#include "cli/schedule_outcomes.h"

#include <gtest/gtest.h>

namespace lockstep::cli {
namespace {

ScheduledRun Traced(int64_t seed, const std::string& output, const std::string& accesses) {
  ScheduledRun run{.seed = seed, .output = output};
  EXPECT_TRUE(ReadTrace("digest 00ff\nexact 1\n" + accesses, &run));
  return run;
}

TEST(ReadTrace, ReadsWhatASchedulerWrites) {
  const ScheduledRun run = Traced(
      3, "", "access 2 r a.cc:5 my variable\naccess 2 w -:0 x\naccess 2 r a.cc:5 my variable\n");
  EXPECT_EQ(run.digest, "00ff");
  EXPECT_TRUE(run.exact);
  ASSERT_EQ(run.accesses.size(), 3u);
  EXPECT_EQ(run.accesses[0].variable, "my variable");
  EXPECT_EQ(run.accesses[0].ToString(), "read by thread 2 in a.cc:5");
  EXPECT_EQ(run.accesses[1].ToString(), "write by thread 2");
  EXPECT_EQ(run.accesses[2].ToString(), "read by thread 2 in a.cc:5 (time 2)");
}

// A thread that an exception ended makes another outcome, whatever it says; so does no end.
TEST(ReadTrace, TellsFailuresAndMissingEndsApart) {
  const ScheduledRun fine = Traced(0, "4", "");
  const ScheduledRun failed = Traced(1, "4", "failed 3 ValueError: got 1\n");
  const ScheduledRun other = Traced(2, "4", "failed 3 ValueError: got 2\n");
  EXPECT_EQ(failed.failures, std::vector<std::string>{"3 ValueError: got 1"});
  EXPECT_FALSE(fine.SameOutcome(failed));
  EXPECT_TRUE(failed.SameOutcome(other));
  const ScheduledRun waiting = Traced(3, "4", "waits 2 a.py:3\nwaits 3 a.py:4\ngot 2\n");
  EXPECT_EQ(waiting.waits, (std::map<int, std::string>{{3, "a.py:4"}}));
  ScheduledRun stuck = fine;
  stuck.ended = false;
  EXPECT_FALSE(fine.SameOutcome(stuck));
}

TEST(ReadTrace, RefusesOtherText) {
  ScheduledRun run;
  EXPECT_FALSE(ReadTrace("", &run));
  EXPECT_FALSE(ReadTrace("digest\n", &run));
  EXPECT_FALSE(ReadTrace("digest 1\nnonsense\n", &run));
  EXPECT_FALSE(ReadTrace("digest 1\naccess two r a:1 x\n", &run));
}

TEST(GroupByOutcome, PutsTheMostFrequentFirst) {
  const std::vector<ScheduledRun> runs = {Traced(0, "4", ""), Traced(1, "5", ""),
                                          Traced(2, "5", "")};
  const auto outcomes = GroupByOutcome(runs);
  ASSERT_EQ(outcomes.size(), 2u);
  EXPECT_EQ(outcomes[0], (std::vector<size_t>{1, 2}));
  EXPECT_EQ(outcomes[1], (std::vector<size_t>{0}));
}

TEST(Between, GoesFromOneOrderToAnotherByExchanges) {
  const std::vector<int> from = {1, 2, 2, 3}, to = {3, 2, 1, 2};
  const auto none = Between(from, to, 0);
  ASSERT_TRUE(none.has_value());
  EXPECT_EQ(none->turns, from);
  EXPECT_EQ(none->swaps, 4u);
  std::vector<int> before = from;
  for (size_t swaps = 1; swaps <= 4; ++swaps) {
    const auto way = Between(from, to, swaps);
    std::swap(before[way->last], before[way->last + 1]);
    EXPECT_EQ(way->turns, before);
  }
  EXPECT_EQ(before, to);
  EXPECT_FALSE(Between({1, 2}, {1, 1}, 0).has_value());
  EXPECT_FALSE(Between({1, 2}, {1}, 0).has_value());
}

TEST(ConflictAt, NamesTheAccessesOfTwoTurns) {
  ScheduledRun run;
  ASSERT_TRUE(
      ReadTrace("digest 1\naccess 1 w a.cc:1 x\nturn 2\naccess 2 r a.cc:1 y\n"
                "access 2 r a.cc:2 x\nturn 3\naccess 3 r a.cc:3 y\n"
                "access 3 w a.cc:4 x\nturn 2\nturn 3\n",
                &run));
  EXPECT_EQ(run.turns, (std::vector<int>{2, 3, 2, 3}));
  const auto pair = ConflictAt(run, 0);
  ASSERT_TRUE(pair.has_value());
  EXPECT_EQ(pair->first.ToString(), "read by thread 2 in a.cc:2");
  EXPECT_EQ(pair->second.ToString(), "write by thread 3 in a.cc:4");
  EXPECT_FALSE(ConflictAt(run, 1).has_value());
  EXPECT_FALSE(ConflictAt(run, 3).has_value());
}

constexpr const char* kRead2 = "access 2 r a.cc:1 x\n";
constexpr const char* kWrite2 = "access 2 w a.cc:2 x\n";
constexpr const char* kRead3 = "access 3 r a.cc:1 x\n";
constexpr const char* kWrite3 = "access 3 w a.cc:2 x\n";
constexpr const char* kOther = "access 4 w b.cc:1 y\n";

std::string Joined(const std::vector<const char*>& lines) {
  std::string text;
  for (const char* line : lines) text += line;
  return text;
}

TEST(FindDecidingPair, NamesTheOneOrderInWhichTwoSchedulesDiffer) {
  const std::vector<ScheduledRun> runs = {
      Traced(10, "2", Joined({kRead2, kWrite2, kOther, kRead3, kWrite3})),
      Traced(11, "2", Joined({kRead3, kOther, kWrite3, kRead2, kWrite2})),
      Traced(12, "1", Joined({kRead2, kRead3, kWrite2, kWrite3, kOther})),
      Traced(13, "2", Joined({kOther, kRead2, kWrite2, kRead3, kWrite3})),
      Traced(14, "1", Joined({kRead3, kRead2, kWrite3, kWrite2, kOther}))};
  const auto outcomes = GroupByOutcome(runs);
  ASSERT_EQ(outcomes[0].size(), 3u);
  const auto pair = FindDecidingPair(runs, outcomes[0], outcomes[1]);
  ASSERT_TRUE(pair.has_value());
  // 2 writes before 3 reads: nothing is lost. Seed 12 differs from seed 10 in this alone.
  EXPECT_EQ(pair->first, (TracedAccess{2, true, "a.cc:2", "x", 0}));
  EXPECT_EQ(pair->second, (TracedAccess{3, false, "a.cc:1", "x", 0}));
  EXPECT_EQ(pair->orders, 1);
  EXPECT_TRUE(pair->seed == 10 || pair->seed == 13);
  EXPECT_EQ(pair->other_seed, 12);
  EXPECT_NEAR(pair->in_outcome, 2.0 / 3, 1e-9);
  EXPECT_EQ(pair->in_other, 0);
}

TEST(FindDecidingPair, NamesOpsOfAGraph) {
  const std::vector<ScheduledRun> runs = {
      Traced(0, "1", "op 1 w add x\nop 1 r read x\nop 1 r again x\n"),
      Traced(1, "2", "op 1 r read x\nop 1 w add x\nop 1 r again x\n")};
  const auto pair = FindDecidingPair(runs, {0}, {1});
  ASSERT_TRUE(pair.has_value());
  EXPECT_EQ(pair->first.ToString(), "write by op add");
  EXPECT_EQ(pair->second.ToString(), "read by op read");
  EXPECT_EQ(pair->orders, 1);
}

TEST(FindDecidingPair, SaysHowManyOrdersDiffer) {
  const std::vector<ScheduledRun> runs = {
      Traced(0, "2", Joined({kRead2, kWrite2, kRead3, kWrite3})),
      Traced(1, "1", Joined({kRead3, kRead2, kWrite3, kWrite2}))};
  const auto pair = FindDecidingPair(runs, {0}, {1});
  ASSERT_TRUE(pair.has_value());
  EXPECT_EQ(pair->orders, 2);  // 2 writes before 3 reads, and before 3 writes
}

TEST(FindDecidingPair, FindsNoneAmongReads) {
  const std::vector<ScheduledRun> runs = {
      Traced(0, "a", "access 1 r a.cc:1 x\naccess 2 r a.cc:1 x\n"),
      Traced(1, "b", "access 2 r a.cc:1 x\naccess 1 r a.cc:1 x\n")};
  EXPECT_FALSE(FindDecidingPair(runs, {0}, {1}).has_value());
}

}  // namespace
}  // namespace lockstep::cli
