#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "cluster/member.h"
#include "sim/nemesis.h"
#include "sim/seeds_test.h"
#include "sim/world.h"

/// Whole groups of coordinators and members in simulated worlds. A failing seed is replayed by
/// LOCKSTEP_SIM_SEED=n, which also prints its trace; LOCKSTEP_SIM_SEEDS=10000 runs more of them.

namespace lockstep::sim {
namespace {

using cluster::Incarnation;
using cluster::Member;
using cluster::MemberOptions;
using cluster::Membership;
using cluster::Peer;
using cluster::Scope;
using std::chrono::milliseconds;
using std::chrono::seconds;

// Knows which lives of which ranks are over, as a launcher does that waits for its children.
class WorldsArbiter final : public cluster::Arbiter {
 public:
  void Ask(const std::vector<Peer>& peers, std::function<void(Verdict)> done) override {
    Verdict verdict;
    verdict.newest_epoch = newest_epoch;
    for (const Peer& peer : peers)
      if (ended.contains(peer.incarnation)) verdict.ended.push_back(peer.incarnation);
    done(std::move(verdict));
  }
  void NoteEpoch(uint64_t epoch) override { newest_epoch = std::max(newest_epoch, epoch); }
  void NoteFinished() override {}

  std::set<Incarnation> ended;
  uint64_t newest_epoch = 0;
};

struct Settings {
  bool has_arbiter = false;
  int min_members = 1;
  bool counts = true;  // members count in the key-value store
};

// A job of one member a rank, and everything that must never happen to it.
class Job {
 public:
  Job(World& world, const Settings& settings) : world_(world), settings_(settings) {
    members_.resize(world.num_ranks());
    randomness_.resize(world.num_ranks());
    newest_.resize(world.num_ranks());
  }

  void Start(int rank, bool founds) {
    randomness_[rank] = std::make_unique<base::SeededRandomness>(world_.randomness().Next());
    MemberOptions options;
    options.self.job = "worker";
    options.self.index = rank;
    options.self.host = "host";
    options.founds = founds;
    options.coordinator.min_members = settings_.min_members;
    options.coordinator.start_wait = seconds(100);
    if (settings_.has_arbiter) options.coordinator.arbiter = &arbiter_;
    for (int other = 0; other < world_.num_ranks(); ++other) {
      const std::string address = "rank:" + std::to_string(other);
      options.coordinator.expected.push_back({"worker", other, address});
      options.contacts.push_back(address);
    }
    newest_[rank] = 0;
    members_[rank] = std::make_unique<Member>(world_.rpc(rank), *randomness_[rank], options);
    Member& member = *members_[rank];
    member.OnEpoch([this, rank](const Membership& membership, int its_rank) {
      Entered(rank, membership, its_rank);
    });
    member.OnChangeWaiting([&member](int, int) { member.ReadyForJoiners(7); });
    member.Join([](const Result<Membership>&) {});
    if (settings_.counts) Count(rank);
  }

  void StartAll() {
    for (int rank = 0; rank < world_.num_ranks(); ++rank) Start(rank, rank == 0);
  }

  void Kill(int rank) {
    if (!world_.alive(rank)) return;
    lives_[rank].insert(members_[rank]->self().incarnation);
    arbiter_.ended.insert(lives_[rank].begin(), lives_[rank].end());
    world_.Kill(rank);
    bool any_member = decided_.empty();
    for (int other = 0; other < world_.num_ranks(); ++other) {
      if (!world_.alive(other) || members_[other]->rank() < 0) continue;
      // Who was to be a member and has not heard of it knows nothing of it.
      any_member = any_member || members_[other]->membership().epoch == decided_.rbegin()->first;
    }
    is_lost_ = is_lost_ || !any_member;
  }
  // Whether at some time nobody was left who remembered the newest epoch.
  bool is_lost() const { return is_lost_; }
  void Restart(int rank) {
    if (world_.alive(rank)) return;
    members_[rank].reset();
    world_.Restart(rank);
    Start(rank, rank == 0 && decided_.empty());
  }

  Member& member(int rank) { return *members_[rank]; }
  const std::map<uint64_t, Membership>& decided() const { return decided_; }
  const std::string& fault() const { return fault_; }

  // Whether all who live are members of one and the same epoch, and nobody else.
  bool AllTogether() {
    Look();
    size_t alive = 0;
    uint64_t epoch = 0;
    for (int rank = 0; rank < world_.num_ranks(); ++rank) {
      if (!world_.alive(rank)) continue;
      ++alive;
      const Membership& membership = members_[rank]->membership();
      if (members_[rank]->rank() < 0 || (epoch != 0 && epoch != membership.epoch)) return false;
      epoch = membership.epoch;
    }
    return epoch != 0 && decided_.at(epoch).peers.size() == alive;
  }

  // What was decided, wherever anybody knows of it, was decided once.
  void Look() {
    for (int rank = 0; rank < world_.num_ranks(); ++rank) {
      if (!world_.alive(rank) || members_[rank]->coordinator() == nullptr) continue;
      lives_[rank].insert(members_[rank]->self().incarnation);
      Note(members_[rank]->coordinator()->replica().committed()->membership);
    }
  }

  uint64_t counted() const { return counted_; }
  // Whether the shared count is what was counted: each addition that was answered is in it once,
  // and nothing else but those whose answer never came.
  std::string CheckCount() {
    if (!settings_.counts || was_founded_anew()) return "";
    for (int rank = 0; rank < world_.num_ranks(); ++rank) {
      if (!world_.alive(rank) || !members_[rank]->leads()) continue;
      const auto state = members_[rank]->coordinator()->replica().committed();
      const std::string* held = state->job_values.Get("count");
      const uint64_t count = held == nullptr ? 0 : std::strtoull(held->c_str(), nullptr, 10);
      if (count < counted_ || count > counted_ + (tried_ - answered_))
        return "the count is " + std::to_string(count) + " after " + std::to_string(counted_) +
               " additions, and " + std::to_string(tried_ - answered_) + " without an answer";
    }
    return "";
  }

  std::string Describe() {
    std::string text = fault_ + "\n";
    for (int rank = 0; rank < world_.num_ranks(); ++rank) {
      text += "rank " + std::to_string(rank) + (world_.alive(rank) ? "" : " (dead)") + ": ";
      if (world_.alive(rank)) {
        text += ToString(members_[rank]->membership()) + "; " + members_[rank]->Board() +
                (members_[rank]->leads() ? "; leads" : "") + "; voters ";
        if (const auto* coordinator = members_[rank]->coordinator())
          text += ListOf(coordinator->replica().accepted()->voters);
      }
      text += "\n";
    }
    return text;
  }

 private:
  void Fail(const std::string& what) {
    if (fault_.empty()) fault_ = what;
  }

  // With all coordinators gone, values that only they had are lost.
  bool was_founded_anew() const {
    return !decided_.empty() && decided_.rbegin()->first >= uint64_t{1} << 20;
  }

  void Note(const Membership& membership) {
    if (membership.epoch == 0) return;
    const auto [place, is_new] = decided_.try_emplace(membership.epoch, membership);
    if (!is_new && place->second != membership)
      Fail("two decisions: " + ToString(place->second) + " and " + ToString(membership));
  }

  void Entered(int rank, const Membership& membership, int its_rank) {
    Note(membership);
    if (membership.epoch <= newest_[rank]) Fail("an epoch fell: " + ToString(membership));
    newest_[rank] = membership.epoch;
    if (its_rank < 0 || membership.peers[its_rank].index != rank) Fail("a wrong rank");
  }

  // Adds 1 to a value that all members share, again and again.
  void Count(int rank) {
    const base::Duration pause(world_.randomness().Between(1'000'000, 40'000'000));
    world_.executor(rank).PostAfter(pause, [this, rank] {
      Member& member = *members_[rank];
      if (member.rank() < 0) return Count(rank);
      member.Get("count", Scope::kJob,
                 [this, rank](const Result<std::optional<std::string>>& held) {
                   if (!held.ok()) return Count(rank);
                   const uint64_t count = std::strtoull(held->value_or("0").c_str(), nullptr, 10);
                   if (count < last_read_[rank] && !was_founded_anew()) Fail("the count fell");
                   last_read_[rank] = count;
                   Add(rank, *held, count + 1);
                 });
    });
  }

  void Add(int rank, const std::optional<std::string>& held, uint64_t count) {
    ++tried_;
    members_[rank]->CompareAndSet("count", held, std::to_string(count), Scope::kJob,
                                  [this, rank](const Result<bool>& done) {
                                    counted_ += done.ok() && *done ? 1 : 0;
                                    answered_ += done.ok() ? 1 : 0;
                                    Count(rank);
                                  });
  }

  World& world_;
  const Settings settings_;
  WorldsArbiter arbiter_;
  std::vector<std::unique_ptr<base::SeededRandomness>> randomness_;
  std::map<uint64_t, Membership> decided_;
  std::vector<uint64_t> newest_;
  std::map<int, std::set<Incarnation>> lives_;
  std::map<int, uint64_t> last_read_;
  uint64_t counted_ = 0;
  uint64_t tried_ = 0;
  uint64_t answered_ = 0;
  std::string fault_;
  bool is_lost_ = false;
  std::vector<std::unique_ptr<Member>> members_;
};

TEST(SimulatedMembership, AJobBeginsWithAllItsTasks) {
  for (int ranks : {1, 2, 3, 5, 8}) {
    World world(ranks, {.num_ranks = ranks});
    Job job(world, {});
    job.StartAll();
    ASSERT_TRUE(world.RunUntil([&] { return job.AllTogether(); }, seconds(5))) << job.Describe();
    EXPECT_LT(world.scheduler().Now(), base::Time(milliseconds(500)));
    const Membership& first = job.decided().begin()->second;
    EXPECT_EQ(first.epoch, 1u);
    ASSERT_EQ(first.peers.size(), static_cast<size_t>(ranks));
    for (int rank = 0; rank < ranks; ++rank) EXPECT_EQ(first.peers[rank].index, rank);
    world.RunUntil([] { return false; }, seconds(1));
    EXPECT_EQ(job.member(0).coordinator()->replica().committed()->voters.size(),
              ranks >= 3 ? 3u : 1u);
    EXPECT_EQ(job.fault(), "");
    EXPECT_EQ(job.decided().size(), 1u);
    EXPECT_GT(job.counted(), 0u);
  }
}

// How long after `fault` all who live are members of one epoch without the dead.
base::Duration TimeToRecover(World& world, Job& job, const std::function<void()>& fault) {
  EXPECT_TRUE(world.RunUntil([&] { return job.AllTogether(); }, seconds(5))) << job.Describe();
  world.RunUntil([] { return false; }, seconds(1));
  fault();
  const base::Time begin = world.scheduler().Now();
  EXPECT_TRUE(world.RunUntil([&] { return job.AllTogether(); }, seconds(20))) << job.Describe();
  EXPECT_EQ(job.fault(), "");
  return world.scheduler().Now() - begin;
}

TEST(SimulatedMembership, SurvivesAnyTasksDeath) {
  for (int victim = 0; victim < 4; ++victim) {
    World world(victim, {.num_ranks = 4});
    Job job(world, {});
    job.StartAll();
    const base::Duration noticed = TimeToRecover(world, job, [&] { job.Kill(victim); });
    EXPECT_LT(noticed, milliseconds(300)) << "victim " << victim;
    // Dead with its machine: nothing is heard of it but silence.
    World silent_world(victim, {.num_ranks = 4, .deaths_are_noticed = false});
    Job silent_job(silent_world, {});
    silent_job.StartAll();
    const base::Duration silent =
        TimeToRecover(silent_world, silent_job, [&] { silent_job.Kill(victim); });
    EXPECT_LT(silent, milliseconds(2000)) << "victim " << victim;
  }
}

TEST(SimulatedMembership, IsQuickWhenTheTransportReportsTheDeath) {
  for (int victim = 0; victim < 4; ++victim) {
    World world(victim, {.num_ranks = 4, .deaths_are_noticed = false});
    Job job(world, {});
    job.StartAll();
    const base::Duration time = TimeToRecover(world, job, [&] {
      job.Kill(victim);
      for (int rank = 0; rank < 4; ++rank) {
        if (rank == victim) continue;
        world.executor(rank).Post(
            [&, rank] { job.member(rank).ReportDead(victim, "ended", /*certain=*/true); });
      }
    });
    EXPECT_LT(time, milliseconds(50)) << "victim " << victim;
  }
}

TEST(SimulatedMembership, OnlyTheMajorityGoesOnAndTheRestComesBack) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    World world(seed, {.num_ranks = 5});
    Job job(world, {});
    job.StartAll();
    ASSERT_TRUE(world.RunUntil([&] { return job.AllTogether(); }, seconds(5)));
    world.RunUntil([] { return false; }, seconds(1));
    // Two of the three coordinators are cut off from the third and the rest, or one is.
    const std::set<int> side = seed % 2 == 0 ? std::set<int>{0, 3} : std::set<int>{0, 1};
    world.network().Partition(side);
    int troubles = 0;
    for (int rank = 0; rank < 5; ++rank)
      job.member(rank).OnTrouble([&](const Status& status) {
        if (status.code() == Code::kUnavailable) ++troubles;
      });
    world.RunUntil(
        [&] {
          job.Look();
          return false;
        },
        seconds(6));
    const bool zero_wins = seed % 2 == 1;
    for (int rank = 0; rank < 5; ++rank) {
      const bool wins = side.contains(rank) == zero_wins;
      const size_t size = wins ? (zero_wins ? 2 : 3) : 5;
      EXPECT_EQ(job.member(rank).membership().peers.size(), size) << "rank " << rank;
      EXPECT_EQ(job.member(rank).membership().epoch,
                wins ? job.decided().rbegin()->first : uint64_t{1});
    }
    EXPECT_EQ(troubles, zero_wins ? 3 : 2);
    world.network().Heal();
    EXPECT_TRUE(world.RunUntil([&] { return job.AllTogether(); }, seconds(20))) << job.Describe();
    EXPECT_EQ(job.fault(), "");
  }
}

TEST(SimulatedMembership, ShrinksBelowAMajorityOnlyByAnArbitersWord) {
  for (const bool has_arbiter : {false, true}) {
    for (const int survivor : {0, 2, 3}) {
      World world(survivor, {.num_ranks = 4});
      Job job(world, {.has_arbiter = has_arbiter});
      job.StartAll();
      ASSERT_TRUE(world.RunUntil([&] { return job.AllTogether(); }, seconds(5)));
      world.RunUntil([] { return false; }, seconds(1));
      for (int rank = 0; rank < 4; ++rank)
        if (rank != survivor) job.Kill(rank);
      EXPECT_EQ(world.RunUntil([&] { return job.AllTogether(); }, seconds(10)), has_arbiter)
          << job.Describe();
      EXPECT_EQ(job.fault(), "");
      if (!has_arbiter) continue;
      EXPECT_LT(world.scheduler().Now(), base::Time(milliseconds(2000)));
      for (int rank = 0; rank < 4; ++rank) job.Restart(rank);
      EXPECT_TRUE(world.RunUntil([&] { return job.AllTogether(); }, seconds(10))) << job.Describe();
    }
  }
}

// A task that waits has followed a leader that the survivor has never heard of, and that is dead.
TEST(SimulatedMembership, WhoFoundsAnewIsAboveLeadersThatOnlyTheDeadHaveChosen) {
  for (uint64_t seed = 0; seed < 10; ++seed) {
    World world(seed, {.num_ranks = 4});
    Job job(world, {.has_arbiter = true});
    job.StartAll();
    ASSERT_TRUE(world.RunUntil([&] { return job.AllTogether(); }, seconds(5)));
    world.RunUntil([] { return false; }, seconds(1));
    job.Kill(3);
    ASSERT_TRUE(world.RunUntil([&] { return job.AllTogether(); }, seconds(5)));
    world.network().Partition({0});
    const auto leads = [&] { return job.member(1).leads() || job.member(2).leads(); };
    ASSERT_TRUE(world.RunUntil(leads, seconds(5))) << job.Describe();
    job.Restart(3);
    const auto follows = [&] {
      const auto* coordinator = job.member(3).coordinator();
      return coordinator != nullptr && coordinator->replica().leader() != nullptr;
    };
    ASSERT_TRUE(world.RunUntil(follows, seconds(5))) << job.Describe();
    job.Kill(1);
    job.Kill(2);
    world.network().Heal();
    EXPECT_TRUE(world.RunUntil([&] { return job.AllTogether(); }, seconds(10)))
        << "seed " << seed << job.Describe();
    EXPECT_EQ(job.fault(), "");
  }
}

struct Outcome {
  uint64_t trace = 0;
  bool together = false;
  bool promised = false;
  bool counts = true;
  std::string fault;
  std::string text;
};

// One job with everything drawn from its seed.
Outcome RunSeed(uint64_t seed, bool deadly, bool keep_trace) {
  base::SeededRandomness draw(seed ^ 0xc1e5);
  WorldOptions options;
  options.num_ranks = static_cast<int>(1 + draw.Below(7));
  options.network.loss = draw.Chance(0.6) ? 0.2 * static_cast<double>(draw.Below(100)) / 100 : 0;
  options.network.repeat = draw.Chance(0.5) ? 0.2 : 0;
  options.network.stray = draw.Chance(0.5) ? 0.1 : 0;
  options.deaths_are_noticed = draw.Chance(0.5);
  options.keep_trace = keep_trace;
  World world(seed, options);
  Settings settings;
  settings.has_arbiter = deadly && draw.Chance(0.7);
  Job job(world, settings);
  for (int rank = 0; rank < options.num_ranks; ++rank)
    world.After(milliseconds(draw.Below(100)), [&job, rank] { job.Start(rank, rank == 0); });
  world.RunUntil([] { return false; }, milliseconds(100 + draw.Below(400)));
  Trouble(world, seconds(3), {milliseconds(100), milliseconds(1500)});
  if (deadly) {
    for (uint64_t kills = 1 + draw.Below(4); kills > 0; --kills) {
      const int victim = static_cast<int>(draw.Below(options.num_ranks));
      const base::Duration moment = milliseconds(draw.Below(3000));
      world.After(moment, [&job, victim] { job.Kill(victim); });
      if (draw.Chance(0.6))
        world.After(moment + milliseconds(draw.Below(1000)),
                    [&job, victim] { job.Restart(victim); });
    }
  }
  world.RunUntil(
      [&] {
        job.Look();
        return !job.fault().empty();
      },
      milliseconds(4100));
  // The network is whole again; a machine that was lost comes back, if nobody may judge its death.
  world.network().set_faults({});
  world.network().Heal();
  bool any_alive = false;
  for (int rank = 0; rank < options.num_ranks; ++rank) any_alive = any_alive || world.alive(rank);
  Outcome outcome;
  outcome.promised = any_alive && !job.is_lost() && (!deadly || settings.has_arbiter);
  if (any_alive && job.decided().empty() && !world.alive(0)) job.Restart(0);
  for (int rank = 0; rank < options.num_ranks; ++rank)
    if (job.decided().empty()) job.Restart(rank);
  outcome.together = any_alive && world.RunUntil([&] { return job.AllTogether(); }, seconds(30));
  outcome.fault = job.fault();
  if (outcome.together && outcome.fault.empty()) outcome.fault = job.CheckCount();
  outcome.text = outcome.together ? "" : job.Describe();
  outcome.trace = world.trace().hash();
  for (const std::string& line : world.trace().lines()) std::printf("%s\n", line.c_str());
  return outcome;
}

void ForSeeds(bool deadly) {
  const auto [first, last, is_replay] = SeedsToRun(60);
  uint64_t together = 0;
  for (uint64_t seed = first; seed < last; ++seed) {
    const Outcome outcome = RunSeed(seed, deadly, is_replay);
    EXPECT_EQ(outcome.fault, "") << "seed " << seed << "\n" << outcome.text;
    EXPECT_TRUE(outcome.together || !outcome.promised) << "no progress; seed " << seed << "\n"
                                                       << outcome.text;
    together += outcome.together ? 1 : 0;
    if (seed % 25 == 0) {
      EXPECT_EQ(outcome.trace, RunSeed(seed, deadly, false).trace) << "seed " << seed;
    }
    if (::testing::Test::HasFailure()) return;
  }
  std::printf("%llu of %llu jobs went on with all who live\n",
              static_cast<unsigned long long>(together),
              static_cast<unsigned long long>(last - first));
}

TEST(SimulatedMembership, GoesOnWhateverTheNetworkDoes) { ForSeeds(false); }

TEST(SimulatedMembership, NeverDecidesTwiceWhoeverDies) { ForSeeds(true); }

}  // namespace
}  // namespace lockstep::sim
