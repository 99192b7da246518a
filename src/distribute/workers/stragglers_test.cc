#include "distribute/workers/stragglers.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace lockstep::distribute {
namespace {

using std::chrono::microseconds;

constexpr int64_t kRuns = 10;

// Ranks that take `slowness` milliseconds for each of their examples.
std::vector<WorkReport> Reports(const std::vector<int>& slowness,
                                const std::vector<int64_t>& examples) {
  std::vector<WorkReport> reports(slowness.size());
  for (size_t rank = 0; rank < slowness.size(); ++rank) {
    reports[rank].input = reports[rank].callback = microseconds(100 * kRuns);
    reports[rank].examples = examples[rank] * kRuns;
    reports[rank].step = microseconds(1000 * slowness[rank] * reports[rank].examples);
  }
  return reports;
}

TEST(Stragglers, AreNamedWhenTheyAreSlowTwice) {
  Stragglers stragglers(4);
  EXPECT_FALSE(stragglers.Take(Reports({1, 1, 5, 1}, {4, 4, 4, 4}), kRuns));
  EXPECT_FALSE(stragglers.Take(Reports({1, 1, 1, 1}, {4, 4, 4, 4}), kRuns));
  EXPECT_FALSE(stragglers.Take(Reports({1, 1, 5, 1}, {4, 4, 4, 4}), kRuns));
  EXPECT_TRUE(stragglers.findings().empty());
  EXPECT_TRUE(stragglers.Take(Reports({1, 1, 5, 1}, {4, 4, 4, 4}), kRuns));
  EXPECT_EQ(stragglers.slowness(), (std::vector<double>{1, 1, 5, 1}));
  ASSERT_EQ(stragglers.findings().size(), 1u);
  const Stragglers::Finding& finding = stragglers.findings()[0];
  EXPECT_EQ(finding.rank, 2);
  EXPECT_EQ(finding.at, "step");
  EXPECT_EQ(finding.times, 5);
  EXPECT_EQ(finding.usual_ms, 4);
  EXPECT_EQ(finding.own_ms, 20);
  // With fewer leaves it is as slow, and about as slow changes nothing.
  EXPECT_FALSE(stragglers.Take(Reports({1, 1, 6, 1}, {5, 5, 1, 5}), kRuns));
  EXPECT_TRUE(stragglers.findings().empty());
  EXPECT_TRUE(stragglers.Take(Reports({1, 1, 9, 1}, {5, 5, 1, 5}), kRuns));
  EXPECT_EQ(stragglers.slowness()[2], 9);
  EXPECT_TRUE(stragglers.Take(Reports({1, 1, 1, 1}, {5, 5, 1, 5}), kRuns));
  EXPECT_EQ(stragglers.slowness(), (std::vector<double>(4, 1)));
  ASSERT_EQ(stragglers.findings().size(), 1u);
  EXPECT_EQ(stragglers.findings()[0].at, "");
}

TEST(Stragglers, OfTwoTheFasterOneIsUsual) {
  Stragglers stragglers(2);
  for (int i = 0; i < 2; ++i) stragglers.Take(Reports({3, 1}, {4, 4}), kRuns);
  EXPECT_EQ(stragglers.slowness(), (std::vector<double>{3, 1}));
}

TEST(Stragglers, WhoHasNothingToDoIsTriedAgainLaterAndLater) {
  Stragglers stragglers(3);
  std::vector<int> tried;
  std::vector<int64_t> examples{2, 2, 2};
  for (int report = 0; report < 200; ++report) {
    if (!stragglers.Take(Reports({1, 1, 9}, examples), kRuns)) continue;
    const bool is_even = stragglers.slowness()[2] == 1;
    examples = is_even ? std::vector<int64_t>{2, 2, 2} : std::vector<int64_t>{3, 3, 0};
    if (is_even) tried.push_back(report);
  }
  EXPECT_EQ(tried, (std::vector<int>{17, 51, 117}));
}

TEST(Stragglers, AreNamedForWhatElseTheyDo) {
  Stragglers stragglers(5);
  auto reports = Reports({1, 1, 1, 1, 1}, {4, 4, 4, 4, 4});
  reports[1].input = microseconds(9000 * kRuns);     // where a run takes 4.2 ms
  reports[2].callback = microseconds(8000 * kRuns);  // less than twice a run
  for (int i = 0; i < 2; ++i) EXPECT_FALSE(stragglers.Take(reports, kRuns));
  ASSERT_EQ(stragglers.findings().size(), 1u);
  EXPECT_EQ(stragglers.findings()[0].rank, 1);
  EXPECT_EQ(stragglers.findings()[0].at, "input");
  EXPECT_EQ(stragglers.findings()[0].own_ms, 9);
}

TEST(Stragglers, WorkThatTakesNoTimeIsNobodysFault) {
  Stragglers stragglers(2);
  std::vector<WorkReport> reports(2);
  for (WorkReport& report : reports) report.examples = kRuns;
  reports[0].step = microseconds(19 * kRuns);
  reports[1].step = microseconds(kRuns);
  for (int i = 0; i < 3; ++i) EXPECT_FALSE(stragglers.Take(reports, kRuns));
}

// How long the slowest is at work.
double Makespan(const std::vector<uint32_t>& counts, const std::vector<double>& slowness) {
  double longest = 0;
  for (size_t rank = 0; rank < counts.size(); ++rank)
    longest = std::max(longest, counts[rank] * slowness[rank]);
  return longest;
}

TEST(DivideBySlowness, GivesEachWhatItCanDo) {
  const std::vector<bool> all(4, true);
  EXPECT_EQ(DivideBySlowness(16, {1, 1, 5, 1}, all), (std::vector<uint32_t>{5, 5, 1, 5}));
  EXPECT_EQ(DivideBySlowness(8, {1, 1, 5, 1}, all), (std::vector<uint32_t>{3, 3, 0, 2}));
  EXPECT_EQ(DivideBySlowness(0, {1, 1, 5, 1}, all), (std::vector<uint32_t>(4, 0)));
  EXPECT_EQ(DivideBySlowness(6, {1, 2, 1, 1}, {false, true, true, false}),
            (std::vector<uint32_t>{0, 2, 4, 0}));
}

// One worker of several that is 5 times slower keeps the others up by less than a third, where
// each has 16 leaves or more.
TEST(DivideBySlowness, KeepsAStepShort) {
  for (uint32_t workers : {4, 6, 8, 16}) {
    std::vector<double> slowness(workers, 1);
    slowness[workers / 2] = 5;
    const auto counts = DivideBySlowness(16 * workers, slowness, std::vector<bool>(workers, true));
    EXPECT_LE(Makespan(counts, slowness), 1.3 * 16) << workers << " workers";
  }
}

}  // namespace
}  // namespace lockstep::distribute
