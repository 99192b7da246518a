#include "cluster/health.h"

#include <gtest/gtest.h>

namespace lockstep::cluster {
namespace {

using std::chrono::milliseconds;
using std::chrono::seconds;

constexpr base::Duration kLeast = seconds(1), kMost = seconds(2);

class HealthTableTest : public ::testing::Test {
 protected:
  HealthTableTest() {
    leader_.incarnation = 1;
    task_.incarnation = 2;
    table_.Begin({leader_, task_}, now_);
  }
  // So many beats, each answered at once.
  void Beat(int times, base::Duration gap) {
    for (int i = 0; i < times; ++i) {
      now_ += gap;
      table_.Answered(task_, {}, now_);
      table_.Answered(leader_, {}, now_);
    }
  }
  base::Duration Patience() const { return table_.Patience(2, 1, kLeast, kMost); }

  Peer leader_, task_;
  base::Time now_{seconds(100)};
  HealthTable table_;
};

TEST_F(HealthTableTest, WhoAnswersSteadilyIsMissedSoon) {
  EXPECT_EQ(Patience(), kMost) << "it has not answered yet";
  Beat(19, milliseconds(50));
  EXPECT_EQ(Patience(), kMost);
  Beat(1, milliseconds(50));
  EXPECT_EQ(Patience(), kLeast);
}

TEST_F(HealthTableTest, WhoWasHeldUpOfLateGetsMoreTime) {
  Beat(40, milliseconds(50));
  Beat(1, milliseconds(150));
  EXPECT_EQ(Patience(), milliseconds(1500));
  Beat(1, milliseconds(900));
  EXPECT_EQ(Patience(), kMost);
  Beat(1000, milliseconds(50));
  EXPECT_EQ(Patience(), kLeast) << "that is long ago";
}

TEST_F(HealthTableTest, ALeaderThatLooksLateItselfGivesAllMoreTime) {
  Beat(40, milliseconds(50));
  now_ += milliseconds(180);
  table_.Answered(leader_, {}, now_);
  EXPECT_EQ(Patience(), milliseconds(1800));
}

TEST_F(HealthTableTest, NobodyIsSilentWhileTheLeaderItselfIsAway) {
  Beat(40, milliseconds(50));
  now_ += milliseconds(3500);
  table_.Looks(1, now_, kMost);
  EXPECT_EQ(table_.Silence(2, now_), base::Duration(0));
  EXPECT_EQ(Patience(), kMost);
  now_ += milliseconds(400);
  table_.Looks(1, now_, kMost);
  EXPECT_EQ(table_.Silence(2, now_), milliseconds(400)) << "it was away for a moment only";
  Beat(50, milliseconds(50));
  now_ += milliseconds(600);
  table_.Looks(1, now_, kMost);
  EXPECT_EQ(table_.Silence(2, now_), base::Duration(0));
}

TEST_F(HealthTableTest, ALeaderThatIsAwayAgainAndAgainSeesSilenceAllTheSame) {
  Beat(40, milliseconds(50));
  for (int i = 0; i < 5; ++i) {
    now_ += milliseconds(700);
    table_.Looks(1, now_, kMost);
    table_.Answered(leader_, {}, now_);
  }
  EXPECT_GT(table_.Silence(2, now_), kMost);
}

}  // namespace
}  // namespace lockstep::cluster
