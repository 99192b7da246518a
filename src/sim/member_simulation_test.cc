#include "cluster/member.h"

#include <gtest/gtest.h>

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "sim/world.h"

/// What a member offers, over the simulated wire: values, barriers, health, refusals, leaving.

namespace lockstep::sim {
namespace {

using cluster::Member;
using cluster::MemberOptions;
using cluster::Membership;
using cluster::Scope;
using std::chrono::milliseconds;
using std::chrono::seconds;

class Members {
 public:
  explicit Members(int count, std::function<void(int, MemberOptions&)> adjust = nullptr,
                   const NetworkFaults& faults = {})
      : world(1, {.num_ranks = count, .network = faults}) {
    for (int rank = 0; rank < count; ++rank) {
      MemberOptions options;
      options.self.job = "worker";
      options.self.index = rank;
      options.founds = rank == 0;
      options.contacts = {"rank:0", "rank:1"};
      options.coordinator.hello.build = "b1";
      for (int other = 0; other < count; ++other)
        options.coordinator.expected.push_back({"worker", other, "rank:" + std::to_string(other)});
      if (adjust) adjust(rank, options);
      randomness.push_back(std::make_unique<base::SeededRandomness>(rank));
      members.push_back(std::make_unique<Member>(world.rpc(rank), *randomness[rank], options));
      joined.emplace_back();
      members[rank]->Join(
          [this, rank](const Result<Membership>& first) { joined[rank] = first.status(); });
    }
  }

  Member& operator[](int rank) { return *members[rank]; }
  bool Together(const std::set<int>& ranks, base::Duration limit = seconds(10)) {
    return world.RunUntil(
        [&] {
          for (const int rank : ranks) {
            const Membership& membership = members[rank]->membership();
            if (members[rank]->rank() < 0 || membership.peers.size() != ranks.size() ||
                membership.epoch != members[*ranks.begin()]->membership().epoch)
              return false;
          }
          return true;
        },
        limit);
  }
  void Rest(base::Duration time) {
    world.RunUntil([] { return false; }, time);
  }

  // Calls `ask` with what takes the answer, and waits for it.
  template <typename T, typename F>
  T Get(F ask, base::Duration limit = seconds(60)) {
    std::optional<T> answer;
    ask([&](const T& given) { answer = given; });
    EXPECT_TRUE(world.RunUntil([&] { return answer.has_value(); }, limit));
    return *answer;
  }
  Status Meet(int rank, const std::string& name, base::Duration timeout) {
    return Get<Status>([&](auto done) { members[rank]->Barrier(name, timeout, std::move(done)); });
  }

  World world;
  std::vector<std::unique_ptr<base::SeededRandomness>> randomness;
  std::vector<std::optional<Status>> joined;
  std::vector<std::unique_ptr<Member>> members;
};

using Held = Result<std::optional<std::string>>;

TEST(SimulatedMember, KeepsValuesForTheJobAndForAnEpoch) {
  NetworkFaults faults;
  faults.loss = 0.1;
  faults.repeat = 0.1;
  Members members(4, nullptr, faults);
  ASSERT_TRUE(members.Together({0, 1, 2, 3}));
  for (const Scope scope : {Scope::kJob, Scope::kEpoch}) {
    const auto get = [&](int rank) {
      return *members.Get<Held>([&](auto done) { members[rank].Get("k", scope, done); });
    };
    EXPECT_EQ(get(1), std::nullopt);
    std::optional<Result<std::string>> waited;
    members[3].Wait("k", scope, seconds(20),
                    [&](const Result<std::string>& given) { waited = given; });
    EXPECT_TRUE(
        members.Get<Status>([&](auto done) { members[2].Set("k", "v", scope, done); }).ok());
    EXPECT_EQ(get(0), "v");
    EXPECT_TRUE(members.world.RunUntil([&] { return waited.has_value(); }, seconds(5)));
    EXPECT_EQ(**waited, "v");
    const auto set_if = [&](int rank, std::optional<std::string> expected, const char* value) {
      return *members.Get<Result<bool>>(
          [&](auto done) { members[rank].CompareAndSet("k", expected, value, scope, done); });
    };
    EXPECT_FALSE(set_if(1, std::nullopt, "w"));
    EXPECT_TRUE(set_if(1, "v", "w"));
    EXPECT_EQ(get(3), "w");
  }
  const Result<std::string> none = members.Get<Result<std::string>>(
      [&](auto done) { members[1].Wait("absent", Scope::kJob, milliseconds(300), done); });
  EXPECT_EQ(none.status().code(), Code::kDeadlineExceeded);
  EXPECT_EQ(none.status().message(),
            "[key_value] a value must be set within 300 ms; got none (key absent)");
  // A new epoch forgets its own values, and the coordinator's death none of the job's.
  members.world.Kill(0);
  ASSERT_TRUE(members.Together({1, 2, 3}));
  const auto held = [&](Scope scope) {
    return *members.Get<Held>([&](auto done) { members[2].Get("k", scope, done); });
  };
  EXPECT_EQ(held(Scope::kJob), "w");
  EXPECT_EQ(held(Scope::kEpoch), std::nullopt);
}

TEST(SimulatedMember, MeetsAtBarriersAndNamesWhoIsMissing) {
  Members members(3);
  ASSERT_TRUE(members.Together({0, 1, 2}));
  for (int meeting = 0; meeting < 3; ++meeting) {
    int met = 0;
    for (int rank = 0; rank < 3; ++rank) {
      members[rank].Barrier("start", seconds(5), [&](const Status& status) {
        EXPECT_TRUE(status.ok()) << status.ToString();
        ++met;
      });
      if (rank < 2) members.Rest(milliseconds(100));
      EXPECT_EQ(met, 0);
    }
    EXPECT_TRUE(members.world.RunUntil([&] { return met == 3; }, seconds(5)));
  }
  members[2].SetProgress({17, 4711, "input"});
  members.Rest(seconds(13));
  members[0].SetProgress({18, 5000, ""});
  members.Rest(milliseconds(200));
  Status first;
  members[1].Barrier("end", milliseconds(3000), [&](const Status& status) { first = status; });
  const Status status = members.Meet(0, "end", milliseconds(3000));
  EXPECT_EQ(status.code(), Code::kDeadlineExceeded);
  const std::string text = status.message();
  EXPECT_NE(text.find("[barrier] all members must arrive within 3000 ms; got 2 of 3, missing "
                      "worker 2 at rank:2: stuck for 16."),
            std::string::npos)
      << text;
  EXPECT_NE(text.find("at step 17, op 4711 (input) (barrier end, epoch 1)"), std::string::npos)
      << text;
  // A death ends what waits for the dead.
  std::optional<Status> ended;
  members[0].Barrier("last", seconds(60), [&](const Status& given) { ended = given; });
  members.Rest(milliseconds(100));
  members.world.Kill(2);
  EXPECT_TRUE(members.world.RunUntil([&] { return ended.has_value(); }, seconds(5)));
  EXPECT_EQ(ended->code(), Code::kAborted);
  EXPECT_NE(ended->message().find("worker 2 at rank:2 refused connections"), std::string::npos)
      << ended->message();
}

TEST(SimulatedMember, HearsHowAllAre) {
  Members members(3);
  ASSERT_TRUE(members.Together({0, 1, 2}));
  members.Rest(seconds(12));
  members[1].SetProgress({3, 99, "all-reduce of dense/kernel"});
  members.Rest(milliseconds(300));
  const auto health = members.Get<Result<std::vector<cluster::TaskHealth>>>(
      [&](auto done) { members[0].Health(done); });
  ASSERT_EQ(health->size(), 3u);
  EXPECT_EQ((*health)[1].condition, cluster::Condition::kWell);
  EXPECT_EQ((*health)[1].progress, (cluster::Progress{3, 99, "all-reduce of dense/kernel"}));
  EXPECT_EQ((*health)[2].condition, cluster::Condition::kStuck);
}

TEST(SimulatedMember, RefusesAnotherBuildAndSaysSo) {
  Members members(3, [](int rank, MemberOptions& options) {
    if (rank == 2) options.coordinator.hello.build = "b2";
  });
  ASSERT_TRUE(members.world.RunUntil([&] { return members.joined[2].has_value(); }, seconds(5)));
  EXPECT_EQ(members.joined[2]->code(), Code::kFailedPrecondition);
  EXPECT_EQ(members.joined[2]->message(),
            "[handshake] all tasks must be alike; got build b2 where the job has b1 (worker 2 at "
            "rank:2); copy the same liblockstep.so to every machine");
  members.Rest(seconds(1));
  EXPECT_NE(members[0].Board().find("2 of 3 here; missing worker 2 at rank:2, refused: "),
            std::string::npos)
      << members[0].Board();
  EXPECT_FALSE(members.joined[0].has_value());
}

TEST(SimulatedMember, LeavesInPeaceWhoeverLeads) {
  for (const int leaver : {0, 2}) {
    Members members(3);
    ASSERT_TRUE(members.Together({0, 1, 2}));
    members.Rest(milliseconds(500));
    const base::Time begin = members.world.scheduler().Now();
    std::set<int> rest{0, 1, 2};
    rest.erase(leaver);
    for (const int rank : rest)
      members[rank].OnChangeWaiting([&members, rank](int joiners, int leavers) {
        EXPECT_EQ(joiners, 0);
        EXPECT_EQ(leavers, 1);
        members[rank].ReadyForJoiners(5);
      });
    const Status left = members.Get<Status>([&](auto done) { members[leaver].Leave(done); });
    EXPECT_TRUE(left.ok()) << left.ToString();
    ASSERT_TRUE(members.Together(rest));
    EXPECT_LT(members.world.scheduler().Now() - begin, milliseconds(500));
    EXPECT_EQ(members[1].membership().step, 5u);
    EXPECT_NE(members[1].membership().reason.find("left"), std::string::npos);
    EXPECT_TRUE(members.Meet(1, "nobody", milliseconds(10)).code() == Code::kDeadlineExceeded);
  }
}

TEST(SimulatedMember, BeginsABrokenEpochAnewWithAll) {
  Members members(3);
  ASSERT_TRUE(members.Together({0, 1, 2}));
  members[1].ReportBroken("[sum] a deadline passed");
  members[2].ReportBroken("[sum] a deadline passed");
  ASSERT_TRUE(members.world.RunUntil(
      [&] { return members[0].membership().epoch == 2 && members[2].membership().epoch == 2; },
      seconds(1)));
  EXPECT_EQ(members[2].membership().reason, "[sum] a deadline passed");
  members.Rest(seconds(1));
  EXPECT_EQ(members[2].membership().epoch, 2u);
  // Two that never reach each other: after some epochs one of them has to go, and comes back.
  for (uint64_t epoch = 3; epoch <= 5; ++epoch) {
    const int rank = members[1].rank();
    members[2].ReportDead(rank, "out of reach", /*certain=*/false);
    ASSERT_TRUE(members.world.RunUntil(
        [&] {
          return (members[1].membership().epoch >= epoch &&
                  members[2].membership().epoch >= epoch) ||
                 members[2].rank() < 0;
        },
        seconds(2)))
        << epoch << members[0].Board();
  }
  EXPECT_EQ(members[0].membership().peers.size(), 2u);
  EXPECT_EQ(members[0].membership().RankOf(members[1].self().incarnation), 1);
}

// The leader that was told is silent just then, and another one leads, but nobody dies of it.
TEST(SimulatedMember, TellsWhoLeadsNextWhatTheLastLeaderForgot) {
  Members members(3, [](int, MemberOptions& options) {
    options.coordinator.timing.silence = options.coordinator.timing.steady_silence = seconds(20);
    options.coordinator.timing.settle = milliseconds(100);
  });
  ASSERT_TRUE(members.Together({0, 1, 2}));
  members.Rest(seconds(1));
  members[1].ReportDead(members[2].rank(), "out of reach", /*certain=*/false);
  members.Rest(milliseconds(50));  // told, and not acted on
  members.world.Pause(0, seconds(2));
  members.Rest(milliseconds(2500));
  EXPECT_TRUE(members.world.RunUntil(
      [&] {
        return members[0].membership().epoch == 2 && members[1].membership().epoch == 2 &&
               members[2].membership().epoch == 2;
      },
      seconds(3)))
      << members[1].Board();
  EXPECT_EQ(members[1].membership().peers.size(), 3u);
  EXPECT_EQ(members[1].membership().reason, "out of reach");
}

TEST(SimulatedMember, HaltsBelowTheLeastNumberOfMembers) {
  Members members(3, [](int, MemberOptions& options) { options.coordinator.min_members = 3; });
  ASSERT_TRUE(members.Together({0, 1, 2}));
  members.Rest(milliseconds(500));
  members.world.Kill(1);
  ASSERT_TRUE(members.Together({0, 2}));
  EXPECT_NE(members[0].membership().halt.find("at least 3 tasks must take part; got 2"),
            std::string::npos);
}

TEST(SimulatedMember, AFounderGivesWayToAJobThatLives) {
  Members members(4);
  ASSERT_TRUE(members.Together({0, 1, 2, 3}));
  members.Rest(milliseconds(500));
  for (int rank = 1; rank < 4; ++rank)
    members[rank].OnChangeWaiting([&members, rank](int, int) { members[rank].ReadyForJoiners(1); });
  // The first task is started again with its old words, while nobody can tell it of the job.
  for (const bool is_cut : {false, true}) {
    members.world.Kill(0);
    ASSERT_TRUE(members.Together({1, 2, 3}));
    members.members[0].reset();
    members.world.Restart(0);
    if (is_cut) members.world.network().Partition({0});
    MemberOptions options;
    options.self.job = "worker";
    options.founds = true;
    options.contacts = {"rank:1"};
    options.coordinator.hello.build = "b1";
    for (int other = 0; other < 4; ++other)
      options.coordinator.expected.push_back({"worker", other, "rank:" + std::to_string(other)});
    members.members[0] =
        std::make_unique<Member>(members.world.rpc(0), *members.randomness[0], options);
    members[0].Join([](const Result<Membership>&) {});
    members.Rest(seconds(2));
    EXPECT_EQ(members[0].leads(), is_cut);
    members.world.network().Heal();
    ASSERT_TRUE(members.Together({0, 1, 2, 3})) << members[0].Board();
  }
}

}  // namespace
}  // namespace lockstep::sim
