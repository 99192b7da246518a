#include "cluster/launch/policy.h"

#include <gtest/gtest.h>

#include <csignal>

namespace lockstep::cluster {
namespace {

using Action = LaunchPolicy::Action;
using Actions = std::vector<Action>;
constexpr auto kStart = Action::Kind::kStart;
constexpr auto kSignal = Action::Kind::kSignal;
const base::ProcessEnd kDone{}, kFailed{.status = 3}, kKilled{.signal = 9};

std::vector<TaskName> Workers(int count) {
  std::vector<TaskName> tasks;
  for (int i = 0; i < count; ++i) tasks.push_back({"worker", i});
  return tasks;
}

TEST(LaunchPolicy, EndsWithZeroWhenAllDo) {
  LaunchPolicy policy(Workers(2), {});
  EXPECT_EQ(policy.Begin(), (Actions{{kStart, 0}, {kStart, 1}}));
  EXPECT_EQ(policy.Ended(1, kDone), Actions{});
  EXPECT_FALSE(policy.finished());
  EXPECT_EQ(policy.Ended(0, kDone), Actions{});
  EXPECT_TRUE(policy.finished());
  EXPECT_EQ(policy.exit_status(), 0);
}

TEST(LaunchPolicy, FailsByTheFirstThatFailed) {
  LaunchPolicy policy(Workers(3), {});
  policy.Begin();
  EXPECT_EQ(policy.Ended(1, kKilled), (Actions{{kSignal, 0, SIGTERM}, {kSignal, 2, SIGTERM}}));
  EXPECT_EQ(policy.Ended(0, {.signal = SIGTERM}), Actions{});
  EXPECT_EQ(policy.GraceOver(), (Actions{{kSignal, 2, SIGKILL}}));
  policy.Ended(2, kKilled);
  EXPECT_TRUE(policy.finished());
  EXPECT_EQ(policy.exit_status(), 137);
  EXPECT_EQ(policy.failed_task(), 1);
}

TEST(LaunchPolicy, RestartsATaskThatDied) {
  for (const base::ProcessEnd& death : {kKilled, base::ProcessEnd{.status = 128 + SIGKILL}}) {
    LaunchPolicy policy(Workers(2), {.max_restarts = 2, .min_workers = 1});
    policy.Begin();
    for (int i = 1; i <= 2; ++i) {
      EXPECT_EQ(policy.Ended(0, death), (Actions{{kStart, 0}}));
      EXPECT_EQ(policy.restarts(0), i);
      EXPECT_TRUE(policy.running(0));
    }
    EXPECT_EQ(policy.Ended(0, death), Actions{});
    EXPECT_TRUE(policy.lost(0));
    policy.Ended(1, kDone);
    EXPECT_EQ(policy.exit_status(), 0);
  }
}

TEST(LaunchPolicy, ContinuesWithoutATaskThatWasAskedToEnd) {
  for (const int signal : {SIGINT, SIGTERM, SIGHUP}) {
    LaunchPolicy policy(Workers(2), {.max_restarts = 2, .min_workers = 1});
    policy.Begin();
    EXPECT_EQ(policy.Ended(1, {.signal = signal}), Actions{});
    EXPECT_TRUE(policy.lost(1));
    EXPECT_EQ(policy.Ended(0, {.signal = signal}), Actions{});
    EXPECT_TRUE(policy.finished());
    EXPECT_EQ(policy.exit_status(), 128 + signal);
  }
}

TEST(LaunchPolicy, FailsByAnErrorOfTheProgram) {
  LaunchPolicy policy(Workers(3), {.max_restarts = 3, .min_workers = 1});
  policy.Begin();
  policy.Ended(2, kKilled);
  EXPECT_EQ(policy.Ended(1, kFailed), (Actions{{kSignal, 0, SIGTERM}, {kSignal, 2, SIGTERM}}));
  policy.Ended(0, {.signal = SIGTERM});
  policy.Ended(2, {.signal = SIGTERM});
  EXPECT_TRUE(policy.finished());
  EXPECT_EQ(policy.exit_status(), 3);
}

TEST(LaunchPolicy, ContinuesWithoutATaskThatDiedAndCannotJoinAgain) {
  LaunchPolicy policy(Workers(2), {.max_restarts = 2, .min_workers = 1});
  policy.Begin();
  EXPECT_EQ(policy.Ended(1, kKilled), (Actions{{kStart, 1}}));
  EXPECT_EQ(policy.Ended(1, kFailed), (Actions{{kStart, 1}}));
  EXPECT_EQ(policy.Ended(1, kFailed), Actions{});
  EXPECT_TRUE(policy.lost(1));
  policy.Ended(0, kDone);
  EXPECT_EQ(policy.exit_status(), 0);
}

TEST(LaunchPolicy, RestartsErrorsIfAllowedThenFails) {
  LaunchPolicy policy(Workers(2), {.max_restarts = 2, .min_workers = 1, .restart_errors = true});
  policy.Begin();
  for (int i = 1; i <= 2; ++i) {
    EXPECT_EQ(policy.Ended(0, kFailed), (Actions{{kStart, 0}}));
    EXPECT_EQ(policy.restarts(0), i);
    EXPECT_TRUE(policy.running(0));
  }
  EXPECT_EQ(policy.Ended(0, kFailed), (Actions{{kSignal, 1, SIGTERM}}));
  policy.Ended(1, kDone);
  EXPECT_EQ(policy.exit_status(), 3);
}

TEST(LaunchPolicy, DoesNotTryAgainWhatCannotBeStarted) {
  LaunchPolicy policy(Workers(2), {.max_restarts = 2});
  policy.Begin();
  EXPECT_EQ(policy.CannotStart(0, {.status = 127}), (Actions{{kSignal, 1, SIGTERM}}));
  policy.Ended(1, kDone);
  EXPECT_EQ(policy.exit_status(), 127);
}

TEST(LaunchPolicy, GoesOnWhileEnoughWorkersAreLeft) {
  LaunchPolicy policy(Workers(4), {.min_workers = 2});
  policy.Begin();
  EXPECT_EQ(policy.Ended(0, kKilled), Actions{});
  EXPECT_EQ(policy.Ended(3, kKilled), Actions{});
  EXPECT_TRUE(policy.lost(3));
  EXPECT_EQ(policy.exit_status(), 0);
  policy.Ended(1, kDone);
  EXPECT_FALSE(policy.finished());
  // One would be too few.
  EXPECT_EQ(policy.Ended(2, kKilled), Actions{});
  EXPECT_TRUE(policy.finished());
  EXPECT_EQ(policy.exit_status(), 137);
}

TEST(LaunchPolicy, StopsServersWhenTheOthersHaveEnded) {
  LaunchPolicy policy({{"chief", 0}, {"worker", 0}, {"ps", 0}, {"ps", 1}}, {});
  policy.Begin();
  EXPECT_EQ(policy.Ended(0, kDone), Actions{});
  EXPECT_EQ(policy.Ended(1, kDone), (Actions{{kSignal, 2, SIGTERM}, {kSignal, 3, SIGTERM}}));
  policy.Ended(2, {.signal = SIGTERM});
  EXPECT_EQ(policy.Ended(3, kFailed), Actions{});
  EXPECT_TRUE(policy.finished());
  EXPECT_EQ(policy.exit_status(), 0);
  // A server that fails while it is needed fails the job.
  LaunchPolicy other({{"worker", 0}, {"ps", 0}}, {.min_workers = 1});
  other.Begin();
  EXPECT_EQ(other.Ended(1, kFailed), (Actions{{kSignal, 0, SIGTERM}}));
}

TEST(LaunchPolicy, GoesOnWhileEnoughServersAreLeft) {
  const std::vector<TaskName> tasks{{"worker", 0}, {"ps", 0}, {"ps", 1}, {"ps", 2}};
  LaunchPolicy one(tasks, {.min_servers = 1});
  one.Begin();
  EXPECT_EQ(one.Ended(1, kKilled), Actions{});
  EXPECT_EQ(one.Ended(2, kKilled), Actions{});
  EXPECT_TRUE(one.lost(2));
  EXPECT_EQ(one.Ended(3, kKilled), (Actions{{kSignal, 0, SIGTERM}}));
  EXPECT_EQ(one.failed_task(), 3);
  // Workers are another matter.
  LaunchPolicy none(tasks, {.max_restarts = 1, .min_servers = 0});
  none.Begin();
  for (int server : {1, 2, 3}) {
    EXPECT_EQ(none.Ended(server, kKilled), (Actions{{kStart, server}}));
    EXPECT_EQ(none.Ended(server, kKilled), Actions{});
  }
  none.Ended(0, kKilled);
  EXPECT_EQ(none.Ended(0, kFailed), Actions{});
  EXPECT_TRUE(none.finished());
  EXPECT_EQ(none.exit_status(), 3);
}

TEST(LaunchPolicy, AsksTheEvaluatorToEndThenStopsServers) {
  LaunchPolicy policy({{"worker", 0}, {"ps", 0}, {"evaluator", 0}}, {.max_restarts = 1});
  policy.Begin();
  const Action ask{kSignal, 2, SIGTERM, /*has_time=*/true};
  EXPECT_EQ(policy.Ended(0, kDone), Actions{ask});
  EXPECT_FALSE(policy.stopping());
  EXPECT_TRUE(policy.leaving(2));
  // However it ends.
  EXPECT_EQ(policy.Ended(2, {.signal = SIGTERM}), (Actions{{kSignal, 1, SIGTERM}}));
  policy.Ended(1, {.signal = SIGTERM});
  EXPECT_TRUE(policy.finished());
  EXPECT_EQ(policy.exit_status(), 0);
  // One that ends by itself is asked nothing; one that fails before is started again.
  LaunchPolicy other({{"worker", 0}, {"evaluator", 0}}, {.max_restarts = 1});
  other.Begin();
  EXPECT_EQ(other.Ended(1, kKilled), (Actions{{kStart, 1}}));
  EXPECT_EQ(other.Ended(1, kDone), Actions{});
  EXPECT_EQ(other.Ended(0, kDone), Actions{});
  EXPECT_TRUE(other.finished());
}

TEST(LaunchPolicy, GrowsAndShrinks) {
  LaunchPolicy policy(Workers(3), {.min_workers = 1});
  policy.Begin();
  EXPECT_EQ(policy.Shrink(), (Actions{{kSignal, 2, SIGTERM}}));
  EXPECT_EQ(policy.Shrink(), (Actions{{kSignal, 1, SIGTERM}}));
  EXPECT_EQ(policy.Shrink(), Actions{});  // one must be left
  EXPECT_EQ(policy.Ended(2, {.signal = SIGTERM}), Actions{});
  EXPECT_EQ(policy.Ended(1, kDone), Actions{});
  EXPECT_EQ(policy.Grow(4), 1);
  EXPECT_EQ(policy.restarts(1), 1);
  EXPECT_EQ(policy.Grow(4), 2);
  EXPECT_EQ(policy.Grow(4), 3);
  EXPECT_EQ(policy.name(3).ToString(), "worker 3");
  EXPECT_EQ(policy.Grow(4), std::nullopt);
  // Those who came are tasks as the others are.
  EXPECT_EQ(policy.Ended(3, kKilled), Actions{});
  EXPECT_TRUE(policy.lost(3));
  for (int i = 0; i < 3; ++i) policy.Ended(i, kDone);
  EXPECT_TRUE(policy.finished());
  EXPECT_EQ(policy.exit_status(), 0);
  EXPECT_EQ(policy.Grow(4), std::nullopt);
}

TEST(LaunchPolicy, WhoWasAskedToLeaveIsNotLeft) {
  LaunchPolicy policy(Workers(2), {.min_workers = 1});
  policy.Begin();
  policy.Shrink();
  policy.Ended(1, kDone);
  EXPECT_EQ(policy.Recall(1), (Actions{{kStart, 1}}));
  EXPECT_TRUE(policy.running(1));
  policy.Shrink();
  policy.Ended(1, kDone);
  EXPECT_EQ(policy.Ended(0, kKilled), Actions{});
  EXPECT_FALSE(policy.lost(0));
  EXPECT_TRUE(policy.finished());
  EXPECT_EQ(policy.exit_status(), 137);
}

TEST(LaunchPolicy, HandsSignalsOnAndKillsAtTheSecond) {
  LaunchPolicy policy(Workers(2), {.max_restarts = 5});
  policy.Begin();
  EXPECT_EQ(policy.Interrupted(SIGINT), (Actions{{kSignal, 0, SIGINT}, {kSignal, 1, SIGINT}}));
  EXPECT_EQ(policy.Ended(0, kDone), Actions{});
  EXPECT_EQ(policy.Interrupted(SIGINT), (Actions{{kSignal, 1, SIGKILL}}));
  // Nobody who was told to stop is started again.
  EXPECT_EQ(policy.Ended(1, {.signal = SIGINT}), Actions{});
  EXPECT_EQ(policy.exit_status(), 130);
  // Who saves and returns 0 makes the job return 0.
  LaunchPolicy graceful(Workers(1), {});
  graceful.Begin();
  graceful.Interrupted(SIGTERM);
  graceful.Ended(0, kDone);
  EXPECT_EQ(graceful.exit_status(), 0);
}

}  // namespace
}  // namespace lockstep::cluster
