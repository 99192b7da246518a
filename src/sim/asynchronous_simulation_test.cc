// Asynchronous runs on a simulated cluster: whoever dies, every batch counts once.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstring>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "base/task.h"
#include "check/linearizability.h"
#include "distribute/servers/asynchronous_run.h"
#include "sim/seeds_test.h"
#include "sim/world.h"

namespace lockstep::sim {
namespace {

using distribute::AsynchronousOptions;
using distribute::AsynchronousRun;
using distribute::Commit;
using distribute::Shard;
using std::chrono::milliseconds;
using std::chrono::seconds;

/// What an update makes of a value: another order of updates gives another value.
float After(float value, int64_t batch) {
  return std::fmod(value * 3 + static_cast<float>(batch) + 1, 9973.0f);
}

net::Payload PayloadOf(const std::vector<int64_t>& numbers) {
  const auto owner = std::make_shared<const std::vector<int64_t>>(numbers);
  return {owner, std::as_bytes(std::span(*owner))};
}

std::vector<int64_t> NumbersOf(const net::Payload& payload) {
  std::vector<int64_t> numbers(payload.size() / sizeof(int64_t));
  if (!numbers.empty()) std::memcpy(numbers.data(), payload.data(), payload.size());
  return numbers;
}

/// A value, and which batches made it what it is.
class ValueShard final : public Shard {
 public:
  void Apply(const Commit& commit, const net::Payload& push) override {
    ASSERT_EQ(NumbersOf(push), std::vector<int64_t>{commit.batch});
    value_ = After(value_, commit.batch);
    batches_.push_back(commit.batch);
    changed_ = commit.number;
  }
  net::Payload Values(net::Transport&, uint64_t since) override {
    if (since > 0 && changed_ <= since) return {};
    return PayloadOf({static_cast<int64_t>(value_)});
  }
  net::Payload State(net::Transport&) override {
    std::vector<int64_t> all = batches_;
    all.push_back(static_cast<int64_t>(value_));
    return PayloadOf(all);
  }
  void Restore(const net::Payload& state) override {
    batches_ = NumbersOf(state);
    value_ = static_cast<float>(batches_.back());
    batches_.pop_back();
    changed_ = batches_.size();
  }

 private:
  float value_ = 1;
  std::vector<int64_t> batches_;
  uint64_t changed_ = 0;
};

struct JobOptions {
  int servers = 1;
  int workers = 2;
  int shards = 1;
  int64_t batches = 40;
  int64_t bound = -1;
};

/// A run of all ranks of a world: servers first. Whenever one dies the others go on without it.
class Job {
 public:
  Job(World& world, const JobOptions& options) : world_(world), options_(options) {
    for (int rank = 0; rank < world.num_ranks(); ++rank)
      members_.push_back(std::make_unique<Member>(*this, rank));
  }

  void Start() { BeginEpoch(); }
  void Kill(int rank) {
    if (!world_.alive(rank)) return;
    world_.Kill(rank);
    BeginEpoch();
  }
  /// All end the epoch, and begin another; nobody has died.
  void Interrupt() { BeginEpoch(); }

  bool done() const {
    for (int rank = 0; rank < world_.num_ranks(); ++rank)
      if (world_.alive(rank) && (members_[rank] == nullptr || !members_[rank]->over)) return false;
    return true;
  }
  int alive() const {
    int count = 0;
    for (int rank = 0; rank < world_.num_ranks(); ++rank) count += world_.alive(rank);
    return count;
  }

  struct Member final : distribute::AsynchronousWork {
    Member(Job& job, int rank)
        : job(job),
          rank(rank),
          run(*this, {.batches = job.options_.batches,
                      .bound = job.options_.bound,
                      .shards = job.options_.shards,
                      .state_every = 3}) {}

    std::unique_ptr<Shard> MakeShard(int) override { return std::make_unique<ValueShard>(); }
    void Take(int shard, const net::Payload& payload) override {
      const std::vector<int64_t> numbers = NumbersOf(payload);
      if (!numbers.empty()) values[shard] = static_cast<float>(numbers[0]);
      if (shard + 1 < job.options_.shards) return;
      const std::vector<float> seen = values;
      job.history.push_back({.invoked = asked,
                             .returned = job.Now(rank),
                             .apply = [seen](auto* state) { return *state == seen; }});
    }
    std::vector<net::Payload> Compute(net::Transport&, int64_t batch) override {
      asked = job.Now(rank);
      pushed[batch] = job.history.size();
      job.history.push_back({.invoked = asked, .apply = [batch](auto* state) {
                               for (float& value : *state) value = After(value, batch);
                               return true;
                             }});
      if (job.pauses)
        job.world_.Pause(rank, base::Duration(job.world_.randomness().Below(2'000'000)));
      return std::vector<net::Payload>(job.options_.shards, PayloadOf({batch}));
    }
    void Committed(int64_t batch) override {
      job.history[pushed.at(batch)].returned = job.Now(rank);
    }

    void Enter(uint64_t epoch, const AsynchronousRun::Ranks& ranks) {
      net::Transport& transport = job.world_.transport(rank);
      run.Leave();
      over = false;
      transport.EnterEpoch(epoch);
      values.assign(job.options_.shards, 0);
      asked = job.Now(rank);
      run.Enter(transport, ranks, [this](const Status& status) {
        EXPECT_TRUE(status.ok()) << status.message();
        over = true;
      });
    }

    Job& job;
    const int rank;
    AsynchronousRun run;
    std::vector<float> values;
    std::map<int64_t, size_t> pushed;
    int64_t asked = 0;
    bool over = false;
  };

  Member& member(int rank) { return *members_[rank]; }
  int64_t Now(int) const { return world_.scheduler().Now().time_since_epoch().count(); }
  std::vector<check::HistoryOperation> history;
  bool pauses = true;

 private:
  void BeginEpoch() {
    ++epoch_;
    AsynchronousRun::Ranks ranks;
    for (int rank = 0; rank < world_.num_ranks(); ++rank) {
      if (!world_.alive(rank)) continue;
      (rank < options_.servers ? ranks.servers : ranks.workers).push_back(rank);
    }
    if (ranks.workers.empty()) ranks.workers = ranks.servers;
    for (int rank = 0; rank < world_.num_ranks(); ++rank) {
      if (!world_.alive(rank)) continue;
      // Each hears of it at another time.
      const base::Duration delay(world_.randomness().Below(1'000'000));
      world_.executor(rank).PostAfter(delay, [this, rank, epoch = epoch_, ranks] {
        if (epoch == epoch_) members_[rank]->Enter(epoch, ranks);
      });
    }
  }

  World& world_;
  const JobOptions options_;
  uint64_t epoch_ = 0;
  std::vector<std::unique_ptr<Member>> members_;
};

JobOptions Drawn(base::Randomness& draw) {
  JobOptions options;
  options.servers = static_cast<int>(1 + draw.Below(3));
  options.workers = static_cast<int>(1 + draw.Below(3));
  options.shards = options.servers;
  options.batches = static_cast<int64_t>(draw.Below(60));
  options.bound = static_cast<int64_t>(draw.Below(5)) - 1;
  return options;
}

WorldOptions WorldFor(const JobOptions& options) {
  WorldOptions world;
  world.num_ranks = options.servers + options.workers;
  world.network.loss = 0.05;
  world.network.repeat = 0.05;
  world.network.stray = 0.05;
  return world;
}

// What all who are alive hold in the end.
void CheckEnd(World& world, Job& job, const JobOptions& options) {
  std::vector<int64_t> order;
  for (int rank = 0; rank < world.num_ranks(); ++rank) {
    if (!world.alive(rank)) continue;
    AsynchronousRun& run = job.member(rank).run;
    ASSERT_TRUE(run.finished());
    ASSERT_EQ(run.finals().size(), static_cast<size_t>(options.shards));
    for (const auto& [shard, state] : run.finals()) {
      std::vector<int64_t> batches = NumbersOf(state);
      const auto value = static_cast<float>(batches.back());
      batches.pop_back();
      if (order.empty()) order = batches;
      ASSERT_EQ(batches, order) << "on rank " << rank << ", shard " << shard;
      float expected = 1;
      for (int64_t batch : batches) expected = After(expected, batch);
      ASSERT_EQ(value, expected);
    }
    int64_t updates = 0;
    for (const auto& [staleness, count] : run.ledger().staleness()) {
      updates += count;
      ASSERT_GE(staleness, 0);
      if (options.bound >= 0) {
        ASSERT_LE(staleness, options.bound);
      }
    }
    ASSERT_EQ(updates, options.batches);
  }
  std::vector<int64_t> sorted = order;
  std::sort(sorted.begin(), sorted.end());
  ASSERT_EQ(sorted.size(), static_cast<size_t>(options.batches));
  for (int64_t batch = 0; batch < options.batches; ++batch) ASSERT_EQ(sorted[batch], batch);
  if (options.bound >= 0) {
    ASSERT_EQ(order, sorted);  // in the order of batches
  }
}

// Whoever has a share, as primary or copy, has the same bits of the same version.
void CompareCopies(World& world, Job& job, const JobOptions& options, int* compared) {
  for (int shard = 0; shard < options.shards; ++shard) {
    std::map<uint64_t, std::vector<int64_t>> by_version;
    for (int rank = 0; rank < world.num_ranks(); ++rank) {
      if (!world.alive(rank)) continue;
      AsynchronousRun& run = job.member(rank).run;
      const net::Payload state = run.StateOf(shard, world.transport(rank));
      if (state.size() == 0) continue;
      const auto [known, is_new] = by_version.emplace(run.version(), NumbersOf(state));
      if (is_new) continue;
      ++*compared;
      ASSERT_EQ(known->second, NumbersOf(state)) << "shard " << shard << " on rank " << rank;
    }
  }
}

TEST(SimulatedAsynchronous, EveryBatchCountsOnceWithoutFaults) {
  for (uint64_t seed = 0; seed < 60; ++seed) {
    SCOPED_TRACE(seed);
    base::SeededRandomness draw(seed);
    const JobOptions options = Drawn(draw);
    World world(seed, WorldFor(options));
    Job job(world, options);
    job.Start();
    ASSERT_TRUE(world.RunUntil([&] { return job.done(); }, seconds(60)));
    CheckEnd(world, job, options);
    if (HasFatalFailure()) return;
    ASSERT_EQ(job.member(0).run.restarts(), 0);
  }
}

// What has happened in the seeds so far.
struct Fared {
  int deaths = 0;
  int restarts = 0;
  int compared = 0;
};

void RunWithDeaths(uint64_t seed, Fared* fared) {
  SCOPED_TRACE(seed);
  base::SeededRandomness draw(seed);
  const JobOptions options = Drawn(draw);
  World world(seed, WorldFor(options));
  Job job(world, options);
  job.Start();
  for (int i = 0; i < 6; ++i) {
    const int rank = static_cast<int>(draw.Below(world.num_ranks()));
    const base::Duration when(draw.Between(0, 40'000'000));
    const bool dies = draw.Below(3) > 0;
    world.After(when, [&job, fared, rank, dies] {
      if (!dies || job.alive() == 1) return job.Interrupt();
      job.Kill(rank);
      ++fared->deaths;
    });
    world.After(base::Duration(draw.Between(0, 40'000'000)),
                [&] { CompareCopies(world, job, options, &fared->compared); });
  }
  ASSERT_FALSE(world.RunUntil([] { return false; }, milliseconds(41)));
  ASSERT_TRUE(world.RunUntil([&] { return job.done(); }, seconds(60)));
  CheckEnd(world, job, options);
  for (int rank = 0; rank < world.num_ranks(); ++rank)
    if (world.alive(rank))
      fared->restarts = std::max(fared->restarts, job.member(rank).run.restarts());
}

TEST(SimulatedAsynchronous, EveryBatchCountsOnceWhoeverDies) {
  const Seeds seeds = SeedsToRun(200);
  Fared fared;
  for (uint64_t seed = seeds.first; seed < seeds.last; ++seed) {
    RunWithDeaths(seed, &fared);
    if (HasFatalFailure()) return;
  }
  if (seeds.is_replay) return;
  EXPECT_GT(fared.deaths, 300);
  EXPECT_GT(fared.restarts, 0);
  EXPECT_GT(fared.compared, 100);
}

// Where all who hold something have died, those who are left know that there was something.
TEST(SimulatedAsynchronous, WhatIsLostIsNotMissed) {
  Fared fared;
  for (const uint64_t seed : {600771, 700028, 800279}) RunWithDeaths(seed, &fared);
  EXPECT_GT(fared.restarts, 0);
}

// Somebody who does not come to know of an epoch in which he holds nothing lacks what was pushed in
// it, though others still know what it was.
TEST(SimulatedAsynchronous, WhoHasMissedAnEpochLacksItsPushes) {
  Fared fared;
  for (const uint64_t seed : {510095, 510226}) RunWithDeaths(seed, &fared);
}

TEST(SimulatedAsynchronous, PullsAndPushesAreLinearizableThroughDeaths) {
  int operations = 0;
  for (uint64_t seed = 0; seed < 150; ++seed) {
    SCOPED_TRACE(seed);
    base::SeededRandomness draw(seed);
    JobOptions options = Drawn(draw);
    options.batches = static_cast<int64_t>(1 + draw.Below(14));
    World world(seed, WorldFor(options));
    Job job(world, options);
    job.Start();
    // One at a time, so that a copy of everything is left.
    const bool dies = world.num_ranks() > 2 && draw.Below(4) > 0;
    const int rank = static_cast<int>(draw.Below(world.num_ranks()));
    world.After(base::Duration(draw.Between(0, 15'000'000)), [&] {
      if (dies) return job.Kill(rank);
      job.Interrupt();
    });
    ASSERT_FALSE(world.RunUntil([] { return false; }, milliseconds(16)));
    ASSERT_TRUE(world.RunUntil([&] { return job.done(); }, seconds(60)));
    CheckEnd(world, job, options);
    if (HasFatalFailure()) return;
    for (int each = 0; each < world.num_ranks(); ++each)
      if (world.alive(each)) {
        ASSERT_EQ(job.member(each).run.restarts(), 0);
      }
    operations += static_cast<int>(job.history.size());
    if (job.history.size() > 64) continue;
    ASSERT_TRUE(check::IsLinearizable(job.history, std::vector<float>(options.shards, 1)));
  }
  EXPECT_GT(operations, 1000);
}

}  // namespace
}  // namespace lockstep::sim
