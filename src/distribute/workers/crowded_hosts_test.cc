#include "distribute/workers/crowded_hosts.h"

#include <gtest/gtest.h>

#include "distribute/workers/worker_threads_test.h"

namespace lockstep::distribute {
namespace {

std::vector<int> Sharers(const Roles& roles, const std::vector<HostPlace>& places) {
  return LetRest(roles, places).leaf_ranks();
}

TEST(CrowdedHosts, AsManyWorkAsThereAreCores) {
  EXPECT_EQ(Sharers(Roles(8), OnOneHost(8, 2)), (std::vector<int>{0, 1}));
  EXPECT_EQ(Sharers(Roles(2), OnOneHost(2, 2)), (std::vector<int>{0, 1}));
  EXPECT_EQ(Sharers(Roles(3), OnOneHost(3, 1)), (std::vector<int>{0}));
  EXPECT_EQ(LetRest(Roles(2), OnOneHost(2, 4)), Roles(2));
}

// 0, 2 and 4 are on one host with two cores, 1 and 3 on another with one; what one of two says of
// their host is enough.
TEST(CrowdedHosts, EachHostHasItsOwnCores) {
  const std::vector<HostPlace> places{
      {{0, 1}, {2}}, {{0}, {3}}, {{0, 1}, {4}}, {{0}, {}}, {{0, 1}, {0}}};
  EXPECT_EQ(Sharers(Roles(5), places), (std::vector<int>{0, 1, 2}));
}

TEST(CrowdedHosts, WorkersThatAreHeldToOneCoreEachHaveTheirs) {
  const std::vector<HostPlace> places{{{0}, {1, 2}}, {{1}, {0, 2}}, {{0}, {0, 1}}};
  EXPECT_EQ(Sharers(Roles(3), places), (std::vector<int>{0, 1}));
}

// The first one takes the core that the second one can't use, and so on.
TEST(CrowdedHosts, NoCoreStaysIdleThatSomebodyCouldUse) {
  EXPECT_EQ(LetRest(Roles(2), {{{0, 1}, {1}}, {{0}, {0}}}), Roles(2));
  EXPECT_EQ(LetRest(Roles(3), {{{0, 1}, {1, 2}}, {{0, 2}, {0}}, {{0}, {0}}}), Roles(3));
  const std::vector<HostPlace> places{{{0, 1}, {1, 2}}, {{0}, {0}}, {{0, 1}, {0}}};
  EXPECT_EQ(Sharers(Roles(3), places), (std::vector<int>{0, 1}));
}

TEST(CrowdedHosts, WhereNobodySharesMemoryNobodyRests) {
  const std::vector<HostPlace> places{{{0}, {}}, {{0}, {}}, {{0}, {}}};
  EXPECT_EQ(LetRest(Roles(3), places), Roles(3));
}

TEST(CrowdedHosts, WhereThereAreServersNobodyRests) {
  EXPECT_EQ(LetRest(Roles::Of(3, 1), OnOneHost(4, 1)), Roles::Of(3, 1));
}

TEST(CrowdedHosts, WhoRestsHasNeitherLeavesNorRows) {
  const Roles roles = Roles(4).WithResting({false, true, false, true});
  EXPECT_EQ(roles.num_ranks(), 4);
  EXPECT_TRUE(roles.Rests(1));
  EXPECT_EQ(roles.WorkerOf(1), -1);
  EXPECT_EQ(roles.Divide(8, roles.row_ranks()), (std::vector<int64_t>{0, 4, 4, 8, 8}));
  EXPECT_NE(roles, Roles(4));
}

TEST(CrowdedHosts, RanksTellEachOtherWhereTheyRun) {
  RunWorkers(3, [](const std::shared_ptr<Communicator>& ranks) {
    const std::vector<HostPlace> places = GatherHostPlaces(*ranks);
    ASSERT_EQ(places.size(), 3u);
    for (const HostPlace& place : places) EXPECT_EQ(place.cores, HostPlaceOf(*ranks).cores);
  });
}

// What one that rests tells is heard by all when the others have passed it on.
TEST(CrowdedHosts, NotesOfWhoRestsAreHeardARunLater) {
  RunWorkers(2, [](const std::shared_ptr<Communicator>& ranks) {
    ranks->notes().HearToPassOn(kStopNote);
    ranks->notes().EndRun();
    EXPECT_EQ(ranks->heard(), 0u);
    EXPECT_EQ(ranks->BeginNotes(), uint32_t{kStopNote});
    ranks->notes().BringsNotes();
    ranks->notes().EndRun();
    EXPECT_EQ(ranks->heard(), uint32_t{kStopNote});
    EXPECT_EQ(ranks->BeginNotes(), 0u);
  });
}

}  // namespace
}  // namespace lockstep::distribute
