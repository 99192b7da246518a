#include <gtest/gtest.h>

#include <algorithm>
#include <cstdio>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "collectives/all_reduce.h"
#include "collectives/sum_reference.h"
#include "sim/nemesis.h"
#include "sim/seeds_test.h"
#include "sim/world.h"

/// The sum over ranks in simulated worlds. A failing seed is replayed by LOCKSTEP_SIM_SEED=n, which
/// also prints its trace; LOCKSTEP_SIM_SEEDS=10000 runs more of them.

namespace lockstep::sim {
namespace {

using collectives::Algorithm;
using collectives::AllReduceOptions;
using collectives::AllReduceSum;
using collectives::Division;
using collectives::Group;
using collectives::GroupOptions;
using collectives::Leaf;
using collectives::Leaves;
using collectives::RandomLeaves;
using collectives::Reduced;
using collectives::RequestOf;
using collectives::SameBits;
using collectives::SumByDefinition;
using std::chrono::milliseconds;
using std::chrono::seconds;

Division RandomDivision(base::Randomness& randomness, Leaf num_leaves, int num_ranks) {
  if (randomness.Chance(0.5)) return Division::Even(num_leaves, num_ranks);
  std::vector<Leaf> borders{0, num_leaves};
  while (static_cast<int>(borders.size()) < num_ranks + 1)
    borders.push_back(static_cast<Leaf>(randomness.Below(num_leaves + 1)));
  std::sort(borders.begin(), borders.end());
  return Division::FromBorders(borders).OrThrow();
}

// A job of some steps with some buckets each, every rank a task of its own, and what came of it.
class Job {
 public:
  Job(World& world, const Division& division, size_t count, uint64_t steps, uint32_t buckets,
      AllReduceOptions options, const GroupOptions& group = {})
      : world_(world), division_(division), options_(options), steps_(steps) {
    const Leaf num_leaves = division.num_leaves();
    for (uint64_t i = 0; i < steps * buckets; ++i)
      leaves_.push_back(RandomLeaves<float>(world.randomness(), num_leaves, count, 0.15));
    statuses_.resize(world.num_ranks());
    finished_.resize(world.num_ranks());
    for (int rank = 0; rank < world.num_ranks(); ++rank) {
      groups_.push_back(std::make_unique<Group>(world.transport(rank), group));
      scopes_.push_back(std::make_unique<base::TaskScope>(world.executor(rank)));
      scopes_.back()->Spawn(Work(rank, count, buckets));
    }
  }

  bool done() const {
    for (int rank = 0; rank < world_.num_ranks(); ++rank)
      if (world_.alive(rank) && !finished_[rank]) return false;
    return true;
  }
  const Status& status(int rank) const { return statuses_[rank]; }
  bool all_ok() const {
    return std::all_of(statuses_.begin(), statuses_.end(), [](const Status& s) { return s.ok(); });
  }
  /// Whether any sum that a rank was given had other bits than the tree's.
  bool any_wrong() const { return any_wrong_; }

 private:
  base::Task<void> Work(int rank, size_t count, uint32_t buckets) {
    Group& group = *groups_[rank];
    for (uint64_t step = 0; step < steps_ && statuses_[rank].ok(); ++step) {
      std::vector<std::vector<float>> outputs(buckets, std::vector<float>(count, 77.0f));
      std::vector<base::Eventual<Result<Reduced>>> sums;
      for (uint32_t bucket = 0; bucket < buckets; ++bucket) {
        collectives::SumRequest request =
            RequestOf({step, bucket}, leaves_[step * buckets + bucket], division_, rank,
                      &outputs[bucket], options_);
        const bool stays = (step + bucket + static_cast<uint64_t>(rank)) % 4 != 0;
        for (auto& each : request.contributions)
          if (stays) each.keeper = std::make_shared<int>(0);
        sums.push_back(AllReduceSum(group, std::move(request)));
      }
      for (uint32_t bucket = 0; bucket < buckets; ++bucket) {
        const Result<Reduced> reduced = co_await sums[bucket];
        if (!reduced.ok()) {
          if (statuses_[rank].ok()) statuses_[rank] = reduced.status();
          continue;
        }
        Check(outputs[bucket], reduced->present, leaves_[step * buckets + bucket]);
      }
      group.RetireBefore(step);
    }
    finished_[rank] = true;
  }

  void Check(const std::vector<float>& output, bool present, const Leaves<float>& leaves) {
    const auto expected = SumByDefinition(leaves, 0, static_cast<Leaf>(leaves.size()));
    const std::vector<float> untouched(output.size(), 77.0f);
    if (present != expected.has_value() || !SameBits(output, expected.value_or(untouched)))
      any_wrong_ = true;
  }

  World& world_;
  const Division division_;
  const AllReduceOptions options_;
  const uint64_t steps_;
  std::vector<Leaves<float>> leaves_;
  std::vector<Status> statuses_;
  std::vector<bool> finished_;
  bool any_wrong_ = false;
  std::vector<std::unique_ptr<Group>> groups_;
  std::vector<std::unique_ptr<base::TaskScope>> scopes_;
};

uint64_t TraceOfOneLostMessage(uint64_t seed, int lost) {
  WorldOptions options;
  options.keep_trace = true;
  World world(seed, options);
  if (lost > 0) world.network().LoseNext(0, 1, lost);
  Job job(world, Division::Even(8, 2), 100, 1, 1, {});
  EXPECT_TRUE(world.RunUntil([&] { return job.done(); }, seconds(5)));
  EXPECT_TRUE(job.all_ok());
  EXPECT_FALSE(job.any_wrong());
  EXPECT_EQ(world.network().lost(), static_cast<uint64_t>(lost));
  return world.trace().hash();
}

TEST(SimulatedAllReduce, SurvivesOneLostMessageAndRepeatsItself) {
  for (uint64_t seed = 0; seed < 20; ++seed) {
    const uint64_t trace = TraceOfOneLostMessage(seed, 1);
    EXPECT_EQ(trace, TraceOfOneLostMessage(seed, 1));
    EXPECT_NE(trace, TraceOfOneLostMessage(seed, 0));
    EXPECT_NE(trace, TraceOfOneLostMessage(seed, 2));
  }
}

TEST(SimulatedAllReduce, NamesTheRankBehindAPartition) {
  WorldOptions options;
  options.num_ranks = 4;
  World world(7, options);
  world.network().Partition({2});
  AllReduceOptions sum;
  sum.timeout = milliseconds(300);
  sum.algorithm = Algorithm::kSlices;
  Job job(world, Division::Even(16, 4), 1000, 1, 1, sum);
  ASSERT_TRUE(world.RunUntil([&] { return job.done(); }, seconds(5)));
  EXPECT_LT(world.scheduler().Now(), base::Time(milliseconds(320)));
  int expired = 0;
  for (int rank = 0; rank < 4; ++rank) {
    const std::string text = job.status(rank).message();
    const bool is_expired = job.status(rank).code() == Code::kDeadlineExceeded;
    expired += rank != 2 && is_expired ? 1 : 0;
    if (!is_expired) {
      EXPECT_EQ(job.status(rank).code(), Code::kAborted) << text;
    }
    EXPECT_NE(text.find("every partial must arrive within 300.0 ms; got none of node ["),
              std::string::npos)
        << text;
    const std::string missing = rank == 2 ? ", from rank 0; 0 of 4" : ", from rank 2; ";
    EXPECT_NE(text.find(missing), std::string::npos) << text;
  }
  EXPECT_GE(expired, 1);
  EXPECT_EQ(job.status(2).code(), Code::kDeadlineExceeded);  // cut off: nobody could tell it
}

TEST(SimulatedAllReduce, CallsASilentRankUnavailable) {
  WorldOptions options;
  options.num_ranks = 3;
  options.reliable.silence_limit = milliseconds(100);
  World world(8, options);
  world.Kill(1);
  Job job(world, Division::Even(3, 3), 10, 1, 1, {});
  ASSERT_TRUE(world.RunUntil([&] { return job.done(); }, seconds(5)));
  EXPECT_LT(world.scheduler().Now(), base::Time(milliseconds(250)));
  int first_hand = 0;
  for (int rank : {0, 2}) {
    const std::string text = job.status(rank).message();
    first_hand += job.status(rank).code() == Code::kUnavailable ? 1 : 0;
    if (job.status(rank).code() != Code::kUnavailable) {
      EXPECT_EQ(job.status(rank).code(), Code::kAborted) << text;
    }
    EXPECT_NE(text.find("[net] rank 1 must answer within 100.0 ms; got silence for"),
              std::string::npos)
        << text;
    EXPECT_NE(text.find("waiting here: none of node [1,2), slice 0, from rank 1; 0 of 1 slices"),
              std::string::npos)
        << text;
  }
  EXPECT_GE(first_hand, 1);
}

struct Outcome {
  uint64_t trace = 0;
  bool done = false;
  bool all_ok = false;
  bool any_wrong = false;
  bool right_codes = true;
  std::string text;
};

// One cluster with everything drawn from its seed. `deadly`: ranks die and cuts stay.
Outcome RunSeed(uint64_t seed, bool deadly, bool keep_trace) {
  base::SeededRandomness draw(seed ^ 0x5eed);
  WorldOptions options;
  options.num_ranks = static_cast<int>(1 + draw.Below(8));
  options.network.loss = draw.Chance(0.7) ? 0.3 * static_cast<double>(draw.Below(100)) / 100 : 0;
  options.network.repeat = draw.Chance(0.5) ? 0.2 : 0;
  options.network.stray = draw.Chance(0.5) ? 0.1 : 0;
  options.reliable.silence_limit = deadly && draw.Chance(0.5) ? milliseconds(200) : seconds(10);
  options.keep_trace = keep_trace;
  World world(seed, options);
  AllReduceOptions sum;
  sum.timeout = deadly ? milliseconds(500) : seconds(60);
  sum.algorithm = static_cast<Algorithm>(draw.Below(5));
  const size_t counts[] = {0, 1, 7, 33, 200};
  const auto division = RandomDivision(draw, static_cast<Leaf>(draw.Below(20)), options.num_ranks);
  GroupOptions group;
  if (draw.Chance(0.3)) group.held_bytes = 200;
  Job job(world, division, counts[draw.Below(5)], 1 + draw.Below(4),
          static_cast<uint32_t>(1 + draw.Below(3)), sum, group);
  Trouble(world, milliseconds(200));
  if (deadly) {
    const int victim = static_cast<int>(draw.Below(options.num_ranks));
    const base::Duration moment(draw.Between(0, 20'000'000));
    if (draw.Chance(0.5)) {
      world.After(moment, [&world, victim] { world.Kill(victim); });
    } else {
      // Trouble heals cuts: a rank that is paused for good stands for one that is stuck.
      world.After(moment, [&world, victim] { world.Pause(victim, std::chrono::hours(1)); });
    }
  }
  Outcome outcome;
  const base::Duration limit = deadly ? base::Duration(std::chrono::hours(2)) : seconds(120);
  outcome.done = world.RunUntil([&] { return job.done(); }, limit);
  outcome.trace = world.trace().hash();
  outcome.all_ok = job.all_ok();
  outcome.any_wrong = job.any_wrong();
  for (int rank = 0; rank < options.num_ranks; ++rank) {
    const Code code = job.status(rank).code();
    outcome.right_codes =
        outcome.right_codes && (code == Code::kOk || code == Code::kAborted ||
                                code == Code::kDeadlineExceeded || code == Code::kUnavailable);
    outcome.text += job.status(rank).ToString() + "\n";
  }
  for (const std::string& line : world.trace().lines()) std::printf("%s\n", line.c_str());
  return outcome;
}

void ForSeeds(bool deadly, const std::function<void(uint64_t, const Outcome&)>& check) {
  const auto [first, last, is_replay] = SeedsToRun(200);
  for (uint64_t seed = first; seed < last; ++seed) {
    const Outcome outcome = RunSeed(seed, deadly, is_replay);
    check(seed, outcome);
    if (seed % 10 == 0) {
      EXPECT_EQ(outcome.trace, RunSeed(seed, deadly, false).trace) << "seed " << seed;
    }
    if (::testing::Test::HasFailure()) return;
  }
}

TEST(SimulatedAllReduce, EndsRightWhateverTheNetworkDoes) {
  ForSeeds(false, [](uint64_t seed, const Outcome& outcome) {
    EXPECT_TRUE(outcome.done) << "hangs; seed " << seed;
    EXPECT_TRUE(outcome.all_ok) << "seed " << seed << "\n" << outcome.text;
    EXPECT_FALSE(outcome.any_wrong) << "seed " << seed;
  });
}

TEST(SimulatedAllReduce, NeverHangsAndNeverLiesWhenRanksDie) {
  uint64_t failed = 0;
  ForSeeds(true, [&failed](uint64_t seed, const Outcome& outcome) {
    EXPECT_TRUE(outcome.done) << "hangs; seed " << seed;
    EXPECT_FALSE(outcome.any_wrong) << "seed " << seed;
    EXPECT_TRUE(outcome.right_codes) << "seed " << seed << "\n" << outcome.text;
    failed += outcome.all_ok ? 0 : 1;
  });
  std::printf("%llu jobs ended by a fault\n", static_cast<unsigned long long>(failed));
}

}  // namespace
}  // namespace lockstep::sim
